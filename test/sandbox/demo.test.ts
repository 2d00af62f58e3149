import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const DEMO = join(import.meta.dirname, '../../src/sandbox/demo.ts');
let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'autobuild-demo-test-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function play(...args: string[]) {
  const child = spawn(process.execPath, [DEMO, ...args], {
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, TMPDIR: scratch },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return { child, out: () => out };
}

test.each([
  ['C-1', []],
  ['N-1', ['--no-server']],
])(
  '%s: the demo plays label to pull request and a requested change for real, says every comment, and leaves nothing behind',
  async (_, args) => {
    const { child, out } = play('--json', ...args);
    const [code] = await once(child, 'close');
    const shown = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { jobs, ...ended } = shown.at(-1);
    expect(ended).toMatchObject({ type: 'ended', ok: true });
    // Without a server the last job writes the pull request and may still be at it, and a job that is lost is started again.
    if (args.length > 0) expect(jobs).toBeGreaterThanOrEqual(16);
    else expect(jobs).toBe(7);
    expect(code).toBe(0);
    const answers = shown.filter(({ type }) => type === 'answer').map(({ text }) => text);
    expect(answers).toEqual(['/provide till=T-4711', '/approve', 'ticks "Try a different approach"']);
    const questions = shown.filter(
      ({ type, body }) => type === 'comment' && body.includes('⏸ Waiting for you'),
    );
    expect(questions).toHaveLength(3);
    expect(shown.find(({ type }) => type === 'pull_request').body).toContain('✓ 4/4');
    expect(shown.some(({ type, body }) => type === 'comment' && body.includes('autobuild:receipt'))).toBe(
      true,
    );
    const said = shown.flatMap(({ type, body }) => (type === 'comment' ? [body] : []));
    expect(said.at(-2)).toMatch(/Fixed in `[0-9a-f]{7}`. “It is a constant now, with its reason.”/);
    expect(said.at(-1)).toContain('**Round 2: 1 fixed.**');
    expect(readdirSync(scratch)).toEqual([]);
  },
  200_000,
);

test('stopped by a signal it fails, and leaves nothing behind either', async () => {
  const { child, out } = play();
  for await (const _ of child.stdout.iterator({ destroyOnReturn: false }))
    if (out().includes('labels it')) break;
  child.stdout.resume();
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(readdirSync(scratch)).toEqual([]);
});
