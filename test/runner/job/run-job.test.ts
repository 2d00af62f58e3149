import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { commandAgent } from '../../../src/agents/command.ts';
import { defaultConfig } from '../../../src/config/read-config.ts';
import type { AgentEvent } from '../../../src/core/contracts/agent/agent-event.ts';
import type { RunEvent } from '../../../src/core/contracts/run-event.ts';
import { createDesk } from '../../../src/core/decide/desk.ts';
import { briefFor } from '../../../src/core/decide/orders/brief-for.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { createInProcessLink } from '../../../src/link/in-process.ts';
import { openAgentConfig } from '../../../src/runner/agent/agent-config.ts';
import type { Box } from '../../../src/runner/box/box.ts';
import { directBox } from '../../../src/runner/box/direct-box.ts';
import { loadCheckpoint } from '../../../src/runner/checkpoint/checkpoint.ts';
import { checkBoxOf } from '../../../src/runner/job/check-box.ts';
import type { JobOptions, JobProgress, JobSettings } from '../../../src/runner/job/job.ts';
import { stateDirOf } from '../../../src/runner/job/repair-state-dir.ts';
import { runJob } from '../../../src/runner/job/run-job.ts';
import { openWorkspace } from '../../../src/runner/workspace/workspace.ts';
import { openFileStore } from '../../../src/store/file.ts';
import { openFileVault } from '../../../src/store/file-vault.ts';
import { waitFor } from '../supervised-fixture.ts';

const DIRECT: Box = { ...directBox(), why: [] };

/** A run with a real agent, workspace and journal, whose jobs are started one by one. */
async function startRun(
  script: string,
  agent: Agent | null = commandAgent('script', ['./agent.sh']),
  { check = 'test -f done' } = {},
) {
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
    checks: [check],
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
  const progress: JobProgress[] = [];
  /** Printed is not read: a busy machine has time between them. */
  const hasRead = (type: AgentEvent['type'], times = 1) =>
    progress.filter((said) => said.type === 'agent' && said.event.type === type).length >= times;
  const parking = new AbortController();
  /** The job's clock runs ahead of the real one by this much. */
  const clock = { aheadMs: 0, looks: 0 };
  const playJob = async (
    settings: Partial<JobSettings> = {},
    boxes: Partial<Pick<JobOptions, 'box' | 'checkBox'>> = {},
  ) => {
    const { tree, aside, sessions } = loadCheckpoint(runDir);
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
      sessions,
      agentEnv: { PATH: process.env.PATH ?? '' },
      box: DIRECT,
      ...boxes,
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
      now() {
        clock.looks += 1;
        return new Date(Date.now() + clock.aheadMs);
      },
      parking: parking.signal,
      onProgress: (said) => void progress.push(said),
    });
  };
  return { root, worktree, desk, events, progress, clock, hasRead, playJob };
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
  await waitFor('the errors are read', () => run.hasRead('action', 2) && existsSync(join(run.root, 'ready')));
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

test('P-7: a conversation that continues, also in another job, gets what is new; one that begins gets all, and a line per turn', async () => {
  const talking = { ...commandAgent('script', ['./agent.sh']), sessionFiles: () => ['talk'] };
  const run = await startRun(
    `N=$(ls .. | grep -c '^prompt-'); cat > ../prompt-$N; cp "$AUTOBUILD_PROMPT" ../whole-$N
say() { printf '%s\\n' "$1"; }
case $N in
  0) say '{"type":"session","id":"s1"}'; say 'I could print <<<NEED_HELP>>> here.'; sleep 1000 ;;
  1) say working; echo '{"status":"partial","summary":"Began it"}' > "$AUTOBUILD_REPORT" ;;
  2) say '{"type":"ended","ok":false,"reason":"no_session"}'; sleep 1000 ;;
  3) touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT" ;;
esac`,
    talking,
  );
  const job = run.playJob({ jobMs: JOB_MS });
  await waitFor('the words are read', () => run.hasRead('text'));
  run.clock.aheadMs = JOB_MS;
  expect(await job).toBe('handed_over');
  expect(await run.playJob()).toBe('finished');
  const read = (name: string) => readFileSync(join(run.root, name), 'utf8');
  const [first, second, lost, again] = [0, 1, 2, 3].map((at) => read(`prompt-${at}`)) as [
    string,
    string,
    string,
    string,
  ];
  const markOf = (text: string) => /<<<data (\w{16})>>>/.exec(text)?.[1];
  expect(new Set([first, second, lost, again].map(markOf)).size).toBe(1);
  for (const whole of [first, again, read('whole-1'), read('whole-2')]) expect(whole).toContain('Do it.');
  for (const news of [second, lost]) {
    expect(news).toContain('Only what is new is here');
    expect(news).not.toContain('Do it.');
  }
  expect(first).not.toContain('Not read as a call for help');
  expect(second).toContain('A help block appeared in the middle of a line, so nobody was asked.');
  expect(lost).not.toContain('Not read as a call for help');
  expect(second).not.toContain('Before your first change');
  expect(lost).toContain('After the last turn: 0 of 1 checks pass.');
  expect(lost).not.toContain('Began it');
  expect(again).toContain('- turn 1, script: Began it');
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

test.each([1, 2])(
  'K-2: a conversation that is too long is resumed once, and then another one begins in the same turn: %i jobs',
  async (jobs) => {
    const own = commandAgent('script', ['./agent.sh']);
    const agent: Agent = {
      ...own,
      sessionFiles: () => [],
      start(turn) {
        const start = own.start(turn);
        return { ...start, env: { ...start.env, SESSION: turn.session ?? 'new' } };
      },
    };
    const run = await startRun(
      `echo "$SESSION" >> ../sessions
n=$(wc -l < ../sessions)
cat > ../prompt
if [ $n -eq 3 ]; then touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit; fi
echo '{"type":"session","id":"s1"}'
echo '{"type":"ended","ok":false,"reason":"context","message":"prompt is too long"}'`,
      agent,
    );
    if (jobs > 1) expect(await run.playJob({ jobMs: 1, tickMs: JOB_MS })).toBe('handed_over');
    expect(await run.playJob()).toBe('finished');
    expect(readFileSync(join(run.root, 'sessions'), 'utf8')).toBe('new\ns1\nnew\n');
    const prompt = readFileSync(join(run.root, 'prompt'), 'utf8');
    expect(prompt).toContain('## The task');
    expect(prompt).toContain('## Earlier turns');
    const turns = run.events.filter((event) => event.type === 'turn_ended');
    expect(turns).toHaveLength(2);
  },
);

test('K-2: after the second refusal the new conversation is told all that the old one knew: task, answers, turns', async () => {
  const talking = { ...commandAgent('script', ['./agent.sh']), sessionFiles: () => ['talk'] };
  const run = await startRun(
    `N=$(ls .. | grep -c '^prompt-'); cat > ../prompt-$N
say() { printf '%s\\n' "$1"; }
case $N in
  0) say '{"type":"session","id":"s1"}'; say working
     echo '{"status":"partial","summary":"Took teal"}' > "$AUTOBUILD_REPORT" ;;
  1|2) say '{"type":"ended","ok":false,"reason":"context","message":"prompt is too long"}' ;;
  3) touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT" ;;
esac`,
    talking,
  );
  const command = { name: 'guide' as const, text: 'use teal' };
  const at = new Date().toISOString();
  await run.desk.handleOnce('r1', { type: 'command', at, command, by: 'ann', via: 'comment' });
  expect(await run.playJob({ holdMs: 0 })).toBe('finished');
  const [told, refused, again, fresh] = [0, 1, 2, 3].map((start) =>
    readFileSync(join(run.root, `prompt-${start}`), 'utf8'),
  );
  for (const known of ['Do it.', 'use teal']) {
    expect(told).toContain(known);
    for (const news of [refused, again]) expect(news).not.toContain(known);
    expect(fresh).toContain(known);
  }
  expect(fresh).toContain('- turn 1, script: Took teal');
  expect(fresh).not.toContain('Only what is new is here');
  const text = expect.stringMatching(/too long for its model, twice in a row\. It starts a new one/);
  expect(run.progress).toContainEqual({ type: 'problem', text });
});

test('E-7: a limited provider is left alone before the next turn, also of another job, and nobody is asked', async () => {
  const run = await startRun(`echo x >> ../starts
if [ $(wc -l < ../starts) -eq 2 ]; then touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; exit; fi
sleep 0.1; echo '{"type":"ended","ok":false,"reason":"rate_limit","message":"slow down","retry_after_s":120}'`);
  const starts = () => readFileSync(join(run.root, 'starts'), 'utf8');
  expect(await run.playJob({ jobMs: 1, tickMs: JOB_MS })).toBe('handed_over');
  const job = run.playJob({ tickMs: 5 });
  const seen = run.clock.looks;
  await waitFor('ten looks at the clock', () => run.clock.looks > seen + 10);
  expect(starts()).toBe('x\n');
  run.clock.aheadMs = 120_000;
  expect(await job).toBe('finished');
  expect(starts()).toBe('x\nx\n');
  expect(run.events.filter(({ type }) => type === 'escalation_raised')).toEqual([]);
  const text = 'The model provider of script limits its requests. The next turn starts in 120 s.';
  expect(run.progress).toContainEqual({ type: 'problem', text });
});

test.each(['box', 'host'] as const)(
  'S-4: with `check_isolation: %s` the checks run there, and the agent in its box',
  async (where) => {
    const run = await startRun(
      `echo "$IN_BOX" > ../agent-saw; touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"`,
      undefined,
      { check: 'echo "$IN_BOX" > ../check-saw; test -f done' },
    );
    const box: Box = {
      ...DIRECT,
      enter: (program) => DIRECT.enter({ ...program, env: { ...program.env, IN_BOX: 'yes' } }),
    };
    expect(await run.playJob({}, { box, checkBox: checkBoxOf(box, where) })).toBe('finished');
    const saw = (who: string) => readFileSync(join(run.root, `${who}-saw`), 'utf8').trim();
    expect([saw('agent'), saw('check')]).toEqual(['yes', where === 'box' ? 'yes' : '']);
    const warned = run.progress.filter((said) => said.type === 'problem' && said.text.includes('outside'));
    expect(warned).toHaveLength(where === 'box' ? 0 : 1);
  },
);

test('G-10: the lines of a turn are those that it changed, also where an earlier turn had changed them', async () => {
  const run = await startRun(`n=$(cat ../n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ../n
printf "first\\nvalue $n\\n" > one.txt
if [ $n -eq 1 ]; then printf '1\\n2\\n3\\n' > gone.txt; else rm -f gone.txt; fi
if [ $n -lt 3 ]; then echo '{"status":"partial"}' > "$AUTOBUILD_REPORT"; exit; fi
touch done; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"`);
  expect(await run.playJob()).toBe('finished');
  const lines = run.events
    .filter((event) => event.type === 'turn_ended')
    .map(({ record }) => [record.turn_added, record.turn_removed]);
  expect(lines).toEqual([
    [5, 0],
    [1, 4],
    [1, 1],
  ]);
});
