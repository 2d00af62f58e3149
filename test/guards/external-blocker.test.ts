import { expect, test } from 'vitest';
import { readPlayerReport } from '../../src/core/contracts/agent/player-report.ts';
import type { ExternalBlocker } from '../../src/core/contracts/verification.ts';
import { guardById } from '../../src/guards/registry.ts';
import { expectLinear } from '../expect-linear.ts';
import {
  AT,
  action,
  agentChanged,
  baseline,
  check,
  limits,
  rearmed,
  triggerOf,
  verification,
  verified,
} from './guard-events.ts';
import { reported } from './reported.ts';

const denied: ExternalBlocker = { kind: 'permission_denied', resource: '/etc/key', operation: 'read' };
const timeout: ExternalBlocker = { kind: 'api_unavailable', endpoint: 'api.example.com', transient: true };
const blocked = (blocker: ExternalBlocker) => verification({ checks: [check({ ok: false, blocker })] });
const trips = (events: Parameters<typeof triggerOf>[1], config: unknown = 'on') =>
  triggerOf('external_blocker', events, limits({ external_blocker: config }));

test('E-7: a check of the verification trips at once, at the baseline too', () => {
  expect(trips([verified(blocked(denied))])?.evidence).toEqual({
    blocker: denied,
    operation: 'npm test',
    first_seen: AT,
  });
  expect(trips([baseline(blocked(denied))])?.evidence.blocker).toEqual(denied);
});

test('E-7: an operation that succeeded was not blocked', () => {
  expect(trips([action({ ok: true, blocker: denied })])).toBeUndefined();
});

test('E-7: two checks of one verification that time out are one sighting', () => {
  const twice = verification({
    checks: [check({ ok: false, blocker: timeout }), check({ command: 'lint', ok: false, blocker: timeout })],
  });
  expect(trips([verified(twice)])).toBeUndefined();
  expect(trips([verified(twice), verified(twice)])?.evidence.tried_again).toBe(AT);
});

test('E-7: a time-out of another endpoint, or after success of the operation, is a first one', () => {
  const other: ExternalBlocker = { ...timeout, endpoint: 'cdn.example.com' };
  const run = (blocker: ExternalBlocker) => action({ ok: false, blocker });
  expect(trips([run(timeout), run(other)])).toBeUndefined();
  expect(trips([run(timeout), verified(verification()), run(timeout)])).toBeUndefined();
  expect(trips([run(timeout), action({ operation: 'ls' }), run(timeout)])).toBeDefined();
});

test('E-7: only the kinds listed trip', () => {
  expect(trips([verified(blocked(denied))], ['missing_dependency'])).toBeUndefined();
  expect(trips([verified(blocked(denied))], ['permission_denied'])).toBeDefined();
  const both = [verified(blocked({ kind: 'missing_dependency', name: 'x' })), verified(blocked(denied))];
  expect(trips(both, ['permission_denied'])?.evidence.blocker?.kind).toBe('permission_denied');
});

test('G-6: an answer clears it', () => {
  expect(trips([verified(blocked(denied)), rearmed('external_blocker')])).toBeUndefined();
  expect(trips([verified(blocked(denied)), agentChanged])).toBeUndefined();
  expect(trips([verified(blocked(denied)), rearmed('need_help')])).toBeDefined();
});

test.each([
  ['lodash@4.17.21 is not installed', { name: 'lodash', version: '4.17.21' }],
  ['needs @scope/pkg@^2.0 which is private', { name: '@scope/pkg', version: '^2.0' }],
  [
    "Cannot find module 'left-pad', required by src/pad.ts:3",
    { name: 'left-pad', required_by: 'src/pad.ts:3' },
  ],
  ['the payment gateway is not there', { name: 'the payment gateway is not there' }],
  ['', { name: 'a dependency' }],
])('K-5: missing_dependency in a report is an external blocker first: %j', (message, named) => {
  const errors = [{ type: 'missing_dependency', message }];
  expect(trips([reported({ status: 'failed', errors })])?.evidence.blocker).toEqual({
    kind: 'missing_dependency',
    ...named,
  });
});

test('K-5: a recoverable missing dependency is none', () => {
  const errors = [{ type: 'missing_dependency', message: 'lodash', recoverable: true }];
  expect(trips([reported({ status: 'partial', errors })])).toBeUndefined();
});

test('E-7: a dependency is read out of a long hostile message in linear time', () => {
  const read = (size: number) => {
    const message = `${'@a/'.repeat(size)}${'-'.repeat(size)}`;
    const { report } = readPlayerReport(
      JSON.stringify({ status: 'failed', errors: [{ type: 'missing_dependency', message }] }),
    );
    expect(trips([reported(report ?? {})])).toBeDefined();
  };
  expectLinear(read, 25_000);
});

test.each<[ExternalBlocker, string]>([
  [
    {
      kind: 'api_unavailable',
      endpoint: 'POST https://api.stripe.com/v1/x?y',
      status: 503,
      transient: false,
    },
    'api.stripe.com returns 503',
  ],
  [timeout, 'api.example.com does not respond'],
  [{ kind: 'missing_dependency', name: 'lodash', version: '4.17.21' }, 'lodash 4.17.21 is missing'],
  [
    { kind: 'permission_denied', resource: '/etc/key', operation: 'unknown' },
    'no permission to use /etc/key',
  ],
  [{ kind: 'missing_dependency', name: `a\nb\u202e${'c'.repeat(200)}` }, `a b ${'c'.repeat(75)}…`],
])('E-7: headline of %j', (blocker, headline) => {
  const trigger = { guard: 'external_blocker', kind: 'blocker_type', threshold: null, observed: 1 } as const;
  const shown = guardById('external_blocker').headline(
    { ...trigger, evidence: { blocker } },
    { turn: 5, max_turns: 10 },
  );
  expect(shown).toBe(headline);
  expect(shown.length).toBeLessThanOrEqual(80);
});
