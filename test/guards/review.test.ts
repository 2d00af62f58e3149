import { expect, test } from 'vitest';
import { HARD_BLOCKERS } from '../../src/core/contracts/agent/blockers.ts';
import { guardById } from '../../src/guards/registry.ts';
import { rearmed, triggerOf, triggersAfter, turnStarted } from './guard-events.ts';
import { reported } from './reported.ts';

const guard = guardById('review_required');
const progress = { turn: 3, max_turns: 10 };
const trips = (report: object) => triggerOf('review_required', [reported(report)]);

test('K-5: the flag stops with its reason', () => {
  const trigger = trips({ status: 'partial', requires_user_review: true, review_reason: 'Two designs fit.' });
  expect(trigger?.evidence).toEqual({ review_reason: 'Two designs fit.', review_types: [] });
  expect(trigger && guard.headline(trigger, progress)).toBe('the agent needs a decision');
  expect(trigger && guard.question(trigger, progress)).toBe(
    'USER REVIEW REQUIRED: Two designs fit. After resolving, reply `/continue`. How to proceed?',
  );
});

test('K-8: no option of a review goes on by itself', () => {
  const trigger = trips({ status: 'partial', requires_user_review: true, review_reason: 'x' });
  expect(trigger && guard.options(trigger, progress).map((option) => option.command)).toEqual([
    '/accept',
    '/review',
    '/cancel',
  ]);
});

test('K-5: the flag without a reason stops all the same and shows what is missing', () => {
  const { evidence } = trips({ status: 'partial', requires_user_review: true }) ?? {};
  expect(evidence?.report_problems?.map((problem) => problem.field)).toEqual(['review_reason']);
});

test.each(Object.keys(HARD_BLOCKERS))('K-5: the hard type %s without the flag stops, and says so', (type) => {
  const trigger = trips({ status: 'failed', errors: [{ type, message: 'why' }] });
  expect(trigger?.evidence).toEqual({ review_reason: 'why', review_types: [type], review_derived: true });
  expect(trigger && guard.headline(trigger, progress)).toBe(
    HARD_BLOCKERS[type as keyof typeof HARD_BLOCKERS].headline,
  );
});

test('K-5: several hard types share the general headline', () => {
  const errors = [{ type: 'strategy_exhausted' }, { type: 'invalid_specification' }];
  const trigger = trips({ status: 'failed', errors });
  expect(trigger?.evidence.review_types).toEqual(['strategy_failed', 'invalid_specification']);
  expect(trigger && guard.headline(trigger, progress)).toBe('the agent needs a decision');
});

test('K-5: status blocked stops, with the action it asks for', () => {
  const blocked_report = {
    blocking_issues: [],
    attempts_made: [],
    suggested_alternatives: [],
    human_action_required: 'Choose a provider.',
  };
  expect(trips({ status: 'blocked', blocked_report })?.evidence.review_reason).toBe('Choose a provider.');
  expect(trips({ status: 'blocked' })).toBeDefined();
});

test('K-2: soft blockers and recoverable errors go on', () => {
  expect(trips({ status: 'partial', errors: [{ type: 'timeout' }] })).toBeUndefined();
  expect(
    trips({ status: 'failed', errors: [{ type: 'strategy_failed', recoverable: true }] }),
  ).toBeUndefined();
  expect(trips({ status: 'implemented' })).toBeUndefined();
});

test('K-5: missing_dependency is an external blocker first, review second', () => {
  const report = reported({
    status: 'failed',
    errors: [{ type: 'missing_dependency', message: '`lodash`' }],
  });
  expect(triggersAfter([report]).map((trigger) => trigger.guard)).toEqual([
    'external_blocker',
    'review_required',
  ]);
});

test('K-5: an answer or the next turn clears it', () => {
  const report = reported({ status: 'blocked' });
  expect(triggerOf('review_required', [report, turnStarted(2)])).toBeUndefined();
  expect(triggerOf('review_required', [report, rearmed('review_required')])).toBeUndefined();
  expect(triggerOf('review_required', [report, rearmed('need_help')])).toBeDefined();
});
