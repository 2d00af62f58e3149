import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SealedCommand } from '../../../src/core/contracts/command.ts';
import { Effect } from '../../../src/core/contracts/effect.ts';
import type { Input } from '../../../src/core/contracts/input.ts';
import { Orders } from '../../../src/core/contracts/orders.ts';
import { RunEvent, type RunStatus } from '../../../src/core/contracts/run-event.ts';
import { isUnderWay, type RunState } from '../../../src/core/contracts/run-state.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { evolve, foldRun } from '../../../src/core/decide/evolve.ts';
import { ordersFor } from '../../../src/core/decide/orders/orders-for.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { action, clock, proposed } from '../../guards/guard-events.ts';
import { errorAt, PASSING, Run, roundTrip, tests } from '../run-builder.ts';

/** Anything that can be done to a run, in any order, whether or not it makes sense then. */
type Step = (run: Run) => unknown;

const commands: SealedCommand[] = [
  { name: 'guide', text: 'x' },
  { name: 'override', text: 'alternative 1' },
  { name: 'override', text: 'y' },
  { name: 'continue', new_approach: true, turns: 2 },
  { name: 'continue', new_approach: false, minutes: 5 },
  { name: 'continue', new_approach: false, agent: 'other' },
  { name: 'continue', new_approach: false, agent: 'nobody' },
  { name: 'provide', inputs: { url: { ref: 'input-1', length: 3 } } },
  { name: 'provide', inputs: { token: { ref: 'input-2', length: 3 }, __proto: { ref: 'i', length: 0 } } },
  { name: 'approve' },
  { name: 'approve', files: 25 },
  { name: 'approve', paths: ['docs/**'] },
  { name: 'retry' },
  { name: 'debug' },
  { name: 'skip' },
  { name: 'review' },
  { name: 'pause' },
  { name: 'status' },
  { name: 'help' },
];
const endings: SealedCommand[] = [{ name: 'accept' }, { name: 'cancel' }, { name: 'terminate' }];

const blocked_report = {
  blocking_issues: [],
  attempts_made: [],
  suggested_alternatives: ['z'],
  human_action_required: 'w',
};
const reports = [
  undefined,
  'not JSON',
  { status: 'partial' },
  { status: 'partial', blocked_report },
  { status: 'blocked' },
  { status: 'blocked', blocked_report: { ...blocked_report, blocking_issues: [{ category: 'no' }] } },
  { status: 'partial', errors: [{ type: 'strategy_failed', message: 'x' }] },
  { status: 'partial', root_cause_found: true, root_cause: 'It is the clock' },
  { status: 'partial', root_cause_found: false },
];

const give = (command: SealedCommand, escalation?: string): Step => {
  return (run) =>
    run.feed({ type: 'command', at: run.now(), command, by: 'rosa', via: 'comment', escalation });
};

const verification = fc.constantFrom(
  PASSING,
  tests(3, 5),
  tests(3, 5, { errors: [errorAt('boom')] }),
  tests(4, 5, { errors: [errorAt('bang')] }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...commands).map((command) => give(command)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...commands), fc.constantFrom('e1', 'e2', 'e9'))
      .map(([command, escalation]) => give(command, escalation)),
  },
  { weight: 4, arbitrary: fc.constant<Step>((run) => run.orders.do === 'work' && run.beginTurn()) },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...reports), verification).map(
      ([report, checked]): Step =>
        (run) =>
          run.endTurn({ report, verification: checked }),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Step>((run) => run.trip()) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        action({ ok: false, errors: [errorAt('boom')] }),
        clock(90),
        proposed('x.ts', 'file_limit', ['a.ts']),
        proposed('y.ts', 'out_of_scope', [], ['src']),
      )
      .map(
        (event): Step =>
          (run) =>
            run.observe(event),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constant<Step>((run) => run.askForHelp([{ key: 'url' }, { key: 'token', secret: true }])),
  },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.timer()) },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.timer('reminder:e1')) },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.lose()) },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.park()) },
  { weight: 2, arbitrary: fc.constant<Step>((run) => run.startJob()) },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.claim('agent_died', { reason: 'x' })) },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((run) => run.claim('acknowledged', { escalation: 'e1', text: 'x' })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((run) => run.claim('handed_over', { guards: run.meter.states() })),
  },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.trip({ limits_rev: 1, fence: 1 })) },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((run) =>
      run.endTurn({ report: { status: 'implemented' }, verification: PASSING }),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...endings).map((command) => give(command)) },
);

const story = fc.array(step, { minLength: 5, maxLength: 60 });

const FINAL: RunStatus[] = ['reviewing', 'failed', 'cancelled', 'terminated_by_human'];
const ALLOWED: Record<RunStatus, RunStatus[]> = {
  pending: ['building', 'waiting_for_input', ...FINAL],
  building: ['waiting_for_input', ...FINAL],
  waiting_for_input: ['building', ...FINAL],
  reviewing: ['terminated_by_human'],
  approved: [],
  rejected: [],
  failed: [],
  cancelled: [],
  terminated_by_human: [],
};

const REST: ReadonlySet<string> = new Set(['revision_asked', 'run_finished']);

function play(steps: Step[]): Run {
  const run = new Run({ guards: { max_iterations: 4 }, task: { scope: ['src'] } }).startJob().baseline();
  for (const each of steps) each(run);
  return run;
}

test('whatever happens, nothing throws, the journal reads back, and folding it gives the same state', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const run = play(steps);
      const journal = run.events.map((event) => RunEvent.parse(roundTrip(event)));
      expect(roundTrip(foldRun(journal))).toEqual(roundTrip(run.state));
      expect(Orders.safeParse(roundTrip(ordersFor(run.state))).success).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test('P-3: the status only moves along the allowed ways, and once the run has ended nothing changes any more', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const run = play(steps);
      let state: RunState | undefined;
      for (const event of run.events) {
        const next = evolve(state, event);
        if (state && next.status !== state.status) expect(ALLOWED[state.status]).toContain(next.status);
        // At rest a round may be asked for, and the run may be ended.
        const isOver = state && !isUnderWay(state) && !REST.has(event.type);
        if (state && (isOver || (state.status !== 'reviewing' && !isUnderWay(state)))) {
          // A refusal is journalled; it is no change.
          expect(event.type).toBe('command_refused');
          expect({ ...next, updated_at: '' }).toEqual({ ...state, updated_at: '' });
        }
        state = next;
      }
    }),
    { numRuns: 150 },
  );
});

test('E-8: at most one question is open, it is the newest, and a run waits for exactly that', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const run = play(steps);
      let state: RunState | undefined;
      for (const event of run.events) {
        state = evolve(state, event);
        const open = state.escalations.filter((escalation) => escalation.status === 'pending');
        expect(open.length).toBeLessThanOrEqual(1);
        if (state.pending) expect(state.pending).toBe(state.escalations.at(-1)?.id);
        if (isUnderWay(state)) expect(open[0]?.id).toBe(state.pending);
      }
      if (run.state.pending) expect(run.state.status).toBe('waiting_for_input');
      if (run.state.status === 'waiting_for_input')
        expect(run.state.pending ?? run.state.paused).toBeDefined();
    }),
    { numRuns: 150 },
  );
});

test('a decision is a function of state and input: asked again it is the same, and it changes neither', () => {
  fc.assert(
    fc.property(story, (steps) => {
      const run = play(steps);
      let state: RunState | undefined;
      for (const { input, events, effects } of run.commits) {
        const before = JSON.stringify([state, input]);
        const again = decide(state, input as Input, RULES);
        expect(roundTrip(again.events)).toEqual(roundTrip(events));
        expect(again.effects.map((effect) => Effect.parse(roundTrip(effect)))).toEqual(effects);
        expect(JSON.stringify([state, input])).toBe(before);
        for (const event of events) state = evolve(state, event);
      }
    }),
    { numRuns: 50 },
  );
});

test('a journal that does not start with the request is refused', () => {
  expect(() => foldRun([{ type: 'job_lost', at: '2026-11-16T10:00:00.000Z', reason: 'x' }])).toThrow(
    'The journal starts with job_lost',
  );
  expect(foldRun([])).toBeUndefined();
});

test('every step of the stories is taken by some of them', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(story, (steps) => {
      for (const event of play(steps).events) seen.add(event.type);
    }),
    { numRuns: 300, seed: 7 },
  );
  const reachable = RunEvent.options.map((option) => option.shape.type.value);
  // Freezing is the runner's, the others belong to a desk on GitHub.
  const elsewhere = [
    'agent_frozen',
    'verification_requested',
    'verification_dropped',
    'verification_reported',
    'pull_request_closed',
    'pull_request_reopened',
    'revision_dropped',
    'revisions_allowed',
    'revision_started',
    'revision_ended',
    'revision_moved',
    'ci_reported',
    'ci_answered',
    'run_judged',
  ];
  expect(reachable.filter((type) => !seen.has(type))).toEqual(elsewhere);
});
