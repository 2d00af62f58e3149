import type { Effect, Outgoing } from '../../src/core/contracts/effect.ts';
import type { LaneLease, OutgoingEffect } from '../../src/core/ports/outbox.ts';

/**
 * Effects of one kind may wait for one another, and no others. Said here again, because the order of the lane is what is
 * tested.
 */
const KINDS: Record<Outgoing['type'], string> = {
  stop_job: 'stop',
  stop_verification: 'stop',
  dispatch_job: 'job',
  dispatch_verification: 'job',
  delete_comment: 'deletion',
  react: 'reaction',
  update_status: 'status',
  ask: 'question',
  close_question: 'question',
  notify: 'question',
  show_review: 'review',
  publish: 'work',
  forget_inputs: 'work',
  show_receipt: 'work',
  run_ci: 'work',
  describe_pull: 'work',
  answer_remarks: 'work',
  collect_revision: 'work',
  settle_pull: 'work',
  show_ci: 'ci',
  save_blocked_report: 'report',
  reply: 'reply',
  notice: 'reply',
};

/** Said about the work. Once they failed, nobody waits for them. */
const WORDS: ReadonlySet<Outgoing['type']> = new Set(['show_receipt', 'answer_remarks', 'describe_pull']);

/** Those of one run are performed in the order they were decided, because each relies on what those before it did. */
const ORDERED: ReadonlySet<string> = new Set(['stop', 'job', 'work']);

/** GitHub asks for no call before this time. */
export function limitWords(until: number): string {
  return `not before ${until}`;
}

const LIMIT = /not before (\d+)/;

interface Waiting {
  id: string;
  run: string | undefined;
  type: Outgoing['type'];
  isTried: boolean;
  isFailed: boolean;
}

/** Follows what the store is asked, and notices a lane that is worked in a wrong order. A history has one issue, so one lane. */
export class LaneWatch {
  readonly #broken: string[];
  #waiting: Waiting[] = [];
  /** Statuses that a newer one replaced. */
  #replaced = new Set<string>();
  /** When GitHub may be called again for an effect or a webhook, by its id. */
  #notBefore = new Map<string, number>();
  /** When each lease ends, by its fence. */
  #leases = new Map<string, number>();

  constructor(broken: string[]) {
    this.#broken = broken;
  }

  /** To be called after each call of the store, in the order they took effect. */
  called(name: string, args: readonly unknown[], result: unknown, now: number): void {
    switch (name) {
      case 'runs.commit': {
        const { ok, duplicate, version } = result as { ok: boolean; duplicate?: boolean; version?: number };
        const [run, , { effects }] = args as [string, number, { effects: Effect[] }];
        if (ok && !duplicate) this.#put(run, `${run}.${version}`, effects);
        return;
      }
      case 'runs.write': {
        const [, id, effects] = args as [string, string, Outgoing[]];
        if (result) this.#put(undefined, id, effects);
        return;
      }
      case 'outbox.claim':
        if (result) this.#leases.set((result as LaneLease).fence, now + Number(args[0]));
        return;
      case 'outbox.renew':
        if (result) this.#leases.set((args[0] as LaneLease).fence, now + Number(args[1]));
        return;
      case 'outbox.done':
      case 'outbox.bury':
        if (result) this.#waiting = this.#waiting.filter(({ id }) => id !== args[1]);
        return;
      case 'outbox.retry':
        if (result) this.#retried(String(args[1]), args[3]);
        return;
      case 'inbox.retry':
        if (result) this.#limited((args[0] as { id: string }).id, args[2]);
        return;
      case 'inbox.claim':
        if (result) this.#checkLimit((result as { id: string }).id, now);
        return;
      case 'outbox.next':
        // A worker that is kept for urgent effects leaves the others.
        if (!result && args[1]) return;
        if ((this.#leases.get((args[0] as LaneLease).fence) ?? 0) > now)
          this.#next(result as OutgoingEffect | undefined, now);
    }
  }

  #retried(id: string, error: unknown): void {
    this.#limited(id, error);
    for (const one of this.#waiting) if (one.id === id) one.isFailed = error !== undefined;
  }

  #limited(id: string, error: unknown): void {
    const [, until] = LIMIT.exec(String(error)) ?? [];
    if (until === undefined) this.#notBefore.delete(id);
    else this.#notBefore.set(id, Number(until));
  }

  /** what GitHub limits waits as long as GitHub asks. */
  #checkLimit(id: string, now: number): void {
    const until = this.#notBefore.get(id) ?? 0;
    if (now < until)
      this.#broken.push(`R-10: ${id} is tried again ${until - now} ms before GitHub allows it`);
  }

  #put(run: string | undefined, prefix: string, effects: (Effect | Outgoing)[]): void {
    for (const [index, { type }] of effects.entries()) {
      if (type === 'set_timer' || type === 'clear_timer') continue;
      if (type === 'update_status') {
        const isOlder = (one: Waiting) => one.type === type && one.run === run;
        for (const { id } of this.#waiting.filter(isOlder)) this.#replaced.add(id);
        this.#waiting = this.#waiting.filter((one) => !isOlder(one));
      }
      this.#waiting.push({ id: `${prefix}.${index}`, run, type, isTried: false, isFailed: false });
    }
  }

  #next(chosen: OutgoingEffect | undefined, now: number): void {
    const ready = this.#waiting.filter((one) => !one.isTried && this.#leads(one));
    if (!chosen) {
      for (const { type, id } of ready)
        this.#broken.push(`R-3: ${type} (${id}) waits, although nothing of its kind is before it`);
      return;
    }
    const { id, effect } = chosen;
    this.#checkLimit(id, now);
    if (this.#replaced.has(id)) this.#broken.push(`R-10: the status ${id} is written after a newer one`);
    this.#checkOrder(id);
    const urgent = ready.find(isOfJobs);
    const isUrgent = isOfJobs(effect) || isQuick(effect);
    if (urgent && !isUrgent)
      this.#broken.push(`R-9: ${effect.type} (${id}) came before ${urgent.type} (${urgent.id})`);
    for (const one of this.#waiting) if (one.id === id) one.isTried = true;
  }

  /** what failed is tried again before what was decided after it. */
  #checkOrder(chosen: string): void {
    const effect = this.#waiting.find(({ id }) => id === chosen);
    const older = effect && ORDERED.has(KINDS[effect.type]) ? this.#olderThan(effect) : undefined;
    if (effect && older)
      this.#broken.push(`R-10: ${effect.type} (${chosen}) came before ${older.type} (${older.id})`);
  }

  #leads(effect: Waiting): boolean {
    return this.#olderThan(effect) === undefined;
  }

  /** The first of its kind that was decided before it. Words that failed hold up nothing. */
  #olderThan(effect: Waiting): Waiting | undefined {
    return this.#waiting
      .slice(0, this.#waiting.indexOf(effect))
      .find(
        ({ run, type, isFailed }) =>
          run === effect.run && KINDS[type] === KINDS[effect.type] && !(isFailed && WORDS.has(type)),
      );
  }
}

function isOfJobs({ type }: Pick<Outgoing, 'type'>): boolean {
  return KINDS[type] === 'stop' || KINDS[type] === 'job';
}

/** Not later than stopping and starting jobs: a secret that has to go, and the sign that a command was seen. */
function isQuick(effect: Outgoing): boolean {
  return effect.type === 'delete_comment' || (effect.type === 'react' && effect.reaction === 'eyes');
}
