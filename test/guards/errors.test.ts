import { expect, test } from 'vitest';
import { AGENT_ITSELF } from '../../src/core/errors/agent-itself.ts';
import { metricsOf } from '../../src/guards/observe.ts';
import {
  action,
  agentChanged,
  baseline,
  check,
  error,
  failed,
  limits,
  rearmed,
  statesAfter,
  testRun,
  times,
  triggerOf,
  turnEnded,
  turnStarted,
  verification,
  verified,
} from './guard-events.ts';

const boom = error('boom');
const fail = (operation: string, errors = [boom]) => action({ operation, ok: false, errors });
const sameErrors = (events: Parameters<typeof statesAfter>[0]) =>
  metricsOf(statesAfter(events)).consecutive_same_errors;
const inARow = (events: Parameters<typeof statesAfter>[0]) =>
  triggerOf('consecutive_errors', events, limits({ consecutive_errors: 1 }))?.observed ?? 0;

test('E-1: edits, reads and other commands between are remediation and reset nothing', () => {
  const between = [
    action({ kind: 'edit', title: 'edit a.ts', operation: 'edit a.ts' }),
    action({ kind: 'read', title: 'read b.ts', operation: 'read b.ts' }),
    action({ kind: 'search', title: 'search x', operation: 'search x', ok: false }),
    action({ title: 'npm install', operation: 'npm install' }),
  ];
  const events = [fail('npm test'), ...between, fail('npm test'), ...between, fail('npm test')];
  const trigger = triggerOf('same_error_repeated', events);
  expect(trigger?.evidence.occurrences?.map((occurrence) => occurrence.remediation)).toEqual([
    ['edit a.ts', 'read b.ts', 'search x', 'npm install'],
    ['edit a.ts', 'read b.ts', 'search x', 'npm install'],
    [],
  ]);
});

test('E-1: a failure that names no error is not a different error', () => {
  expect(sameErrors([fail('npm test'), fail('grep x', []), fail('npm test')])).toBe(2);
});

test('E-1: success of another operation forgets nothing', () => {
  expect(sameErrors([fail('npm test'), fail('npm test'), action({ operation: 'npm run lint' })])).toBe(2);
});

test('E-1: success takes back what that operation contributed, and only that', () => {
  const events = [fail('npm test'), fail('npm run build'), fail('npm test')];
  expect(sameErrors([...events.slice(0, 2), action({ operation: 'npm test' })])).toBe(1);
  expect(sameErrors([fail('npm test'), action({ operation: 'npm test' })])).toBe(0);
});

test('E-1: an error in two checks of one verification is one occurrence, overcome when both pass', () => {
  const both = verified(
    verification({
      checks: [
        check({ command: 'npm test', ok: false, errors: [boom] }),
        check({ command: 'npm run build', ok: false, errors: [boom] }),
      ],
    }),
  );
  expect(sameErrors([both])).toBe(1);
  expect(sameErrors([both, both])).toBe(2);
  expect(sameErrors([both, both, action({ operation: 'npm test' })])).toBe(2);
  expect(
    sameErrors([both, both, action({ operation: 'npm test' }), action({ operation: 'npm run build' })]),
  ).toBe(0);
});

test('E-1: a check that passes in a failing verification counts as success of its command', () => {
  const buildFails = failed([boom]);
  const onlyLintFails = verified(
    verification({
      checks: [check(), check({ command: 'npm run lint', ok: false, errors: [error('no-x')] })],
    }),
  );
  expect(sameErrors([buildFails, buildFails, onlyLintFails])).toBe(1);
});

test('E-1: a verification that passes as a whole forgets everything', () => {
  const events = [fail('npm test -- one'), fail('npm test -- one'), verified(verification())];
  expect(sameErrors(events)).toBe(0);
  expect(inARow(events)).toBe(0);
});

test('E-1: a refused edit is no error, a failed one is, under the name of the edit', () => {
  const edit = (refused: boolean) =>
    action({ kind: 'edit', title: 'edit a.ts', operation: 'edit a.ts', ok: false, refused });
  expect(sameErrors([edit(true), edit(true), edit(true)])).toBe(0);
  const trigger = triggerOf(
    'same_error_repeated',
    times(3, () => edit(false)),
  );
  expect(trigger?.evidence.occurrences?.[0]?.error.message).toBe('edit a.ts failed');
});

test('E-1: at most 20 errors are tracked, and a count is never lost to that bound', () => {
  const others = times(30, (index) => error(`other ${index}`));
  const noisy = [failed([boom]), failed([...others, boom]), failed([...others, boom])];
  const { tracked } = statesAfter(noisy).same_error_repeated as { tracked: { signature: string }[] };
  expect(tracked).toHaveLength(20);
  expect(tracked[0]?.signature).toBe('boom');
  expect(sameErrors(noisy)).toBe(3);
});

test('E-1: 100 occurrences of an error are counted, which is the highest threshold', () => {
  expect(sameErrors(times(150, () => failed([boom])))).toBe(100);
});

test('G-4: of the operations that failed in a row, the newest 100 can end it', () => {
  const row = times(150, (index) => fail(`npm run step-${index}`, [error(`broken ${index}`)]));
  const { operations } = statesAfter(row).consecutive_errors as { operations: string[] };
  expect(operations).toHaveLength(100);
  expect(inARow([...row, action({ operation: 'npm run step-149' })])).toBe(0);
});

test('E-1: the state stays small whatever the errors are', () => {
  const noisy = times(200, (turn) =>
    fail(`npm test ${turn}`, times(150, (index) => error(`${'x'.repeat(3000)} ${index}`)).concat(boom)),
  );
  const titles = times(50, (index) => action({ title: 'y'.repeat(5000), operation: `o${index}` }));
  const size = JSON.stringify(statesAfter([...noisy, ...titles]).same_error_repeated).length;
  expect(size).toBeLessThan(500_000);
  const evidence = triggerOf(
    'same_error_repeated',
    times(40, () => fail('npm test')),
  )?.evidence;
  expect(evidence?.occurrences).toHaveLength(10);
  const tried = times(50, (index) => action({ title: `try ${index}`, operation: `try ${index}` }));
  const remediation = triggerOf('same_error_repeated', [...times(3, () => fail('npm test')), ...tried])
    ?.evidence.occurrences?.[2]?.remediation;
  expect(remediation).toEqual(times(10, (index) => `try ${index + 40}`));
});

test('E-1: an error that goes on is not lost among many new ones', () => {
  const crowd = (turn: number) => [...times(60, (index) => error(`new ${turn} ${index}`)), boom];
  const events = [fail('npm test'), ...times(2, (turn) => fail('npm test', crowd(turn)))];
  expect(triggerOf('same_error_repeated', events)?.evidence.signature).toBe('boom');
});

test('G-8: what fails in a debugging turn is no new occurrence', () => {
  const debugging = [
    turnStarted(4, false),
    fail('npm test'),
    fail('npm test'),
    turnEnded(4, { counted: false }),
  ];
  expect(sameErrors(debugging)).toBe(0);
  expect(inARow(debugging)).toBe(0);
  expect(sameErrors([...debugging, turnStarted(5), fail('npm test')])).toBe(1);
});

test('G-4: any five failing operations in a row trip, with the last error in the question', () => {
  const events = times(5, (index) => fail(`command ${index}`, [error(`error ${index}`)]));
  expect(triggerOf('consecutive_errors', events.slice(0, 4))).toBeUndefined();
  const trigger = triggerOf('consecutive_errors', events);
  expect(trigger).toMatchObject({ kind: 'error_count', threshold: 5, observed: 5 });
  expect(trigger?.evidence.occurrences?.map((occurrence) => occurrence.error.message)).toEqual(
    times(5, (index) => `error ${index}`),
  );
});

test('G-4: success of an operation that failed ends the row; edits, reads and other commands do not', () => {
  const four = times(4, (index) => fail(`command ${index}`));
  const edit = action({ kind: 'edit', operation: 'edit a.ts' });
  expect(inARow([...four, edit, action({ operation: 'another' })])).toBe(4);
  expect(inARow([...four, action({ operation: 'command 1' })])).toBe(0);
  expect(inARow([...four, action({ operation: 'command 1' }), fail('command 9')])).toBe(1);
});

test('G-4: a better pass rate than the best so far is progress and ends the row', () => {
  const start = [baseline(testRun(5, 10)), ...times(4, (index) => fail(`command ${index}`))];
  expect(inARow([...start, verified(testRun(5, 10))])).toBe(5);
  expect(inARow([...start, verified(testRun(6, 10))])).toBe(0);
  // 6 of 10 is the best then: the same again is one failing operation.
  expect(inARow([...start, verified(testRun(6, 10)), verified(testRun(6, 10))])).toBe(1);
  expect(inARow([...start, verified(testRun(6, 10)), fail('npm test -- x'), verified(testRun(7, 10))])).toBe(
    0,
  );
});

test('G-4: a failing command without a readable error counts, a search without a hit does not', () => {
  expect(inARow([fail('make', [])])).toBe(1);
  expect(inARow([action({ kind: 'search', operation: 'grep x', ok: false })])).toBe(0);
  expect(
    triggerOf('consecutive_errors', [fail('make', [])], limits({ consecutive_errors: 1 }))?.evidence
      .occurrences?.[0]?.error.message,
  ).toBe('make failed');
});

test('G-6: re-arming one error guard leaves the other', () => {
  const events = times(3, () => fail('npm test'));
  expect(sameErrors([...events, rearmed('same_error_repeated')])).toBe(0);
  expect(inARow([...events, rearmed('same_error_repeated')])).toBe(3);
  expect(sameErrors([...events, rearmed('consecutive_errors')])).toBe(3);
  expect(inARow([...events, rearmed('consecutive_errors')])).toBe(0);
});

test('E-14: another agent starts at 0', () => {
  const events = [...times(3, () => fail('npm test')), agentChanged];
  expect(sameErrors(events)).toBe(0);
  expect(inARow(events)).toBe(0);
});

const broken = fail(AGENT_ITSELF, [error('The agent ended badly')]);
const passing = verified(verification());

test('E-1: checks that pass do not take back that the agent itself fails; a good end of it does', () => {
  const turns = [broken, passing, broken, passing];
  expect(triggerOf('same_error_repeated', turns)).toBeUndefined();
  expect(triggerOf('same_error_repeated', [...turns, broken])).toMatchObject({ observed: 3 });
  expect(inARow([...turns, broken, passing])).toBe(3);
  const mended = action({ operation: AGENT_ITSELF });
  expect(sameErrors([...turns, mended])).toBe(0);
  expect(inARow([...turns, mended])).toBe(0);
});

test('E-1: more checks that pass than ever before are the work of an agent, however it ends', () => {
  const checks = (passed: number) =>
    verification({
      ok: false,
      checks: [1, 2, 3, 4].map((at) => check({ command: `test ${at}`, ok: at <= passed })),
    });
  const none = baseline(checks(0));
  const advancing = [none, ...[1, 2, 3].flatMap((passed) => [broken, verified(checks(passed))])];
  expect(sameErrors([...advancing, broken])).toBe(1);
  expect(inARow([...advancing, broken])).toBe(1);
  // What passes once more after it failed again is no advance.
  const toAndFro = [none, ...[1, 0, 1, 0].flatMap((passed) => [broken, verified(checks(passed))])];
  expect(sameErrors(toAndFro)).toBe(3);
});

test('E-1: how the agent ends and what the checks show are no different error to each other', () => {
  const turns = times(2, () => [broken, failed([boom])]).flat();
  expect(sameErrors(turns)).toBe(2);
  expect(triggerOf('same_error_repeated', [...turns, broken])?.evidence.signature).toBe(
    'The agent ended badly',
  );
  const wellAgain = [...turns, action({ operation: AGENT_ITSELF }), failed([boom])];
  expect(triggerOf('same_error_repeated', wellAgain)?.evidence.signature).toBe('boom');
  // An agent that fails otherwise is a different error.
  expect(sameErrors([broken, broken, fail(AGENT_ITSELF, [error('otherwise')])])).toBe(1);
});

test('E-1: however many errors the checks show, the failing agent is not lost among them', () => {
  const many = failed(Array.from({ length: 30 }, (_, at) => error(`error ${at}`)));
  expect(
    triggerOf('same_error_repeated', [many, broken, many, broken, many, broken])?.evidence.signature,
  ).toBeDefined();
  const errors = triggerOf('same_error_repeated', [passing, many, broken, passing, broken, many, broken]);
  expect(errors?.evidence.signature).toBe('The agent ended badly');
});
