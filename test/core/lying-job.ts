import { readPlayerReport } from '../../src/core/contracts/agent/player-report.ts';
import type { Envelope, Measured } from '../../src/core/contracts/envelope.ts';
import type { TurnRecord } from '../../src/core/contracts/run-event.ts';
import { PASSING, type Run, type RunOptions, startRun, tests, USAGE } from './run-builder.ts';

const WORK = { digest: 'a'.repeat(64), files: 1, problems: [], secrets: [] };
export const COMPLETE: TurnRecord = {
  turn: 1,
  kind: 'normal',
  read: readPlayerReport(JSON.stringify({ status: 'implemented', summary: 'All done' })),
  verification: PASSING,
  changes: { paths: ['src/a.ts'], added: 1, removed: 0 },
  turn_ms: 1000,
  turn_cost_usd: null,
  turn_added: 1,
  turn_removed: 0,
  exit: 'exit 0',
};
export const UNFINISHED: TurnRecord = { ...COMPLETE, read: undefined, verification: tests(3, 5) };
/** Far more than any limit of a test. */
export const ROUNDS = 40;

const FIRST: Partial<Envelope> = { turn: 1, limits_rev: 1, active_ms: 0 };

/** A job whose every claim is that of a first turn: its number, its guard states and its limits. */
export class LyingJob {
  readonly run: Run;
  readonly #first: Measured;
  constructor(guards: RunOptions['guards'] = {}) {
    this.run = startRun({ freshVerification: true, guards });
    this.#first = this.run.meter.measured();
  }

  begin(kind: TurnRecord['kind'] = 'normal') {
    return this.run.claim('turn_started', { kind, resumed: false }, FIRST);
  }

  end(record: TurnRecord = COMPLETE, guards = this.#first.guards) {
    const measured = { ...this.#first, guards };
    return this.run.claim('turn_ended', { record, usage: USAGE, measured }, FIRST, WORK);
  }

  park() {
    return this.run.claim('parked', { guards: this.#first.guards }, FIRST);
  }

  handOver() {
    return this.run.claim('handed_over', { guards: this.#first.guards }, FIRST);
  }

  failAfresh() {
    const { changeset } = this.run.state;
    return this.run.feed({ type: 'verification', at: this.run.now(), verification: tests(4, 5), changeset });
  }

  /** The number of rounds until a person is asked: claimed as complete, then failed on a clean checkout. */
  roundsUntilAsked(): number {
    for (let round = 1; round <= ROUNDS; round += 1) {
      this.begin();
      this.end();
      this.park();
      this.failAfresh();
      if (this.run.state.pending) return round;
      this.run.startJob();
    }
    return ROUNDS;
  }

  turnsUntilAsked(record = UNFINISHED): number {
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      this.begin(record.kind);
      this.end(record);
      if (this.run.state.pending) return turn;
    }
    return ROUNDS;
  }
}
