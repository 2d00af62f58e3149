import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CliResult, ofType } from '../e2e/cli-run.ts';
import { isAlive, until } from '../e2e/processes.ts';
import { killHard } from '../e2e/resumed-run.ts';
import { type AgentRun, prepareRun, type RunCase, type Said } from './run-case.ts';

const PATIENCE_MS = 60_000;

const help = (key: string) =>
  `I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: looked for the ${key} everywhere\nwhat_i_need: the ${key}\ninputs:\n  - key: ${key}\n    label: The ${key}\n<<<END_HELP>>>\n`;
const REPORT = `printf '{"status":"implemented","summary":"all of it"}' > "$AUTOBUILD_REPORT"`;
const FINISH: Said = { text: 'I finish.', run: `echo done > done.txt; ${REPORT}` };
const DONE: Said = { text: 'All done.' };
const FAIL: Said = {
  text: 'I try.',
  run: `echo 'TypeError: undefined is not a function' >&2; exit 1`,
};

/** The same stories for every agent: its real CLI under the real command line, with a scripted model behind it. */
export function testRuns(agent: RunCase): void {
  describe(`autobuild run --agent ${agent.name}`, () => {
    test('P-7: helped while it runs, and again after a park: the same conversation to the end', () =>
      helpedTwice(agent));
    test('E-5, E-6: the file too many and the one out of scope are held; what the shell wrote is put back', () =>
      stayingWithin(agent));
    test('E-1, R-3: the same error three times, guidance, kill -9 in the middle, resumed to the end', () =>
      failingThrice(agent));
    test('K-2, E-7: an API error is overcome by itself, a refused key is asked about at once', () =>
      refusedByProvider(agent));
  });
}

async function helpedTwice(agent: RunCase): Promise<void> {
  const run = await prepareRun(agent, [
    { text: help('colour') },
    { text: 'I took it in.', run: 'cp "$AUTOBUILD_INPUTS" ../colour.json; env > ../agent-env' },
    { text: help('size') },
    { text: 'Thanks.', run: `cp "$AUTOBUILD_INPUTS" ../size.json; echo done > done.txt; ${REPORT}` },
    DONE,
  ]);
  const parked = await run.run({ answers: ['/provide colour=teal'] });
  expect(parked.code, parked.stderr).toBe(2);
  expect(guardsOf(parked)).toEqual([['need_help'], ['need_help']]);
  expect(parked.escalations[0]).toMatchObject({ what_i_need: 'the colour', inputs: [{ key: 'colour' }] });
  // Some tell a tool before the words that came with it.
  expect(ofType(parked.events, 'answer_acknowledged')).toMatchObject([
    { text: expect.stringMatching(/I took it in|colour\.json/) },
  ]);
  expect(run.scratch.read('../colour.json')).toContain('teal');
  expect(run.scratch.read('../agent-env')).not.toContain('not-for-agents');
  const session = sessionOf(run);

  const done = await run.resume('/provide size=42');
  expectDone(done, run);
  expect(run.scratch.read('../size.json')).toContain('42');
  expect(ofType(done.events, 'answer_acknowledged')).toMatchObject([
    { text: expect.stringMatching(/Thanks|size\.json/) },
  ]);
  expect(sessionOf(run)).toBe(session);
  const history = run.model.lastRequest();
  for (const earlier of ['the colour', 'I took it in.', 'the size', 'Thanks.'])
    expect(history).toContain(earlier);
  const usage = ofType(done.events, 'turn_ended').at(-1)?.usage;
  expect(usage).toMatchObject({
    input_tokens: 5 * agent.tokens.input,
    output_tokens: 5 * agent.tokens.output,
    cost_usd: agent.tellsCost ? expect.any(Number) : null,
  });
  expect(done.stderr).toMatch(/\btokens\b/);
}

async function stayingWithin(agent: RunCase): Promise<void> {
  const run = await prepareRun(
    agent,
    [
      { write: 'src/a.txt' },
      { write: 'src/b.txt' },
      { text: 'One more.', write: 'src/c.txt' },
      { text: 'And elsewhere.', write: 'docs/d.txt' },
      // Nothing asks before a command: the watch has this long to see what it wrote.
      { text: 'By the shell.', run: 'mkdir -p build && echo x > build/e.txt && sleep 4' },
      FINISH,
      FINISH,
      DONE,
      DONE,
    ],
    {
      guards: '  files_modified_exceeds: 2\n',
      task: '# Write files\n\nAll of them.\n\n## Scope\n\n- src/**\n- done.txt\n',
    },
  );
  const { scratch } = run;
  const cli = run.startAtTerminal();
  await cli.saw('agent_frozen');
  expect(scratch.exists('src/b.txt')).toBe(true);
  expect(scratch.exists('src/c.txt')).toBe(false);
  cli.type('/approve files=10');
  await cli.saw('agent_frozen', 2);
  expect(scratch.exists('src/c.txt')).toBe(true);
  expect(scratch.exists('docs/d.txt')).toBe(false);
  cli.type('/approve');
  await cli.saw('agent_frozen', 3);
  expect(scratch.exists('docs/d.txt')).toBe(true);
  expect(scratch.exists('build/e.txt')).toBe(false);
  cli.type('/guide Leave the build alone');
  const done = await cli.ended;
  expectDone(done, run);
  expect(guardsOf(done)).toEqual([
    ['files_modified_exceeds'],
    ['spec_deviation_detected'],
    ['spec_deviation_detected'],
  ]);
  expect(done.escalations.map(({ triggers }) => triggers[0]?.evidence.proposed)).toMatchObject([
    [{ path: 'src/c.txt', held: true, why: 'file_limit' }],
    [{ path: 'docs/d.txt', held: true, why: 'out_of_scope' }],
    [{ path: 'build/e.txt', held: false, why: 'out_of_scope' }],
  ]);
  expect(scratch.exists('build/e.txt')).toBe(false);
  expect(run.model.lastRequest()).toContain('Leave the build alone');
}

async function failingThrice(agent: RunCase): Promise<void> {
  const run = await prepareRun(
    agent,
    [
      FAIL,
      FAIL,
      FAIL,
      // Stopped somewhere in these words: in the history or not, what follows is the same.
      { text: 'I wonder what to do about it, aloud and at some length. '.repeat(3), slowly: 60 },
      { text: 'I go on.', run: 'echo half > half.txt; sleep 600' },
      { text: 'I go on.', run: 'echo half > half.txt; sleep 600' },
      FINISH,
      FINISH,
      DONE,
      DONE,
    ],
    { guards: '  same_error_repeated: 3\n' },
  );
  const { scratch } = run;
  const cli = run.start({ answers: ['/guide Mind the type'] });
  await until('the agent goes on', () => scratch.exists('half.txt'), PATIENCE_MS);
  expect(run.model.lastRequest()).toContain('Mind the type');
  const session = sessionOf(run);
  const orphans = scratch.agentProcesses();
  expect(orphans.length).toBeGreaterThan(0);
  await killHard(cli);
  // From here on the model has nothing left to wait for.
  run.model.script.splice(4, 2, FINISH, FINISH);

  const done = await run.resume();
  expectDone(done, run);
  expect(orphans.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(sessionOf(run)).toBe(session);
  expect(run.model.lastRequest()).toContain('Mind the type');
  const events = scratch.journalled();
  const raised = ofType(events, 'escalation_raised').map(({ escalation }) => escalation);
  expect(raised.map(({ triggers }) => triggers.map(({ guard }) => guard))).toEqual([['same_error_repeated']]);
  expect(raised[0]?.triggers[0]?.evidence.occurrences).toHaveLength(3);
  expect(ofType(events, 'answer_acknowledged')).not.toEqual([]);
}

async function refusedByProvider(agent: RunCase): Promise<void> {
  const run = await prepareRun(agent, [{ refuse: agent.badRequest }]);
  const cli = run.start();
  await cli.saw('turn_started', 2);
  // Some keep the failure in the conversation, as an answer of the model.
  run.model.script.splice(0, 1, { refuse: agent.badKey }, { refuse: agent.badKey });
  const parked = await cli.ended;
  expect(parked.code, parked.stderr).toBe(2);
  // The API error cost a turn and no question; the refused key was asked about before any check ran.
  expect(ofType(parked.events, 'turn_ended')).toMatchObject([
    { record: { exit: expect.stringContaining(agent.badRequest.message) } },
  ]);
  expect(guardsOf(parked)).toEqual([['external_blocker']]);
  expect(JSON.stringify(parked.escalations[0]?.triggers[0]?.evidence)).toContain(agent.badKeyTold);

  run.model.script.splice(0, 2, FINISH, FINISH, DONE, DONE);
  expectDone(await run.resume('/retry'), run);
}

function expectDone(done: CliResult, { scratch }: AgentRun): void {
  expect(done.code, done.stderr).toBe(0);
  expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
  expect(existsSync(join(scratch.worktree, 'done.txt'))).toBe(true);
  expect(scratch.agentProcesses()).toEqual([]);
}

function guardsOf({ escalations }: CliResult): string[][] {
  return escalations.map(({ triggers }) => triggers.map(({ guard }) => guard));
}

/** The conversation the next start goes on with. */
function sessionOf({ scratch }: AgentRun): string {
  const { sessions } = JSON.parse(scratch.read(`../home/runs/${scratch.runs()[0]}/checkpoint.json`)) as {
    sessions: Record<string, string>;
  };
  const [session = ''] = Object.values(sessions);
  return session;
}
