import { expect, test } from 'vitest';
import {
  countAttempts,
  describeError,
  isEffectGivenUp,
  isGivenUp,
} from '../../../src/app/workers/retry-policy.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { ASKED_TO_WAIT } from '../../../src/core/ports/outbox.ts';

const refused = new GitHubError('Forbidden', { status: 403 });

test('R-10: one refusal after a time of other failures does not end the attempts; the next one does', () => {
  const first = { attempts: 7, last_error: describeError(new GitHubError('Bad Gateway', { status: 502 })) };
  expect(isGivenUp(refused, countAttempts(refused, first))).toBe(false);
  const next = { attempts: 8, last_error: describeError(refused) };
  expect(isGivenUp(refused, countAttempts(refused, next))).toBe(true);
});

test('R-10: a limit is not a refusal', () => {
  const limited = new GitHubError('Slow down', { status: 403, retryAfter: 60 });
  expect(
    isGivenUp(limited, countAttempts(limited, { attempts: 8, last_error: describeError(limited) })),
  ).toBe(false);
});

test('R-10: the error of an attempt tells a wait that GitHub asked for from a refusal and from a failure', () => {
  const told = (details: { status: number; retryAfter?: number }) =>
    describeError(new GitHubError('No', details));
  expect(told({ status: 403, retryAfter: 60 })).toBe(`${ASKED_TO_WAIT}No`);
  expect(told({ status: 503, retryAfter: 1 })).toBe(`${ASKED_TO_WAIT}No`);
  expect(told({ status: 403 })).toBe('refused: No');
  expect(told({ status: 502 })).toBe('No');
});

test('R-13: what people read is tried for two hours although GitHub refuses it; a deed is not', () => {
  const words = ['update_status', 'ask', 'close_question', 'show_review', 'reply', 'show_receipt'] as const;
  for (const type of [...words, 'notify', 'delete_comment', 'notice'] as const) {
    expect([type, isEffectGivenUp({ type }, refused, 17)]).toEqual([type, false]);
    expect([type, isEffectGivenUp({ type }, refused, 18)]).toEqual([type, true]);
    const gone = new GitHubError('Gone', { status: 410 });
    expect([type, isEffectGivenUp({ type }, gone, 1)]).toEqual([type, true]);
  }
  for (const type of ['publish', 'dispatch_job', 'stop_job', 'react', 'run_ci'] as const)
    expect([type, isEffectGivenUp({ type }, refused, 3)]).toEqual([type, true]);
});
