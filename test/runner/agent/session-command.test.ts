import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandAgent } from '../../../src/agents/command.ts';
import { runSessionCommand } from '../../../src/runner/agent/session-command.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

function run(script: string, timeoutMs = 20_000, settings?: string) {
  const home = makeTemporaryDirectory();
  const worktree = makeTemporaryDirectory();
  if (settings !== undefined) writeFileSync(join(worktree, 'tool.json'), settings, { mode: 0o640 });
  const place = {
    worktree,
    home,
    env: { PATH: process.env.PATH ?? '' },
    timeoutMs,
  };
  const command = { argv: ['sh', '-c', script], env: {}, stdoutFile: 'kept/session.json' };
  const ownRewrite = { files: ['tool.json'], isOwn: () => true };
  const agent = { ...commandAgent('talker', ['true']), ownRewrite };
  return {
    file: join(home, 'kept/session.json'),
    worktree,
    ended: runSessionCommand(command, { agent, ...place }),
  };
}

test('P-7: what an export prints is kept, also lines beyond any length', async () => {
  const { file, ended } = run(
    "echo '{'; head -c 9000000 /dev/zero | tr '\\0' x; echo; echo '}'; echo words >&2",
  );
  expect(await ended).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe(`{\n${'x'.repeat(9_000_000)}\n}\n`);
});

test.each([
  ['fails', 'echo half; echo broken >&2; exit 4', 'it ended with 4: broken'],
  ['says nothing', 'true', 'it printed nothing'],
  ['prints without end', 'yes', 'it printed more than can be kept'],
])('P-7: one that %s leaves no file, and says why', async (_, script, problem) => {
  const { file, ended } = run(script);
  expect(await ended).toBe(problem);
  expect(existsSync(file)).toBe(false);
});

test('P-7: one that hangs is ended with all it started', async () => {
  const { file, ended } = run('sleep 1000 & sleep 1000', 200);
  expect(await ended).toBe('it took longer than 0.2 s');
  expect(existsSync(file)).toBe(false);
});

test.each([
  ['rewrites', 'echo changed > tool.json; echo kept'],
  ['replaces by a link', 'ln -sf /etc/passwd tool.json; echo kept'],
  ['deletes, and fails', 'rm tool.json; exit 3'],
])('E-6: settings that the program %s while it moves a conversation are as they were', async (_, script) => {
  const { worktree, ended } = run(script, undefined, '{}\n');
  await ended;
  const file = join(worktree, 'tool.json');
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
  expect(statSync(file).mode & 0o777).toBe(0o640);
});
