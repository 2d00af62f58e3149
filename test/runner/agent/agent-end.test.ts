import { expect, test } from 'vitest';
import {
  blockerOf,
  describeEnd,
  type Ended,
  isFailedEnd,
  isSoftEnd,
} from '../../../src/runner/agent/agent-end.ts';

const ended = (reason: string, more: Partial<Ended> = {}): Ended => ({
  type: 'ended',
  ok: false,
  reason,
  ...more,
});
const exit = (code: number | null, signal: string | null = null) =>
  ({ started: true, code, signal, leftovers: 0 }) as const;

test.each(['max_turns', 'context', 'api_error', 'rate_limit', 'interrupted', 'no_session'])(
  'K-2: an end by %s is overcome by the next turn, whatever the exit code',
  (reason) => {
    expect(isSoftEnd(ended(reason))).toBe(true);
    expect(isFailedEnd(exit(1), ended(reason))).toBe(false);
    expect(blockerOf(ended(reason), { name: 'claude' }, 1, 'now')).toBeUndefined();
  },
);

test.each(['auth', 'quota', 'failed', 'something new'])('an end by %s is a failure', (reason) => {
  expect(isSoftEnd(ended(reason))).toBe(false);
  // Some exit with 0 all the same.
  expect(isFailedEnd(exit(0), ended(reason))).toBe(true);
});

test('an agent that says it is done is; one that says nothing is judged by its exit code', () => {
  const done = ended('done', { ok: true });
  expect(isFailedEnd(exit(0), done)).toBe(false);
  expect(isFailedEnd(exit(null, 'SIGTERM'), done)).toBe(false);
  expect(isFailedEnd(exit(0), undefined)).toBe(false);
  expect(isFailedEnd(exit(1), undefined)).toBe(true);
  expect(isFailedEnd(exit(null, 'SIGKILL'), undefined)).toBe(true);
  expect(isFailedEnd({ started: false, problem: 'not there' }, undefined)).toBe(true);
});

test.each([
  ['auth', 'invalid x-api-key'],
  ['quota', 'Your credit balance is too low'],
])("E-7: %s blocks at once, in the provider's words", (reason, message) => {
  expect(blockerOf(ended(reason, { message }), { name: 'claude' }, 3, '2026-01-02T03:04:05Z')).toMatchObject({
    type: 'action_ended',
    turn: 3,
    at: '2026-01-02T03:04:05Z',
    ok: false,
    errors: [{ message }],
    blocker: { kind: 'permission_denied', resource: `the model provider of claude: ${message}` },
  });
});

test('E-7: a refusal without words still says who refused', () => {
  const event = blockerOf(ended('auth'), { name: 'codex' }, 1, 'now');
  expect(JSON.stringify(event)).toContain('the model provider of codex: it refused codex (auth)');
});

test('E-7: an option that the CLI does not know blocks at once, with the version to install', () => {
  const adapter = { name: 'codex', npmPackage: '@openai/codex', testedVersion: '1.2.3' };
  const message = "error: unexpected argument '--json' found\n\nUsage: codex";
  expect(isFailedEnd(exit(2), ended('unusable', { message }))).toBe(true);
  expect(blockerOf(ended('unusable', { message }), adapter, 1, 'now')).toMatchObject({
    blocker: { kind: 'missing_dependency', name: 'the agent codex' },
    errors: [
      {
        message:
          "this version of codex does not know the options that Autobuild gives it (error: unexpected argument '--json' found Usage: codex). Install the version it was tested with: npm install -g @openai/codex@1.2.3",
      },
    ],
  });
});

test('how it ended is told in one line, with its own words when it failed', () => {
  expect(describeEnd(exit(0), undefined)).toBe('exit 0');
  expect(describeEnd(exit(null, 'SIGKILL'), undefined)).toBe('killed by SIGKILL');
  expect(describeEnd(exit(0), ended('done', { ok: true }))).toBe('exit 0');
  expect(describeEnd(exit(1), ended('api_error', { message: 'HTTP 500\n  try later' }))).toBe(
    'exit 1, api_error: HTTP 500 try later',
  );
  expect(describeEnd(exit(1), ended('failed', { message: 'x'.repeat(10_000) })).length).toBeLessThan(400);
  expect(describeEnd({ started: false, problem: 'no such program' }, undefined)).toBe('no such program');
});
