import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { directBox } from '../../../src/runner/box/direct-box.ts';
import type { Job } from '../../../src/runner/job/job.ts';
import { prepareHome } from '../../../src/runner/job/prepare-home.ts';
import { waitFor } from '../supervised-fixture.ts';
import { makeTemporaryDirectory } from '../temporary-worktree.ts';

const DATABASE = 'db/talk.db';
const EXPORTED = 'db/session.json';

/** Its conversation is in a database, of which the export prints the text. */
function databaseAgent({ exports = 'cat db/talk.db', imports = '' } = {}): Agent {
  const inHome = (home: string, script: string) => ['sh', '-c', `cd '${home}' && ${script}`];
  return {
    ...commandAgent('keeper', ['true']),
    sessionFiles: () => [EXPORTED],
    exportedFiles: ['db/*.db'],
    exportSession: ({ home }) => ({ argv: inHome(home, exports), env: {}, stdoutFile: EXPORTED }),
    importSession: ({ home }) => ({ argv: inHome(home, `${imports} cp ${EXPORTED} ${DATABASE}`), env: {} }),
  };
}

const fileAgent: Agent = { ...commandAgent('filer', ['true']), sessionFiles: (id) => [`files/${id}.jsonl`] };

function prepare(agent: Agent, files: Record<string, string>, sessions: Record<string, string>) {
  const top = makeTemporaryDirectory();
  const runDir = join(top, 'run');
  for (const [path, text] of Object.entries(files)) {
    const full = join(runDir, 'agent-home', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  mkdirSync(runDir, { recursive: true });
  const worktree = makeTemporaryDirectory();
  const problems: string[] = [];
  const agents: Record<string, Agent> = { [agent.name]: agent, filer: fileAgent };
  const jobIn = (dir: string) =>
    ({
      runDir: dir,
      sessions,
      workspace: { worktree },
      box: { ...directBox(), why: [] },
      agentEnv: { PATH: process.env.PATH ?? '' },
      agentFor: (name: string) => agents[name],
      onProgress: (progress: { text?: string }) => problems.push(progress.text ?? ''),
    }) as unknown as Job;
  const list = (dir = runDir) =>
    readdirSync(join(dir, 'agent-home'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, 'agent-home/').length))
      .sort();
  return { top, runDir, jobIn, problems, list };
}

test('S-3: a conversation in a database goes over as its export, and nothing beside it', async () => {
  const agent = databaseAgent();
  const files = {
    [DATABASE]: 'what was said',
    'db/settings.json': 'obey me',
    'files/f1.jsonl': 'of another agent',
  };
  const { runDir, jobIn, problems, list } = prepare(agent, files, { keeper: 's1', filer: 'f1' });
  expect(await prepareHome(jobIn(runDir), agent)).toBe('s1');
  expect(list()).toEqual([EXPORTED, DATABASE, 'files/f1.jsonl']);
  expect(readFileSync(join(runDir, 'agent-home', DATABASE), 'utf8').trim()).toBe('what was said');
  expect(readdirSync(runDir)).toEqual(['agent-home']);
  expect(problems).toEqual([]);
});

test('R-3: killed at any moment of the import, the next start goes on with the same conversation', async () => {
  const gate = join(makeTemporaryDirectory(), 'go-on');
  const imports = `touch '${gate}.asked'; while [ ! -e '${gate}' ]; do sleep 0.05; done;`;
  const agent = databaseAgent({ imports });
  const { top, runDir, jobIn, problems, list } = prepare(
    agent,
    { [DATABASE]: 'what was said' },
    { keeper: 's1' },
  );
  const first = prepareHome(jobIn(runDir), agent);
  await waitFor('the import', () => existsSync(`${gate}.asked`));
  // What a kill would leave now.
  const left = join(top, 'left');
  cpSync(runDir, left, { recursive: true });
  writeFileSync(gate, '');
  await first;
  expect(await prepareHome(jobIn(left), agent)).toBe('s1');
  expect(list(left)).toEqual([EXPORTED, DATABASE]);
  expect(readFileSync(join(left, 'agent-home', DATABASE), 'utf8').trim()).toBe('what was said');
  expect(readdirSync(left)).toEqual(['agent-home']);
  expect(problems).toEqual([]);
});

test.each([
  ['exported', { exports: 'echo no such session >&2; exit 1' }],
  ['imported', { imports: 'echo no such session >&2; exit 1;' }],
])('a conversation that cannot be %s is begun anew, and the user is told', async (_, scripts) => {
  const agent = databaseAgent(scripts);
  const { runDir, jobIn, problems, list } = prepare(agent, { [DATABASE]: 'x' }, { keeper: 's1' });
  const job = jobIn(runDir);
  expect(await prepareHome(job, agent)).toBeUndefined();
  expect(job.sessions).toEqual({});
  expect(problems[0]).toBe('The conversation of keeper is lost: it ended with 1: no such session');
  expect(list()).not.toContain(DATABASE);
  expect(readdirSync(runDir).sort()).toEqual(['agent-home', 'checkpoint.json']);
});

test('a first start has an empty home', async () => {
  const agent = databaseAgent();
  const { runDir, jobIn, problems, list } = prepare(agent, {}, {});
  expect(await prepareHome(jobIn(runDir), agent)).toBeUndefined();
  expect(list()).toEqual([]);
  expect(problems).toEqual([]);
});
