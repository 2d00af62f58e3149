import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { agentScript, createScratch, FINISH } from './cli-run.ts';

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

test('E-6: what is put back with the last word of the agent is asked about before the run is done', async () => {
  const scratch = createScratch();
  scratch.write('TASK.md', '# Fix it\n\n## Scope\n\n- src/**\n- done\n');
  const write = 'mkdir -p docs && echo x > docs/guide.md';
  scratch.write('agent.sh', agentScript(`[ "$TURN" = 1 ] && ${write}; ${FINISH}`), 0o755);
  const args = ['run', 'TASK.md', '--json', '--verify', 'test -f done', '--answer', '/approve'];
  const done = await scratch.run([...args, '--', './agent.sh']);
  expect(done.code, done.stderr).toBe(0);
  expect(done.escalations).toMatchObject([
    { type: 'scope_drift', triggers: [{ evidence: { proposed: [{ path: 'docs/guide.md', held: false }] } }] },
  ]);
  expect(scratch.read('docs/guide.md')).toBe('x\n');
});
