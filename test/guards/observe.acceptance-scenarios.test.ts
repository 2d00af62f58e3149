import { describe, expect, test } from 'vitest';
import { HelpRequest } from '../../src/core/contracts/agent/help-request.ts';
import type { GuardEvent } from '../../src/core/contracts/guard.ts';
import type { ExternalBlocker } from '../../src/core/contracts/verification.ts';
import { describeTriggers } from '../../src/guards/describe-triggers.ts';
import { metricsOf } from '../../src/guards/observe.ts';
import { guardById } from '../../src/guards/registry.ts';
import { tripsOfEveryGuard } from './every-guard.ts';
import {
  AT,
  action,
  baseline,
  changed,
  error,
  failed,
  only,
  proposed,
  statesAfter,
  testRun,
  times,
  triggerOf,
  triggersAfter,
  turnStarted,
  verified,
} from './guard-events.ts';

/** The objective-escalation stories, scenario by scenario, under the default limits. */

const TYPE_ERROR = 'TypeError: undefined is not a function';

describe('repeated error', () => {
  const edit = (title: string) => action({ kind: 'edit', title, operation: title });
  const twice = [
    action({ ok: false, errors: [error(TYPE_ERROR, 'src/auth.ts', 41)], turn: 5 }),
    edit('edit src/auth.ts: check for undefined'),
    failed([error(TYPE_ERROR, 'src/auth.ts', 44)], { turn: 5 }),
    edit('edit src/auth.ts: call it later'),
  ];

  test('E-1: Agent escalates after third identical error', () => {
    expect(triggersAfter(twice)).toEqual([]);
    const trigger = triggerOf('same_error_repeated', [
      ...twice,
      failed([error(TYPE_ERROR, 'src/session.ts', 3)], { turn: 6, at: '2026-11-16T14:29:52.000Z' }),
    ]);
    expect(trigger).toMatchObject({ kind: 'error_count', threshold: 3, observed: 3 });
    expect(trigger?.evidence.occurrences).toEqual([
      {
        turn: 5,
        at: AT,
        operation: 'npm test',
        error: error(TYPE_ERROR, 'src/auth.ts', 41),
        remediation: ['edit src/auth.ts: check for undefined'],
      },
      {
        turn: 5,
        at: AT,
        operation: 'npm test',
        error: error(TYPE_ERROR, 'src/auth.ts', 44),
        remediation: ['edit src/auth.ts: call it later'],
      },
      {
        turn: 6,
        at: '2026-11-16T14:29:52.000Z',
        operation: 'npm test',
        error: error(TYPE_ERROR, 'src/session.ts', 3),
        remediation: [],
      },
    ]);
    expect(guardById('same_error_repeated').type).toBe('repeated_error');
  });

  test('E-1: Different errors do not trigger repeated error escalation', () => {
    const events = [...twice, failed([error('ReferenceError: x is not defined')])];
    expect(triggersAfter(events)).toEqual([]);
    expect(metricsOf(statesAfter(events)).consecutive_same_errors).toBe(1);
    // The first error starts again as well.
    expect(metricsOf(statesAfter([...events, failed([error(TYPE_ERROR)])])).consecutive_same_errors).toBe(1);
  });

  test('E-1: Error count resets after successful operation', () => {
    const events = [...twice, action({ ok: true, operation: 'npm test' })];
    expect(metricsOf(statesAfter(twice)).consecutive_same_errors).toBe(2);
    expect(metricsOf(statesAfter(events)).consecutive_same_errors).toBe(0);
    expect(triggersAfter([...events, failed([error(TYPE_ERROR)])])).toEqual([]);
  });
});

describe('progress stall', () => {
  const failing = (index: number) =>
    action({ title: `npm run build ${index}`, operation: `npm run build ${index}`, ok: false, turn: 2 });

  test('E-3: Agent escalates after 5 attempts with no file changes', () => {
    expect(triggersAfter(times(4, failing))).toEqual([]);
    const trigger = triggerOf('no_file_changes_after_attempts', times(5, failing));
    expect(trigger).toMatchObject({ kind: 'attempt_count', threshold: 5, observed: 5 });
    expect(trigger?.evidence.attempts).toEqual(
      times(5, (index) => ({
        turn: 2,
        at: AT,
        title: `npm run build ${index}`,
        ok: false,
        result: 'failed',
      })),
    );
  });

  test('E-3: File modification resets the no-progress counter', () => {
    const events = [...times(4, failing), changed('src/auth.ts')];
    expect(metricsOf(statesAfter(times(4, failing))).attempts_without_file_change).toBe(4);
    expect(metricsOf(statesAfter(events)).attempts_without_file_change).toBe(0);
    expect(triggerOf('no_file_changes_after_attempts', [...events, ...times(4, failing)])).toBeUndefined();
  });

  const sixty = (turn: number) => verified(testRun(6, 10), { turn, signature: `run ${turn}` });

  test('E-4: Agent escalates after 3 test runs with no improvement', () => {
    const start = [baseline(testRun(6, 10)), sixty(1), sixty(2)];
    expect(triggersAfter(start)).toEqual([]);
    const trigger = triggerOf('no_test_improvement_after', [...start, sixty(3)]);
    expect(trigger).toMatchObject({ kind: 'attempt_count', threshold: 3, observed: 3 });
    expect(trigger?.evidence.pass_rates).toEqual(
      times(4, (turn) => ({ turn, unit: 'tests', passed: 6, total: 10 })),
    );
    if (!trigger) throw new Error('no trigger');
    const { question } = describeTriggers([trigger], { turn: 3, max_turns: 10 });
    expect(question).toContain('no test improvement after 3 attempts');
    expect(question).toContain('60%, 60%, 60%, 60%');
  });

  test('E-4: Test improvement resets the stall counter', () => {
    const start = [baseline(testRun(6, 10)), sixty(1), sixty(2)];
    const events = [...start, verified(testRun(7, 10), { turn: 3, signature: 'run 3' })];
    expect(metricsOf(statesAfter(start)).test_runs_without_improvement).toBe(2);
    expect(metricsOf(statesAfter(events)).test_runs_without_improvement).toBe(0);
    expect(triggersAfter(events)).toEqual([]);
  });
});

describe('scope drift', () => {
  const twenty = times(20, (index) => `src/file-${index}.ts`);

  test('E-5: Agent escalates when modifying more than 20 files', () => {
    expect(triggersAfter([changed(...twenty)])).toEqual([]);
    const trigger = triggerOf('files_modified_exceeds', [
      changed(...twenty),
      proposed('src/mail/receipt.ts', 'file_limit', twenty),
    ]);
    expect(trigger).toMatchObject({ kind: 'file_count', threshold: 20, observed: 20 });
    expect(trigger?.evidence.files).toEqual(twenty);
    expect(trigger?.evidence.proposed).toEqual([
      { path: 'src/mail/receipt.ts', why: 'file_limit', held: true },
    ]);
    if (!trigger) throw new Error('no trigger');
    const asked = describeTriggers([trigger], { turn: 5, max_turns: 10 });
    expect(asked.headline).toBe('20 of 20 files changed, approve a 21st?');
    expect(asked.options[0]).toMatchObject({ label: 'Approve this file', command: '/approve files=21' });
  });

  test('E-6: Agent escalates when spec deviation is detected', () => {
    const trigger = triggerOf('spec_deviation_detected', [
      proposed('src/payment/charge.ts', 'out_of_scope', [], ['src/authentication/**']),
    ]);
    expect(trigger).toMatchObject({ kind: 'file_count', threshold: null });
    expect(trigger?.evidence.scope).toEqual(['src/authentication/**']);
    expect(trigger?.evidence.proposed?.map((write) => write.path)).toEqual(['src/payment/charge.ts']);
    expect(guardById('spec_deviation_detected').type).toBe('scope_drift');
  });

  test('E-5: Files within scope do not trigger escalation', () => {
    const events = [changed(...twenty.slice(0, 15)), changed('src/file-15.ts')];
    expect(metricsOf(statesAfter(events)).files_modified_count).toBe(16);
    expect(triggersAfter(events)).toEqual([]);
  });
});

describe('external blocker', () => {
  const hit = (blocker: ExternalBlocker, at = AT) =>
    action({ operation: 'npm run build', ok: false, blocker, at });
  const asked = (events: GuardEvent[]) => triggerOf('external_blocker', events);

  test('E-7: Agent escalates on missing dependency', () => {
    const blocker = {
      kind: 'missing_dependency' as const,
      name: 'lodash',
      version: '4.17.21',
      required_by: 'src/cart.ts:3',
    };
    expect(asked([turnStarted(1), hit(blocker)])).toEqual({
      guard: 'external_blocker',
      kind: 'blocker_type',
      threshold: null,
      observed: 1,
      evidence: { blocker, operation: 'npm run build', first_seen: AT },
    });
    expect(guardById('external_blocker').type).toBe('external_blocker');
  });

  test('E-7: Agent escalates on permission denied', () => {
    const blocker = {
      kind: 'permission_denied' as const,
      resource: '/etc/secrets/api-key',
      operation: 'read' as const,
    };
    const trigger = asked([hit(blocker)]);
    expect(trigger?.evidence.blocker).toEqual(blocker);
    expect(trigger && guardById('external_blocker').headline(trigger, { turn: 1, max_turns: 10 })).toBe(
      'no permission to read /etc/secrets/api-key',
    );
  });

  test('E-7: Agent escalates on API unavailability', () => {
    const blocker = {
      kind: 'api_unavailable' as const,
      endpoint: 'api.github.com',
      status: 503,
      transient: false,
    };
    const trigger = asked([hit(blocker)]);
    expect(trigger?.evidence).toMatchObject({ blocker, first_seen: AT });
    expect(trigger && guardById('external_blocker').headline(trigger, { turn: 1, max_turns: 10 })).toBe(
      'api.github.com returns 503',
    );
  });

  test('E-7: Transient network error does not immediately escalate', () => {
    const timeout = { kind: 'api_unavailable' as const, endpoint: 'registry.example.com', transient: true };
    const overcome = [hit(timeout), action({ operation: 'npm run build', ok: true })];
    expect(asked([hit(timeout)])).toBeUndefined();
    expect(triggersAfter(overcome)).toEqual([]);
    expect(asked([...overcome, hit(timeout)])).toBeUndefined();
    // Without the success between, the second one is a blocker.
    expect(asked([hit(timeout), hit(timeout, '2026-11-16T14:00:05.000Z')])?.evidence).toEqual({
      blocker: timeout,
      operation: 'npm run build',
      first_seen: AT,
      tried_again: '2026-11-16T14:00:05.000Z',
    });
  });
});

describe('several at once', () => {
  test('E-8: two triggers at the same moment make one list and one question, which the cause leads', () => {
    const run = (turn: number) =>
      verified(
        {
          ...testRun(11, 14),
          checks: testRun(11, 14).checks.map((check) => ({ ...check, errors: [error('Timeout')] })),
        },
        { turn, signature: `run ${turn}` },
      );
    const [first, ...others] = triggersAfter([baseline(testRun(11, 14)), run(5), run(6), run(7)]);
    expect([first, ...others].map((trigger) => trigger?.guard)).toEqual([
      'same_error_repeated',
      'no_test_improvement_after',
    ]);
    if (!first) throw new Error('no trigger');
    const asked = describeTriggers([first, ...others], {
      turn: 7,
      max_turns: 10,
      score: { unit: 'tests', passed: 11, total: 14 },
    });
    expect(asked).toMatchObject({
      type: 'repeated_error',
      headline: 'same error 3 times, a hint would help',
      headers: ['Repeated Error'],
      hint: { text: 'If you see the cause, reply with a hint' },
    });
    expect(asked.question).toBe('The same error occurred 3 times in a row: "Timeout". How to proceed?');
    expect(asked.triggers.map(({ shown }) => shown)).toEqual([
      { counter: 'Same error', figure: '3/3' },
      { counter: 'Runs without improvement', figure: '3/3' },
    ]);
    expect(asked.options.map((option) => option.command)).toEqual([
      '/continue new-approach',
      '/retry',
      '/debug',
      '/skip',
      '/accept',
      '/review',
      '/terminate',
    ]);
  });

  test('E-8: a symptom never leads before a cause, in whatever order they are given', () => {
    const trips = tripsOfEveryGuard().map(
      ({ guard, events, limit }) => triggersAfter(events, only({ [guard]: limit }))[0] ?? expect.fail(guard),
    );
    const names = (id: string) => guardById(id).names;
    for (const symptom of trips.filter(({ guard }) => names(guard) === 'symptom')) {
      for (const cause of trips.filter(({ guard }) => names(guard) === 'cause')) {
        const at = { turn: 1, max_turns: 10 };
        const asked = describeTriggers([symptom, cause], at);
        const { headline, question } = describeTriggers([cause], at);
        expect(asked).toMatchObject({ headline, question, headers: { length: 1 } });
        expect(asked.triggers.map(({ guard }) => guard)).toEqual([cause.guard, symptom.guard]);
      }
    }
  });

  test('E-8: of several symptoms the first one of the registry asks', () => {
    const at = { turn: 10, max_turns: 10 };
    const trip = (id: string) => {
      const found = tripsOfEveryGuard().find(({ guard }) => guard === id) ?? expect.fail(id);
      return triggersAfter(found.events, only({ [id]: found.limit }))[0] ?? expect.fail(id);
    };
    const asked = describeTriggers([trip('max_iterations'), trip('loop_detected')], at);
    expect(asked).toMatchObject({
      headline: 'the last 3 turns ended with the same error, what next?',
      headers: ['Loop Detected'],
      triggers: [{ guard: 'loop_detected' }, { guard: 'max_iterations', run_limit: 'turns' }],
    });
  });

  test('E-8: two causes both ask', () => {
    const help = HelpRequest.parse({ what_i_tried: 'a', what_i_need: 'b' });
    const asked = describeTriggers(
      triggersAfter([
        { type: 'help_requested', turn: 1, help },
        action({ ok: false, blocker: { kind: 'missing_dependency', name: 'lodash' } }),
      ]),
      { turn: 1, max_turns: 10 },
    );
    expect(asked.headline).toBe('lodash is missing');
    expect(asked.headers).toEqual(['External Blocker', 'Help Needed']);
    expect(asked.question).toMatch(
      /^External blocker: lodash is missing.*The agent asks for help: "b"\. How to/,
    );
  });

  test('G-13: with several triggers Cancel is offered once and last', () => {
    const help = HelpRequest.parse({ what_i_tried: 'a', what_i_need: 'b' });
    const triggers = triggersAfter([
      { type: 'help_requested', turn: 1, help },
      action({ ok: false, blocker: { kind: 'missing_dependency', name: 'lodash' } }),
    ]);
    const [first, ...others] = triggers;
    if (!first) throw new Error('no trigger');
    const commands = describeTriggers([first, ...others], { turn: 1, max_turns: 10 }).options.map(
      (option) => option.command,
    );
    expect(others).toHaveLength(1);
    expect(commands.filter((command) => command === '/cancel')).toHaveLength(1);
    expect(commands.at(-1)).toBe('/cancel');
    expect(new Set(commands).size).toBe(commands.length);
  });
});
