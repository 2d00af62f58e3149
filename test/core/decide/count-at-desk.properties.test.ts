import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GuardStates } from '../../../src/core/contracts/guard.ts';
import type { Rules } from '../../../src/core/contracts/rules.ts';
import type { RunEvent } from '../../../src/core/contracts/run-event.ts';
import type { RunState } from '../../../src/core/contracts/run-state.ts';
import { decide } from '../../../src/core/decide/decide.ts';
import { evolve } from '../../../src/core/decide/evolve.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { only } from '../../guards/guard-events.ts';
import { COMPLETE, LyingJob, UNFINISHED } from '../lying-job.ts';
import { PASSING, type Run, roundTrip, startRun, tests } from '../run-builder.ts';

const TURNS = 4;
const VERIFICATIONS = 6;
const guards = only({ max_iterations: TURNS, total_verification_attempts: VERIFICATIONS, need_help: 'on' });

type HostileStep = (job: LyingJob) => unknown;

const guardStates = fc.constantFrom<GuardStates | undefined>(
  undefined,
  {},
  { max_iterations: { count: -1_000_000 }, total_verification_attempts: { count: -7, turns: [] } },
  { max_iterations: 'no state' },
);
const record = fc
  .tuple(fc.constantFrom(COMPLETE, UNFINISHED), fc.constantFrom('normal' as const, 'debug' as const))
  .map(([claimed, kind]) => ({ ...claimed, kind }));

const claims: fc.Arbitrary<HostileStep> = fc.oneof(
  fc.constantFrom('normal' as const, 'debug' as const).map(
    (kind): HostileStep =>
      (job) =>
        job.begin(kind),
  ),
  fc.tuple(record, guardStates).map(
    ([claimed, states]): HostileStep =>
      (job) =>
        job.end(claimed, states),
  ),
  fc.constant<HostileStep>((job) => job.park()),
  fc.constant<HostileStep>((job) => job.handOver()),
  fc.constant<HostileStep>((job) => job.run.startJob()),
  fc.constant<HostileStep>((job) => job.run.lose()),
  fc.constant<HostileStep>((job) => job.failAfresh()),
  fc.constant<HostileStep>((job) => job.run.askForHelp()),
  fc.constant<HostileStep>((job) => job.run.claim('agent_died', { reason: 'x' })),
  fc.constant<HostileStep>((job) => {
    for (const { id } of job.run.state.answers) job.run.claim('answer_delivered', { answer: id });
  }),
);
const words = fc.constantFrom('/continue', '/continue +1', '/guide x', '/debug', '/retry', '/pause').map(
  (text): HostileStep =>
    (job) =>
      job.run.say(text),
);
const hostile = fc.array(fc.oneof({ weight: 12, arbitrary: claims }, { weight: 1, arbitrary: words }), {
  minLength: 20,
  maxLength: 150,
});

test('R-15: between two words of a person there are no more turns and verifications than the limits say', () => {
  let most = 0;
  fc.assert(
    fc.property(hostile, (steps) => {
      const job = new LyingJob(guards);
      for (const step of steps) step(job);
      for (const { limits, events } of betweenWords(job.run.events)) {
        const ended = events.flatMap((event) => (event.type === 'turn_ended' ? [event.record] : []));
        const turns = ended.filter(({ kind }) => kind === 'normal').length;
        const fresh = events.filter(({ type }) => type === 'verification_reported').length;
        expect(turns).toBeLessThanOrEqual(limits.max_iterations as number);
        // One more, because completion wins over the guard that trips with it (K-10), and it is verified afresh.
        expect(ended.filter(({ verification }) => verification).length + fresh).toBeLessThanOrEqual(
          VERIFICATIONS + 1,
        );
        expect(ended.length - turns).toBeLessThanOrEqual(1);
        most = Math.max(most, turns);
      }
      const normal = job.run.state.turns.filter(({ kind }) => kind === 'normal').map(({ turn }) => turn);
      expect(normal).toEqual([...new Set(normal)].toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
  expect(most).toBeGreaterThanOrEqual(TURNS);
});

/** The events after each word of a person, with the limits then. */
function betweenWords(journal: RunEvent[]): { limits: RunState['limits']; events: RunEvent[] }[] {
  const spans: { limits: RunState['limits']; events: RunEvent[] }[] = [];
  for (const event of journal) {
    if (event.type === 'run_requested' || event.type === 'limits_changed')
      spans.push({ limits: event.limits, events: [] });
    else spans.at(-1)?.events.push(event);
  }
  return spans;
}

type HonestStep = (run: Run) => unknown;

const WORK = { digest: 'a'.repeat(64), files: 1, problems: [], secrets: [] };
const DONE = { report: { status: 'implemented', summary: 'All done' }, verification: PASSING, work: WORK };
const works = (step: HonestStep) =>
  fc.constant<HonestStep>((run) => run.state.job_live && run.orders.do === 'work' && step(run));
const honest = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: works((run) => run.turn()) },
    { weight: 4, arbitrary: works((run) => run.turn(DONE)) },
    { weight: 1, arbitrary: works((run) => run.beginTurn()) },
    { weight: 1, arbitrary: works((run) => run.beginTurn().askForHelp()) },
    {
      weight: 6,
      arbitrary: fc.constant<HonestStep>((run) => {
        if (run.state.job_live && run.orders.do !== 'work') run.park();
        if (!run.state.job_live && run.orders.do === 'work') run.startJob();
      }),
    },
    {
      weight: 3,
      arbitrary: fc.constant<HonestStep>((run) => {
        const { changeset, job_live } = run.state;
        if (!job_live)
          run.feed({ type: 'verification', at: run.now(), verification: tests(4, 5), changeset });
      }),
    },
    { weight: 1, arbitrary: fc.constant<HonestStep>((run) => run.lose()) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom('/continue', '/continue +1', '/continue agent=other', '/guide x', '/debug', '/pause')
        .map(
          (text): HonestStep =>
            (run) =>
              run.say(text),
        ),
    },
  ),
  { minLength: 20, maxLength: 80 },
);

test('R-15: with an honest job nothing is decided otherwise than by its own figures', () => {
  const believing: Rules = { ...RULES, trippedBy: () => [] };
  fc.assert(
    fc.property(honest, (steps) => {
      const run = startRun({ freshVerification: true, guards });
      for (const step of steps) step(run);
      let state: RunState | undefined;
      for (const { input, events } of run.commits) {
        expect(roundTrip(decide(state, input, believing).events)).toEqual(roundTrip(events));
        for (const event of events) state = evolve(state, event);
      }
    }),
    { numRuns: 150 },
  );
});
