import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BlockedReport } from '../../src/core/contracts/agent/blocked-report.ts';
import type { RunEvent } from '../../src/core/contracts/run-event.ts';
import type { MeasuredReport } from '../../src/core/measured-report.ts';
import {
  type CliResult,
  createScratch,
  FINISH,
  ofType,
  onlyGuards,
  prepare,
  runArgs,
  type Scratch,
} from './cli-run.ts';
import { isStopped, kill } from './processes.ts';

const SECRET = 'hunter2-correct-horse';
const help = (key: string, secret = false) =>
  `printf '<<<NEED_HELP>>>\\nwhat_i_tried: all of it\\nwhat_i_need: a value\\ninputs: [{key: ${key}, label: ${key}, secret: ${secret}}]\\n<<<END_HELP>>>\\n'`;
const awaitInput = (text: string) => `until grep -q ${text} "$AUTOBUILD_INPUTS"; do sleep 0.05; done`;

function expectDone(done: CliResult, scratch: Scratch): void {
  expect(done.code, done.stderr).toBe(0);
  expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
  expect(scratch.agentProcesses()).toEqual([]);
}

describe('an agent that asks is frozen until it is answered', () => {
  test('P-2: every descendant is stopped while the question is open, a daemon too', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `sleep 1000 & sh -c 'sleep 1000 & wait' & (setsid sh -c 'while :; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &); ${help('colour')}; ${awaitInput('teal')}; ${FINISH}`,
    );
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    const frozen = scratch.agentProcesses();
    expect(frozen.length).toBeGreaterThanOrEqual(5);
    expect(frozen.filter((each) => !isStopped(each))).toEqual([]);
    cli.type('/provide colour=teal');
    const done = await cli.ended;
    expectDone(done, scratch);
    const [event] = ofType(done.events, 'agent_frozen');
    expect(event?.processes).toBe(frozen.length);
  });

  test('E-16: a question is raised first, the agent is frozen once, and the answer comes last', async () => {
    const scratch = createScratch();
    prepare(scratch, `${help('colour')}; ${awaitInput('teal')}; ${FINISH}`);
    const done = await scratch.run(runArgs({ answers: ['/provide colour=teal'] }));
    expectDone(done, scratch);
    // How fast is for the figures `escalation`, `freeze` and `answer` of the benchmarks.
    const steps = ['escalation_raised', 'agent_frozen', 'response_recorded', 'answer_delivered'];
    const seen = done.events.map(({ type }) => type).filter((type) => steps.includes(type));
    expect(seen.toSorted()).toEqual(steps.toSorted());
    expect([seen[0], seen.at(-1)]).toEqual(['escalation_raised', 'answer_delivered']);
  });

  test('E-13: the frozen agent is killed by someone else: the question comes again, linked', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if [ -n "$AUTOBUILD_INPUT_COLOUR" ]; then ${FINISH}; exit; fi; ${help('colour')}; sleep 1000`,
    );
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    for (const { pid } of scratch.agentProcesses()) kill(pid);
    await cli.saw('agent_terminated');
    await cli.saw('escalation_raised', 2);
    cli.type('/provide colour=teal');
    const done = await cli.ended;
    expectDone(done, scratch);
    expect(ofType(done.events, 'agent_terminated')).toMatchObject([
      { escalation: 'e1', reason: 'killed by SIGKILL' },
    ]);
    expect(done.escalations[1]).toMatchObject({ id: 'e2', follows: 'e1', what_i_need: 'a value' });
    expect(ofType(done.events, 'escalation_resolved')).toMatchObject([{ escalation: 'e2' }]);
  });

  test('P-7: the inputs file is where it was said to be, private, and gone after the turn', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if [ $TURN = 1 ]; then echo "$AUTOBUILD_INPUTS" > ../path; ${help('colour')}; ${awaitInput('teal')}; stat -c %a "$AUTOBUILD_INPUTS" > ../mode; report partial x; else echo "$AUTOBUILD_INPUT_COLOUR" > ../later; ${FINISH}; fi`,
    );
    const done = await scratch.run(runArgs({ answers: ['/provide colour=teal'] }));
    expectDone(done, scratch);
    expect(readFileSync(join(scratch.root, 'mode'), 'utf8')).toBe('600\n');
    const path = readFileSync(join(scratch.root, 'path'), 'utf8').trim();
    expect(path).toBe(join(scratch.worktree, '.autobuild/TASK/inputs.json'));
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(join(scratch.root, 'later'), 'utf8')).toBe('teal\n');
    // The same agent went on: its turn was not started anew.
    expect(ofType(done.events, 'turn_started').map(({ turn }) => turn)).toEqual([1, 2]);
  });

  test('P-7: /override ends the frozen turn, and the turn starts anew with it', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if grep -q 'Paint it black' "$AUTOBUILD_PROMPT"; then ${FINISH}; exit; fi; ${help('colour')}; sleep 1000`,
    );
    const done = await scratch.run(runArgs({ answers: ['/override Paint it black'] }));
    expectDone(done, scratch);
    expect(ofType(done.events, 'escalation_resolved')).toMatchObject([{ status: 'resolved_with_override' }]);
    expect(ofType(done.events, 'turn_started')).toMatchObject([
      { turn: 1, resumed: false },
      { turn: 1, resumed: true },
    ]);
  });

  test('E-11: what the agent says first after an answer is recorded as its acknowledgement', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${help('colour')}; ${awaitInput('teal')}; say 'Understood: teal it is.'; say 'More.'; ${FINISH}`,
    );
    const done = await scratch.run(runArgs({ answers: ['/provide colour=teal'] }));
    expectDone(done, scratch);
    expect(ofType(done.events, 'answer_acknowledged')).toMatchObject([
      { escalation: 'e1', text: 'Understood: teal it is.' },
    ]);
    expect(done.stderr).toContain('Understood: teal it is.');
  });
});

describe('values that people give', () => {
  test('P-4: survive a park, reach the agent, and are nowhere once the run has ended', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if [ -z "$AUTOBUILD_INPUT_TOKEN" ]; then ${help('token', true)}; sleep 1000; fi; if [ ! -f asked-again ]; then touch asked-again; ${help('colour')}; sleep 1000; fi; [ "$AUTOBUILD_INPUT_TOKEN" = ${SECRET.replace('hunter2', 'hunter""2')} ] && ${FINISH}`,
    );
    const asked = await scratch.run(runArgs());
    expect(asked.code).toBe(2);
    const parked = await scratch.run(['resume', '--json', '--answer', `/provide token=${SECRET}`]);
    expect(parked.code, parked.stderr).toBe(2);
    expect(ofType(parked.events, 'inputs_given')).toMatchObject([{ inputs: { token: { length: 21 } } }]);
    // Kept for the next process, in a file of the user's own; not in the worktree, not in the journal.
    expect(scratch.filesWith(SECRET)).toEqual([join(scratch.runDir(), 'inputs.json')]);
    const done = await scratch.run(['resume', '--json', '--answer', '/override go on with teal']);
    expectDone(done, scratch);
    expect(scratch.filesWith(SECRET)).toEqual([]);
    for (const { stdout, stderr } of [asked, parked, done]) expect(stdout + stderr).not.toContain(SECRET);
  });

  test('P-4: a secret that the agent prints and reports is not recorded', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${help('token', true)}; ${awaitInput('hunter')}; T=$(sed -n 's/.*"token": "\\(.*\\)".*/\\1/p' "$AUTOBUILD_INPUTS"); say "Got $T"; say '{"type":"action","kind":"command","command":"login '"$T"'","exit_code":1,"output":"Error: bad '"$T"'"}'; touch done; report implemented "with $T"`,
    );
    const done = await scratch.run(runArgs({ answers: [`/provide token=${SECRET}`] }));
    expectDone(done, scratch);
    expect(ofType(done.events, 'answer_acknowledged')).toMatchObject([{ text: 'Got •••' }]);
    expect(ofType(done.events, 'turn_ended')[0]?.record.title).toBe('with •••');
    expect(done.stdout + done.stderr).not.toContain(SECRET);
    expect(scratch.journal()).not.toContain(SECRET);
  });

  test('S-13: a credential that nobody gave is in no record, file or text of Autobuild', async () => {
    const scratch = createScratch();
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const key = 'the-own-key-of-the-model';
    const blocked = `{"status":"blocked","summary":"$S","blocked_report":{"blocking_issues":[{"issue":"No $S","category":"external_dependency","details":"$S"}],"attempts_made":[{"turn":1,"action":"Used $S","result":"Failed"}],"suggested_alternatives":["$S"],"human_action_required":"Give $S"}}`;
    prepare(
      scratch,
      `S="$(printf 'gh%s' '${token.slice(2)}') $ANTHROPIC_API_KEY"; if [ $TURN = 1 ]; then say '{"type":"action","kind":"command","command":"login '"$S"'","exit_code":1,"output":"Error: bad '"$S"'"}'; say "Tried $S"; echo "last $S" >&2; report partial "with $S"; exit 1; fi; cat "$AUTOBUILD_PROMPT" > ../prompt; printf '%s' "${blocked.replaceAll('"', '\\"')}" > "$AUTOBUILD_REPORT"`,
    );
    const verify = `printf 'Error: refused gh%s\\n' '${token.slice(2)}'; test -f done`;
    const parked = await scratch.run(runArgs({ verify }), { ANTHROPIC_API_KEY: key });
    expect(parked.code, parked.stderr).toBe(2);
    const report = join(scratch.worktree, '.autobuild/TASK/blocked_report.json');
    const prompt = readFileSync(join(scratch.root, 'prompt'), 'utf8');
    for (const text of [
      parked.stdout,
      parked.stderr,
      scratch.journal(),
      readFileSync(report, 'utf8'),
      prompt,
    ]) {
      expect(text).toContain('•••');
      expect(text).not.toContain(token);
      expect(text).not.toContain(key);
    }
  });

  test('G-11: are gone after /cancel, and so is the agent', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${help('token', true)}; ${awaitInput('hunter')}; ${help('colour')}; while :; do sleep 0.05; done`,
    );
    const cancelled = await scratch.run(runArgs({ answers: [`/provide token=${SECRET}`, '/cancel'] }));
    expect(cancelled.code, cancelled.stderr).toBe(3);
    expect(cancelled.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' });
    expect(ofType(cancelled.events, 'escalation_resolved').at(-1)).toMatchObject({
      status: 'resolved_with_termination',
    });
    const last = ofType(cancelled.events, 'run_finished').at(-1);
    expect(cancelled.events.indexOf(last as RunEvent)).toBe(cancelled.events.length - 2);
    expect(scratch.filesWith(SECRET)).toEqual([]);
    expect(scratch.agentProcesses()).toEqual([]);
  });

  test('G-11: left in the worktree by a killed runner, they go with the next process', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${help('token', true)}; ${awaitInput('hunter')}; ${help('colour')}; while :; do sleep 0.05; done`,
    );
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    cli.type(`/provide token=${SECRET}`);
    await cli.saw('agent_frozen', 2);
    kill(await cli.pid());
    await cli.ended;
    expect(scratch.filesWith(SECRET)).toContain(join(scratch.worktree, '.autobuild/TASK/inputs.json'));
    const cancelled = await scratch.run(['resume', '--json', '--answer', '/cancel']);
    expect(cancelled.code, cancelled.stderr).toBe(3);
    expect(ofType(cancelled.events, 'turn_started')).toEqual([]);
    expect(scratch.filesWith(SECRET)).toEqual([]);
    expect(scratch.agentProcesses()).toEqual([]);
  });
});

describe('parked and taken up again', () => {
  test('E-10: with no answer left the run is parked; resume answers, status and replay tell', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if [ -n "$AUTOBUILD_INPUT_COLOUR" ]; then ${FINISH}; exit; fi; ${help('colour')}; sleep 1000`,
    );
    const parked = await scratch.run(runArgs());
    expect(parked.code).toBe(2);
    expect(parked.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'waiting_for_input' });
    const [run = ''] = scratch.runs();
    const status = await scratch.run(['status']);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain(`${run}  Make the check pass`);
    expect(status.stdout).toContain('Waiting for you');
    expect((await scratch.run(['status', '--all'])).stdout).toContain(run);
    const still = await scratch.run(['resume', '--json']);
    expect(still.code).toBe(2);
    const done = await scratch.run(['resume', run, '--json', '--answer', '/provide colour=teal']);
    expectDone(done, scratch);
    const replayed = await scratch.run(['replay', run]);
    expect(replayed.code, replayed.stdout).toBe(0);
    expect(replayed.stdout).toMatch(
      /✓ \d+ decisions, all the same today\. Done: all checks pass, ready for review\./,
    );
  });

  test('G-12: /pause settles the question and parks; resume goes on', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `echo $TURN > work; if [ $TURN -lt 3 ]; then report partial x; else ${FINISH}; fi`,
      onlyGuards('  max_iterations: 2\n'),
    );
    const paused = await scratch.run(runArgs({ answers: ['/pause'] }));
    expect(paused.code, paused.stderr).toBe(2);
    expect(ofType(paused.events, 'escalation_resolved')).toMatchObject([{ status: 'resolved' }]);
    expect(paused.events.at(-1)).toMatchObject({ status: 'waiting_for_input' });
    const [run = ''] = scratch.runs();
    const told = `Paused in turn 2: resume with autobuild resume ${run}`;
    expect((await scratch.run(['status'])).stdout).toContain(told);
    const done = await scratch.run(['resume', '--json']);
    expectDone(done, scratch);
    expect(ofType(done.events, 'turn_started').map(({ turn }) => turn)).toEqual([3]);
  });

  test('B-6: the blocked report is in the state directory, for its owner alone, and git sees nothing of it', async () => {
    const scratch = createScratch();
    execFileSync('git', ['init', '-q'], { cwd: scratch.worktree });
    const report =
      '{"status":"blocked","blocked_report":{"blocking_issues":[{"issue":"No key","category":"external_dependency","details":"none"}],"attempts_made":[{"turn":1,"action":"Looked","result":"Failed"}],"suggested_alternatives":["Use a fake"],"human_action_required":"Give one"}}';
    prepare(scratch, `printf '%s' '${report}' > "$AUTOBUILD_REPORT"`);
    const before = gitStatus(scratch);
    const parked = await scratch.run(runArgs());
    expect(parked.code, parked.stderr).toBe(2);
    expect(JSON.parse(scratch.read('.autobuild/TASK/blocked_report.json'))).toEqual(
      (JSON.parse(report) as { blocked_report: unknown }).blocked_report,
    );
    expect(statSync(join(scratch.worktree, '.autobuild/TASK/blocked_report.json')).mode & 0o777).toBe(0o600);
    expect(parked.stderr).toContain('Task Blocked - Structured Report');
    expect(gitStatus(scratch)).toBe(before);
    execFileSync('git', ['add', '-A'], { cwd: scratch.worktree });
    const staged = execFileSync('git', ['diff', '--cached', '--name-only'], { cwd: scratch.worktree });
    expect(staged.toString()).not.toContain('.autobuild');
  });

  test('B-7: without a report of the agent, the file holds what was measured, and says so', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      'echo work > work; printf \'All done, trust me.\' > "$AUTOBUILD_REPORT"',
      onlyGuards('  max_iterations: 1\n'),
    );
    const parked = await scratch.run(runArgs({ verify: "echo 'Error: no such file'; test -f done" }));
    expect(parked.code, parked.stderr).toBe(2);
    const report = JSON.parse(scratch.read('.autobuild/TASK/blocked_report.json')) as MeasuredReport;
    expect(BlockedReport.parse(report)).toBeTruthy();
    expect(report.human_action_required).toMatch(
      /^Max turns exceeded\. Human intervention required\.\nThe agent's report is invalid: 1 field has a wrong value\./,
    );
    expect(report).toMatchObject({
      measured_by: 'autobuild',
      measured: { turn: 1, max_turns: 1, files: 1 },
      report_as_it_came: 'All done, trust me.',
      attempts_made: [{ turn: 1, result: '0 of 1 checks pass' }],
    });
    expect(report.blocking_issues.map(({ issue }) => issue)).toContain('Error: no such file');
  });
});

function gitStatus(scratch: Scratch): string {
  return execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: scratch.worktree }).toString();
}
