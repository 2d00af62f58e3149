import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createScratch, FINISH, prepare, runArgs, type Scratch } from './cli-run.ts';

const AUTHOR = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org'];

function git({ worktree }: Scratch, ...args: string[]): string {
  return execFileSync('git', [...AUTHOR, ...args], { cwd: worktree, encoding: 'utf8' });
}

function commitAll(scratch: Scratch): void {
  git(scratch, 'init', '-q');
  git(scratch, 'add', '-A');
  git(scratch, 'commit', '-qm', 'first');
}

test('T-4: diff and undo go back to the files before the run; what was edited since is not lost', async () => {
  const scratch = createScratch();
  scratch.write('kept.txt', 'committed\n');
  scratch.write('gone.txt', 'to be deleted\n');
  prepare(scratch, `echo agent > kept.txt; rm gone.txt; mkdir -p new; echo agent > new/file.txt; ${FINISH}`);
  commitAll(scratch);
  // Not committed, and the run's beginning: undo restores this, not the commit.
  scratch.write('kept.txt', 'mine\n');
  const done = await scratch.run(runArgs({ verify: 'echo x > checked.txt; test -f done' }));
  expect(done.code, done.stderr).toBe(0);
  const [run = ''] = scratch.runs();
  expect(done.stderr).toContain(`Look:  autobuild diff ${run}     Undo:  autobuild undo ${run}`);
  expect(done.stderr).toMatch(/git: {3}2 changed, \d new, not committed/);

  const diff = await scratch.run(['diff']);
  expect(diff.stdout).toContain('-mine\n+agent\n');
  expect(diff.stdout).toContain('+++ b/new/file.txt');
  expect(diff.stdout).not.toContain('committed');

  scratch.write('kept.txt', 'edited since\n');
  const refused = await scratch.run(['undo', run]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('1 file was changed after the run: kept.txt');
  expect(refused.stderr).toContain(`autobuild undo ${run} --force`);
  expect(scratch.exists('new/file.txt')).toBe(true);

  const undone = await scratch.run(['undo', run, '--force']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(git(scratch, 'status', '--porcelain')).toBe(' M kept.txt\n');
  expect(scratch.read('kept.txt')).toBe('mine\n');
  const kept = /A copy of what was there is in (.+)/.exec(undone.stdout)?.[1] ?? '';
  const status = await scratch.run(['status', run]);
  expect(status.stdout).toContain(`  undone since; a copy of what was there is in ${kept}\n`);
  expect(scratch.filesWith('edited since').every((file) => file.startsWith(kept))).toBe(true);
});

test('T-4: undo ends a run that waits only if there is something to undo, and says so', async () => {
  const scratch = createScratch();
  prepare(scratch, '[ "$TURN" = 1 ] || { echo agent > kept.txt; echo agent > new.txt; }');
  scratch.write('kept.txt', 'committed\n');
  commitAll(scratch);
  const waiting = await scratch.run(runArgs({ more: ['--max-turns', '1'] }));
  expect(waiting.code, waiting.stderr).toBe(2);
  const [run = ''] = scratch.runs();
  const before = scratch.journal();
  const nothing = await scratch.run(['undo']);
  expect(nothing).toMatchObject({
    code: 0,
    stdout: 'Nothing to undo: the run changed no file that is still different.\n',
  });
  expect(scratch.journal()).toBe(before);

  const resumed = await scratch.run(['resume', '--answer', '/continue +1']);
  expect(resumed.code, resumed.stderr).toBe(2);
  const undone = await scratch.run(['undo']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stdout).toContain(
    `✓ Undone: 2 of 2 files are back as they were before run ${run}\n  kept.txt, new.txt\n  Run ${run} is cancelled.\n`,
  );
  expect((await scratch.run(['status', run])).stdout).toContain('Cancelled by');
  const again = await scratch.run(['undo']);
  expect(again.stdout).not.toContain('is cancelled');
});

test('T-4: undo removes pipes that the run made, leaves those from before alone, and asks about later ones', async () => {
  const scratch = createScratch();
  const at = (path: string) => join(scratch.worktree, path);
  scratch.write('gone.txt', 'before\n');
  prepare(
    scratch,
    `rm gone.txt; mkfifo gone.txt pipe; mkdir -p new; mkfifo new/pipe hidden; echo hidden > .gitignore; ${FINISH}`,
  );
  commitAll(scratch);
  execFileSync('mkfifo', [at('before')]);
  const done = await scratch.run(runArgs());
  expect(done.code, done.stderr).toBe(0);
  execFileSync('mkfifo', [at('later')]);
  const refused = await scratch.run(['undo']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('1 file was changed after the run: later');
  rmSync(at('later'));
  const undone = await scratch.run(['undo']);
  expect(undone.code, undone.stderr).toBe(0);
  // The file and .gitignore, what the agent finished with, and three pipes.
  expect(undone.stdout).toMatch(/✓ Undone: (\d+) of \1 files/);
  expect(readdirSync(scratch.worktree).filter((name) => name !== '.git')).toEqual(
    expect.not.arrayContaining(['pipe', 'new', 'hidden', 'later']),
  );
  expect(lstatSync(at('before')).isFIFO()).toBe(true);
  expect(scratch.read('gone.txt')).toBe('before\n');
  expect(git(scratch, 'status', '--porcelain')).toBe('');
});

test('T-4: a pipe is all that a run made: undo removes it, and names one that it cannot remove', async () => {
  const scratch = createScratch();
  const at = (path: string) => join(scratch.worktree, path);
  // Node cannot name the second one.
  prepare(scratch, `mkfifo pipe "$(printf 'odd\\377')"; ${FINISH}`);
  commitAll(scratch);
  const done = await scratch.run(runArgs());
  expect(done.code, done.stderr).toBe(0);
  rmSync(at('done'));
  const undone = await scratch.run(['undo']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stdout).toContain('✓ Undone: 1 of 2 files');
  expect(undone.stdout).toContain('✗ odd\uFFFD: it could not be removed');
  expect(scratch.exists('pipe')).toBe(false);
  execFileSync('sh', ['-c', 'rm odd*'], { cwd: scratch.worktree });
  expect((await scratch.run(['undo'])).stdout).toContain('Nothing to undo');
});

test('T-3: with uncommitted changes nothing starts; in a worktree of its own the agent leaves them alone', async () => {
  const scratch = createScratch();
  prepare(scratch, `cp agent.sh ../seen; ${FINISH}`);
  commitAll(scratch);
  scratch.write('agent.sh', `${scratch.read('agent.sh')}# mine\n`, 0o755);
  const args = runArgs().filter((arg) => arg !== '--dirty');
  const refused = await scratch.run(args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('1 file has uncommitted changes: agent.sh');
  expect(scratch.runs()).toEqual([]);
  const done = await scratch.run([...args.slice(0, 2), '--worktree', ...args.slice(2)]);
  expect(done.code, done.stderr).toBe(0);
  const [run = ''] = scratch.runs();
  const branch = `autobuild/task-${run}`;
  expect(done.stderr).toContain(`branch ${branch}`);
  expect(git(scratch, 'branch', '--list', branch)).toContain(branch);
  expect(git(scratch, 'status', '--porcelain')).toBe(' M agent.sh\n');
  const worktree = join(scratch.home, 'worktrees', run);
  expect(readFileSync(join(worktree, 'done'), 'utf8')).toBe('');
  expect(readFileSync(join(scratch.home, 'worktrees/seen'), 'utf8')).not.toContain('# mine');
  // The run is found from the repository it was started in.
  const status = await scratch.run(['status']);
  expect(status.stdout).toContain(worktree);
  const undone = await scratch.run(['undo']);
  expect(undone.stdout).toContain(`worktree remove --force ${worktree}`);
  expect(git(scratch, '-C', worktree, 'status', '--porcelain')).toBe('');
});

test('T-3: the line that the refusal offers works when it is pasted, also with an agent that is not committed', async () => {
  const scratch = createScratch();
  prepare(scratch, FINISH);
  git(scratch, 'init', '-q');
  git(scratch, 'add', 'TASK.md', '.github');
  git(scratch, 'commit', '-qm', 'first');
  const refused = await scratch.run(runArgs().filter((arg) => arg !== '--dirty' && arg !== '--json'));
  expect(refused.code).toBe(1);
  const line = /^ +(autobuild run .*)$/m.exec(refused.stderr)?.[1] ?? '';
  const env = {
    ...process.env,
    PATH: `${scratch.root}/bin:${process.env.PATH}`,
    AUTOBUILD_HOME: scratch.home,
  };
  const said = execFileSync('sh', ['-c', line], { cwd: scratch.worktree, encoding: 'utf8', env });
  expect(said).toContain('✓ Done');
  expect(git(scratch, 'status', '--porcelain')).toBe('?? agent.sh\n');
});

test('T-4: the patch of a run is whole: what it changed in a worktree is taken over by the line at its end', async () => {
  const scratch = createScratch();
  scratch.write('kept.bin', '\0one\n');
  scratch.write('latin.txt', 'x\n');
  prepare(
    scratch,
    `printf '\\000two' > kept.bin; printf '\\001\\000' > new.bin; printf 'gr\\374n\\n' > latin.txt; mkfifo pipe; ${FINISH}`,
  );
  commitAll(scratch);
  const done = await scratch.run([
    ...['run', 'TASK.md', '--worktree', '--json', '--verify', 'test -f done'],
    ...['--', './agent.sh'],
  ]);
  expect(done.code, done.stderr).toBe(0);
  const line = /^ +Take: +(.*)$/m.exec(done.stderr)?.[1] ?? '';
  const [run = ''] = scratch.runs();
  expect(line).toBe(`autobuild diff ${run} | git -C ${scratch.worktree} apply`);
  const env = {
    ...process.env,
    PATH: `${scratch.root}/bin:${process.env.PATH}`,
    AUTOBUILD_HOME: scratch.home,
  };
  execFileSync('sh', ['-c', line], { cwd: scratch.root, encoding: 'utf8', env });
  for (const path of ['kept.bin', 'new.bin', 'latin.txt', 'done'])
    expect(readFileSync(join(scratch.worktree, path)), path).toEqual(
      readFileSync(join(scratch.home, 'worktrees', run, path)),
    );
  expect(scratch.exists('pipe')).toBe(false);
});

test('T-5: in a subdirectory the whole repository is watched, and --directory names the part of the task', async () => {
  const scratch = createScratch();
  scratch.write('packages/a/package.json', '{}');
  prepare(scratch, `echo outside > outside.txt; cd packages/a; touch done; report implemented finished`);
  commitAll(scratch);
  const parked = await scratch.run([
    'run',
    'TASK.md',
    ...['--directory', 'packages/a', '--dirty', '--json', '--verify', 'test -f done', '--', '../../agent.sh'],
  ]);
  expect(parked.code, parked.stderr).toBe(2);
  expect(parked.escalations[0]?.triggers.map(({ guard }) => guard)).toContain('spec_deviation_detected');
  expect(parked.escalations[0]?.triggers[0]?.evidence.proposed).toMatchObject([{ path: 'outside.txt' }]);
});

test('T-4: question, status and end name where the copy of a reverted edit is', async () => {
  const scratch = createScratch();
  prepare(scratch, `echo mine > outside.txt; ${FINISH}`);
  scratch.write('TASK.md', '# Stay inside\n\n## Scope\n\n- `done`\n');
  commitAll(scratch);
  const parked = await scratch.run(runArgs());
  expect(parked.code, parked.stderr).toBe(2);
  const place =
    /outside\.txt {2}\(reverted and saved\)\n *(?:│ *)?saved in (\S+)/.exec(parked.stderr)?.[1] ?? '';
  expect(readFileSync(place, 'utf8')).toBe('mine\n');
  expect((await scratch.run(['status'])).stdout).toContain(`  reverted: outside.txt, saved in ${place}\n`);
  const ended = await scratch.run(['resume', '--answer', '/cancel']);
  expect(ended.stdout).toContain(`reverted, not included: outside.txt\n    saved in ${place}\n`);
});
