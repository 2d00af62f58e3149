import { describe, expect, test } from 'vitest';
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

function expectDone(done: CliResult, scratch: Scratch): void {
  expect(done.code, done.stderr).toBe(0);
  expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
  expect(scratch.agentProcesses()).toEqual([]);
}

describe.concurrent('what a person can answer at the turn limit', () => {
  const WORKING = `echo $TURN > work; if [ $TURN -lt 2 ]; then report partial x; else ${FINISH}; fi`;
  const ONE_TURN = onlyGuards('  max_iterations: 1\n');

  test('G-7: /accept stops and keeps the work, with the warning; exit 1 as the checks fail', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    prepare(scratch, WORKING, ONE_TURN);
    const accepted = await scratch.run(runArgs({ answers: ['/accept'] }));
    expect(accepted.code, accepted.stderr).toBe(1);
    expect(ofType(accepted.events, 'run_finished')).toMatchObject([
      {
        status: 'reviewing',
        partial: true,
        reason: 'Task completed with partial results due to max_iterations',
      },
    ]);
    expect(accepted.stderr).toContain('Task completed with partial results due to max_iterations');
    expect(scratch.read('work')).toBe('1\n');
  });

  test('G-9: /skip records a known issue, and the rest goes on to the end', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    prepare(
      scratch,
      `echo $TURN > work; if grep -q 'known issue' "$AUTOBUILD_PROMPT"; then report implemented rest; else report partial x; fi`,
      onlyGuards('  loop_detected: 2\n'),
    );
    const done = await scratch.run(runArgs({ answers: ['/skip'] }));
    expect(ofType(done.events, 'known_issue_recorded')).toMatchObject([
      { issue: { checks: ['test -f done'] } },
    ]);
    expect(ofType(done.events, 'run_finished')).toMatchObject([
      { status: 'reviewing', partial: true, reason: 'complete except for known issues' },
    ]);
    // The checks do not pass: 0 would be a lie.
    expect(done.code).toBe(1);
  });

  test('G-10: /review shows the history and leaves the question open', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    prepare(scratch, WORKING, ONE_TURN);
    const done = await scratch.run(runArgs({ answers: ['/review', '/continue +1'] }));
    expectDone(done, scratch);
    expect(ofType(done.events, 'review_shown')).toMatchObject([{ escalation: 'e1' }]);
    expect(done.escalations).toHaveLength(1);
    expect(ofType(done.events, 'escalation_resolved')).toHaveLength(1);
    expect(done.stderr).toMatch(/turn 1/i);
  });

  test('E-10: /terminate ends the run as terminated by a person', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    prepare(scratch, WORKING, ONE_TURN);
    const ended = await scratch.run(runArgs({ answers: ['/terminate'] }));
    expect(ended.code).toBe(3);
    expect(ended.events.at(-1)).toMatchObject({ status: 'terminated_by_human' });
  });
});

describe.concurrent('a debugging turn', () => {
  const debugging = (report: string) =>
    `if grep -q 'A debugging turn' "$AUTOBUILD_PROMPT"; then echo trace > trace.log; echo debug >> work; printf '%s' '${report}' > "$AUTOBUILD_REPORT"; elif grep -q 'the file is missing' "$AUTOBUILD_PROMPT"; then ${FINISH}; else echo $TURN > work; report partial x; fi`;

  test('G-8: a root cause goes to the next turn; its edits are put back and it is no iteration', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    prepare(
      scratch,
      debugging(
        '{"status":"partial","root_cause_found":true,"root_cause":"the file is missing","fix":"touch it"}',
      ),
      onlyGuards('  loop_detected: 3\n'),
    );
    const done = await scratch.run(runArgs({ answers: ['/debug'] }));
    expectDone(done, scratch);
    expect(done.escalations).toHaveLength(1);
    const turns = ofType(done.events, 'turn_ended').map(({ record }) => record);
    expect(turns.map(({ turn, kind }) => [turn, kind])).toEqual([
      [1, 'normal'],
      [2, 'normal'],
      [3, 'normal'],
      [3, 'debug'],
      [4, 'normal'],
    ]);
    expect(turns[3]?.changes.paths).toEqual(['work']);
    expect(scratch.exists('trace.log')).toBe(false);
    expect(scratch.read('work')).toBe('3\n');
  });

  test('G-8: no root cause asks the same again, with the findings', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    prepare(
      scratch,
      debugging('{"status":"partial","root_cause_found":false,"root_cause":"not the network"}'),
      onlyGuards('  loop_detected: 3\n'),
    );
    const parked = await scratch.run(runArgs({ answers: ['/debug'] }));
    expect(parked.code, parked.stderr).toBe(2);
    expect(parked.escalations).toHaveLength(2);
    expect(parked.escalations[1]).toMatchObject({
      type: 'loop_detected',
      follows: 'e1',
      findings: 'not the network',
    });
    expect(parked.stderr).toContain('not the network');
    expect(scratch.exists('trace.log')).toBe(false);
  });
});
