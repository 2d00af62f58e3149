import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { defaultConfig } from '../../../src/config/read-config.ts';
import type { RunEvent } from '../../../src/core/contracts/run-event.ts';
import { createDesk } from '../../../src/core/decide/desk.ts';
import { briefFor } from '../../../src/core/decide/orders/brief-for.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { createInProcessLink } from '../../../src/link/in-process.ts';
import { openAgentConfig } from '../../../src/runner/agent/agent-config.ts';
import { loadCheckpoint } from '../../../src/runner/checkpoint/checkpoint.ts';
import type { JobSettings } from '../../../src/runner/job/job.ts';
import { stateDirOf } from '../../../src/runner/job/repair-state-dir.ts';
import { runJob } from '../../../src/runner/job/run-job.ts';
import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';
import { openFileStore } from '../../../src/store/file.ts';
import { openFileVault } from '../../../src/store/file-vault.ts';
import { waitFor } from '../supervised-fixture.ts';

/** A run with a real agent, workspace and journal, whose jobs are started one by one. */
async function startRun(script: string, agent: Agent | null = commandAgent('script', ['./agent.sh'])) {
  const root = mkdtempSync(join(tmpdir(), 'autobuild-job-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const worktree = join(root, 'repo');
  const runDir = join(root, 'run');
  mkdirSync(worktree);
  mkdirSync(runDir);
  writeFileSync(join(worktree, 'agent.sh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(worktree, 'agent.sh'), 0o755);
  const events: RunEvent[] = [];
  const store = openFileStore(runDir);
  onTestFinished(() => store.close());
  const desk = createDesk({
    store,
    rules: RULES,
    onEvents: (fresh) => {
      events.push(...fresh);
      link.changed();
    },
    perform: async () => undefined,
  });
  const link = createInProcessLink(desk, 'r1', openFileVault(runDir));
  const at = new Date().toISOString();
  await desk.handleOnce('r1', {
    type: 'request',
    at,
    run: 'r1',
    task: { id: 'task', title: 'A task', body: 'Do it.', acceptance_criteria: [], source: 'task.md' },
    agent: 'script',
    agents: ['script'],
    checks: ['test -f done'],
    limits: defaultConfig().guards,
    known_errors: [],
    reminders: { every_ms: 1e9, high_every_ms: 1e9 },
    requested_by: 'tester',
  });
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(runDir, 'git'),
    stateDir: '.autobuild',
    path: process.env.PATH,
  });
  const agentConfig = await openAgentConfig(workspace, join(runDir, 'agent-config'));
  const parking = new AbortController();
  /** The job's clock runs ahead of the real one by this much. */
  const clock = { aheadMs: 0 };
  const playJob = async (settings: Partial<JobSettings> = {}) => {
    const { tree, aside } = loadCheckpoint(runDir);
    return runJob({
      brief: briefFor(await desk.state('r1')),
      link,
      workspace,
      stateDir: stateDirOf(worktree, '.autobuild', 'task'),
      runDir,
      aside,
      agentConfig,
      lastTree: tree,
      agentFor: () => agent ?? undefined,
      agentEnv: { PATH: process.env.PATH ?? '' },
      checkEnv: { PATH: process.env.PATH ?? '' },
      settings: {
        holdMs: Number.POSITIVE_INFINITY,
        turnMs: 1_000_000,
        checkMs: 60_000,
        tickMs: 50,
        graceMs: 500,
        junit: [],
        useCgroup: false,
        ...settings,
      },
      now: () => new Date(Date.now() + clock.aheadMs),
      parking: parking.signal,
      onProgress: () => undefined,
    });
  };
  return { root, worktree, desk, events, clock, playJob };
}

const FAILING = `printf '%s\\n' '{"type":"action","kind":"command","command":"npm test","exit_code":1,"output":"Error: no"}'`;

/** Well below the limits of turn and run, which must not come first. */
const JOB_MS = 100_000;

test('K-7: near its time limit a job hands over by itself: same run, counters kept, handoff given', async () => {
  const run =
    await startRun(`if [ -f handoff.md ]; then cp "$AUTOBUILD_CONTEXT" ../successor.json; touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit; fi
${FAILING}; ${FAILING}
echo notes > handoff.md
echo '{"status":"partial","partial_progress":{"handoff_path":"handoff.md"}}' > "$AUTOBUILD_REPORT"
touch ../ready; sleep 1000`);
  const job = run.playJob({ jobMs: JOB_MS });
  await waitFor('the agent is at work', () => existsSync(join(run.root, 'ready')));
  run.clock.aheadMs = JOB_MS;
  expect(await job).toBe('handed_over');
  const handedOver = run.events.filter((event) => event.type === 'job_handed_over');
  expect(handedOver).toMatchObject([{ handoff_path: 'handoff.md' }]);
  const between = await run.desk.state('r1');
  expect(between).toMatchObject({ status: 'building', turn: 1, turn_open: true, jobs: 1, job_live: false });
  expect(briefFor(between)).toMatchObject({ run: 'r1', job: 2, guards: handedOver[0]?.guards });
  expect(JSON.stringify(between.guards.same_error_repeated)).toContain('Error: no');
  expect(between.active_ms).toBeGreaterThanOrEqual(JOB_MS);

  expect(await run.playJob()).toBe('finished');
  const context = JSON.parse(readFileSync(join(run.root, 'successor.json'), 'utf8')) as object;
  expect(context).toMatchObject({ turn: 1, resumed: true, handoff_path: 'handoff.md' });
  const after = await run.desk.state('r1');
  expect(after).toMatchObject({ run: 'r1', status: 'reviewing', jobs: 2 });
  expect(after.active_ms).toBeGreaterThanOrEqual(between.active_ms);
  expect(readFileSync(join(run.worktree, 'handoff.md'), 'utf8')).toBe('notes\n');
});

test('K-7: between two turns it hands over as well, and the successor begins the next turn', async () => {
  const run =
    await startRun(`if [ -f work ]; then touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit; fi
echo 1 > work; echo '{"status":"partial","partial_progress":{"handoff_path":"work"}}' > "$AUTOBUILD_REPORT"; sleep 0.1`);
  expect(await run.playJob({ jobMs: 1, tickMs: JOB_MS })).toBe('handed_over');
  expect(await run.desk.state('r1')).toMatchObject({ turn: 1, turn_open: false, handoff_path: 'work' });
  expect(await run.playJob()).toBe('finished');
  expect(run.events.filter((event) => event.type === 'turn_started')).toMatchObject([
    { turn: 1, resumed: false },
    { turn: 2, resumed: false },
  ]);
});

test('P-2: nobody answers within the hold: the job parks, the question stays open', async () => {
  const run = await startRun(
    `printf '<<<NEED_HELP>>>\\nwhat_i_tried: x\\nwhat_i_need: y\\n<<<END_HELP>>>\\n'; sleep 1000`,
  );
  expect(await run.playJob({ holdMs: 200 })).toBe('parked');
  expect(await run.desk.state('r1')).toMatchObject({
    status: 'waiting_for_input',
    pending: 'e1',
    job_live: false,
  });
  expect(run.events.map(({ type }) => type)).not.toContain('agent_terminated');
});

/** It takes messages on stdin while it runs. */
function hearingAgent(): Agent {
  const deaf = commandAgent('script', ['./agent.sh']);
  return {
    ...deaf,
    start: (turn) => ({ ...deaf.start(turn), keepStdinOpen: true }),
    encodeMessage: (text) => `${text}\n`,
  };
}

test.each([
  ['that hears is told at once, in the middle of its turn', hearingAgent(), 1],
  ['that does not is told with its next turn', undefined, 2],
] as const)('P-7: guidance nobody asked for: an agent %s', async (_, agent, turn) => {
  const run = await startRun(
    `touch ../ready; if grep -q 'use teal' "$AUTOBUILD_PROMPT"; then touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit; fi
until [ -f ../go ]; do sleep 0.05; done
${agent ? `while read -r line; do case "$line" in *'use teal'*) touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit ;; esac; done` : ''}`,
    agent,
  );
  const job = run.playJob();
  await waitFor('the agent is at work', () => existsSync(join(run.root, 'ready')));
  const command = { name: 'guide' as const, text: 'use teal' };
  const at = new Date().toISOString();
  await run.desk.handleOnce('r1', { type: 'command', at, command, by: 'ann', via: 'comment' });
  const delivered = () => run.events.some(({ type }) => type === 'answer_delivered');
  if (agent) await waitFor('the words are delivered', delivered);
  writeFileSync(join(run.root, 'go'), '');
  expect(await job).toBe('finished');
  const told = run.events.filter(({ type }) => type === 'turn_started' || type === 'answer_delivered');
  expect(told.map(({ type }) => type)).toEqual([...Array(turn).fill('turn_started'), 'answer_delivered']);
});

test('E-11: guidance during a turn that turns out to be complete: the agent hears it in one more', async () => {
  const run = await startRun(`touch ../ready; until [ -f ../go ]; do sleep 0.05; done
grep -q 'use teal' "$AUTOBUILD_PROMPT" && touch ../heard
touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"`);
  const job = run.playJob();
  await waitFor('the agent is at work', () => existsSync(join(run.root, 'ready')));
  const command = { name: 'guide' as const, text: 'use teal' };
  const at = new Date().toISOString();
  await run.desk.handleOnce('r1', { type: 'command', at, command, by: 'ann', via: 'comment' });
  writeFileSync(join(run.root, 'go'), '');
  expect(await job).toBe('finished');
  expect(existsSync(join(run.root, 'heard'))).toBe(true);
  expect(await run.desk.state('r1')).toMatchObject({ status: 'reviewing', turn: 2 });
});

test('E-7: a built-in agent without a key is not started: the question names the variables and where they go', async () => {
  const keyed = { ...commandAgent('script', ['./agent.sh']), keys: ['ONE_API_KEY', 'OTHER_API_KEY'] };
  const run = await startRun('touch ../started', keyed);
  expect(await run.playJob({ holdMs: 0 })).toBe('parked');
  const { turns, escalations } = await run.desk.state('r1');
  expect(turns).toHaveLength(1);
  expect(existsSync(join(run.root, 'started'))).toBe(false);
  expect(escalations[0]).toMatchObject({
    type: 'external_blocker',
    question: expect.stringContaining('the key of script (ONE_API_KEY or OTHER_API_KEY) is missing'),
  });
  const errors = escalations[0]?.context.errors.map(({ error }) => error.message).join('\n');
  expect(errors).toMatch(
    /under `env:` of the step that runs Autobuild: ONE_API_KEY: \$\{\{ secrets\.ONE_API_KEY \}\}/,
  );
});

test.each([
  ['whose program is not there', commandAgent('script', ['./nowhere.sh']), /nowhere\.sh does not exist/],
  ['that nobody knows', null, /there is no agent script/],
] as const)('E-7: an agent %s is asked about at once, not tried turn after turn', async (_, agent, why) => {
  const run = await startRun('exit', agent);
  expect(await run.playJob({ holdMs: 0 })).toBe('parked');
  const { status, turns, escalations } = await run.desk.state('r1');
  expect({ status, tried: turns.length }).toEqual({ status: 'waiting_for_input', tried: 1 });
  expect(escalations[0]).toMatchObject({
    type: 'external_blocker',
    priority: 'high',
    triggers: [{ evidence: { blocker: { kind: 'missing_dependency', name: 'the agent script' } } }],
  });
  expect(JSON.stringify(escalations[0]?.context)).toMatch(why);
});
