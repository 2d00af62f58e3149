import { expect, test } from 'vitest';
import { HelpRequest } from '../../src/core/contracts/agent/help-request.ts';
import type { GuardEvent } from '../../src/core/contracts/guard.ts';
import { guardById } from '../../src/guards/registry.ts';
import { agentChanged, rearmed, triggerOf, turnStarted } from './guard-events.ts';

const guard = guardById('need_help');
const progress = { turn: 6, max_turns: 10, score: { unit: 'tests', passed: 11, total: 14 } } as const;
const asked = (help: object): GuardEvent => ({
  type: 'help_requested',
  turn: 6,
  help: HelpRequest.parse({ what_i_tried: 'everything', what_i_need: 'the keys', ...help }),
});
const trips = (...events: GuardEvent[]) => {
  const trigger = triggerOf('need_help', events);
  if (!trigger) throw new Error('no trigger');
  return trigger;
};

const keys = asked({
  inputs: [
    { key: 'publishable', label: 'Publishable key' },
    { key: 'secret', label: 'Secret key', secret: true },
  ],
});

test('P-1: a request for values trips with the request', () => {
  const trigger = trips(keys);
  expect(trigger.evidence.help?.inputs.map((input) => input.key)).toEqual(['publishable', 'secret']);
  expect(guard.headline(trigger, progress)).toBe('2 values needed (0 of 2 given)');
  expect(
    guard.options(trigger, progress).map(({ label, description, command }) => [label, description, command]),
  ).toEqual([
    ['I added them as Actions secrets', 'check again.', '/continue'],
    ['Skip and continue', 'list the 3 tests as a known issue, finish the rest.', '/skip'],
    ['Accept current', 'open the pull request with 11/14 tests passing, marked partial.', '/accept'],
    ['Review', 'show the full history, then ask again.', '/review'],
    ['Cancel', 'stop here; the branch is kept.', '/cancel'],
  ]);
});

test('P-9: the box about one value speaks of one', () => {
  const trigger = trips(asked({ inputs: [{ key: 'secret', label: 'Secret key', secret: true }] }));
  expect(guard.options(trigger, progress)[0]?.label).toBe('I added it as an Actions secret');
});

test('P-1: without a secret nothing points at secrets; without inputs it is a question', () => {
  const trigger = trips(asked({ inputs: [{ key: 'name', label: 'Name' }] }));
  expect(guard.headline(trigger, progress)).toBe('1 value needed (0 of 1 given)');
  expect(guard.options(trigger, progress).map((option) => option.command)).not.toContain('/continue');
  expect(guard.headline(trips(asked({})), progress)).toBe('the agent has a question');
});

test('P-1: a request that cannot be read trips with its text and what is wrong with it', () => {
  const trigger = trips({ type: 'help_requested', turn: 6, raw: 'what: [', problem: 'not YAML' });
  expect(trigger.evidence).toEqual({ help_raw: 'what: [', help_problem: 'not YAML' });
  expect(guard.headline(trigger, progress)).toBe(
    'the agent asked for help, but its message could not be read',
  );
  expect(guard.question(trigger, progress)).toContain('not YAML');
});

test('P-1: an answer, the next turn and another agent clear it; another guard being re-armed does not', () => {
  for (const event of [rearmed('need_help'), turnStarted(7), agentChanged]) {
    expect(triggerOf('need_help', [keys, event])).toBeUndefined();
  }
  expect(triggerOf('need_help', [keys, rearmed('review_required')])).toBeDefined();
});
