import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentScript, createScratch } from './cli-run.ts';

const written = (worktree: string, begins: string) =>
  readdirSync(worktree).filter((name) => name.startsWith(begins));

test('E-5: an agent without a gate that goes on writing keeps exactly the files it may have', async () => {
  const scratch = createScratch();
  scratch.write('.github/autobuild.yml', 'guards:\n  files_modified_exceeds: 10\n');
  const agent = agentScript('for i in $(seq 1 40); do echo $i > f$i; sleep 0.05; done; sleep 20');
  scratch.write('agent.sh', agent, 0o755);
  const done = await scratch.run([
    'run',
    'TASK.md',
    '--json',
    '--verify',
    'test -f done',
    '--',
    './agent.sh',
  ]);
  const [asked] = done.escalations;
  expect(asked?.headline, done.stderr).toContain('10 of 10 files changed');
  expect(written(scratch.worktree, 'f')).toHaveLength(10);
  expect(written(scratch.worktree, 'f').sort()).toEqual(
    Array.from({ length: 10 }, (_, index) => `f${index + 1}`).sort(),
  );
});

test('E-6: nothing outside the scope stays, however fast it was written', async () => {
  const scratch = createScratch();
  scratch.write('TASK.md', '# Fix it\n\n## Scope\n\n- src/**\n');
  const agent = agentScript('for i in $(seq 1 60); do echo $i > out$i; sleep 0.03; done; sleep 20');
  scratch.write('agent.sh', agent, 0o755);
  const done = await scratch.run([
    'run',
    'TASK.md',
    '--json',
    '--verify',
    'test -f done',
    '--',
    './agent.sh',
  ]);
  expect(done.escalations[0]?.type, done.stderr).toBe('scope_drift');
  expect(written(scratch.worktree, 'out')).toEqual([]);
});
