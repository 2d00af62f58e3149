import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryDirectory } from '../runner/temporary-worktree.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPTS = readdirSync(join(ROOT, 'scripts')).filter((name) => /\.(?:ts|mjs)$/.test(name));
const textOf = (name: string) => readFileSync(join(ROOT, 'scripts', name), 'utf8');
const STARTED = [
  ...SCRIPTS.filter((name) => /^\s*import \{ readArguments \}/m.test(textOf(name))).map(
    (name) => `scripts/${name}`,
  ),
  'bench/run.ts',
];

function start(script: string, ...args: string[]) {
  const cwd = makeTemporaryDirectory();
  const options = { cwd, encoding: 'utf8' as const, env: { PATH: process.env.PATH } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), ...args], options);
  return { status, stdout, stderr, made: readdirSync(cwd) };
}

test('no script reads its arguments by itself', () => {
  expect(STARTED.length).toBeGreaterThan(8);
  for (const name of SCRIPTS)
    expect([name, textOf(name).replaceAll(/process\.argv\[1\]/g, '')]).toEqual([
      name,
      expect.not.stringMatching(/process\.argv/),
    ]);
});

test.each(STARTED)('%s has help, and makes nothing of it', (script) => {
  expect(start(script, '--help')).toEqual({
    ...{ status: 0, stderr: '', made: [] },
    stdout: expect.stringMatching(/^Usage: \S[\s\S]*\n$/),
  });
});

test.each([
  ['scripts/screenshots.ts', ['one', 'two'], "✗ Unexpected argument 'two'"],
  ['scripts/bundle.mjs', ['--nonsense'], "✗ Unknown option '--nonsense'"],
  ['scripts/release.mjs', ['--dry-run', '--publish'], '✗ --dry-run makes nothing'],
  ['scripts/freeze-journal.mjs', [], 'Usage: '],
])('%s refuses %j', (script, args, told) => {
  const refused = { status: 64, stdout: '', stderr: expect.stringContaining(told), made: [] };
  expect(start(script, ...args)).toEqual(refused);
});
