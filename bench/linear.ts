import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure } from './figure.ts';
import { linearRatio } from './linear-ratio.ts';
import { withScratchDirectory } from './scratch-directory.ts';

const BAR = 10;
const ROOT = join(import.meta.dirname, '..');

/** Every case is a call of `expectLinear` in a test, which only runs it; here it is measured. */
export const linear: Figure = {
  id: 'linear',
  title: 'how many times longer four times the input takes, the worst of all readers of foreign text',
  bar: BAR,
  unit: '×',
  better: 'lower',
  async measure() {
    const quadratic = linearRatio((size) => void /a+b/.exec('a'.repeat(size)), 4_096);
    if (quadratic <= BAR) throw new Error(`Quadratic work measured as ${quadratic}: nothing can be told.`);
    const cases = (await withScratchDirectory(measureCases)).toSorted((a, b) => b.ratio - a.ratio);
    const worst = cases.slice(0, 3).map(({ test, ratio }) => `${ratio.toFixed(1)} ${test}`);
    return {
      value: cases[0]?.ratio ?? Number.NaN,
      detail: { cases: cases.length, 'quadratic work': quadratic, worst: worst.join('; ') },
    };
  },
};

async function measureCases(directory: string): Promise<{ test: string; ratio: number }[]> {
  const ratios = join(directory, 'ratios.jsonl');
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    // The tests of `expectLinear` itself have work that is quadratic.
    .filter((name) => name.endsWith('.test.ts') && name !== join('test', 'expect-linear.test.ts'))
    .filter((name) => readFileSync(join(ROOT, name), 'utf8').includes('expect-linear.ts'));
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...files];
  await promisify(execFile)(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, AUTOBUILD_LINEAR_RATIOS: ratios },
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = readFileSync(ratios, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { test: string; ratio: number });
}
