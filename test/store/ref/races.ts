import { GitHubError } from '../../../src/core/ports/github-port.ts';
import type { RefStorage } from '../../../src/core/ports/ref-storage.ts';
import { LeaseLostError } from '../../../src/store/ref/lease-lost-error.ts';
import type { RefStore } from '../../../src/store/ref/ref-store.ts';
import { createRandom, type Random } from '../../simulation/random.ts';
import { note, request } from '../hosted/commits.ts';
import { openForTest } from './open-for-test.ts';

const MINUTE = 60_000;
/** The time limit of a desk's job. */
const JOB_MS = 10 * MINUTE;
const RUN = 'r1';

/** Where a desk may be killed by intent. It is killed at any call, too. */
const MOMENTS = ['before save', 'after save', 'after an effect', 'before release'] as const;
type Moment = (typeof MOMENTS)[number];

class Killed extends Error {}

export interface Outcome {
  /** Comments that nobody answered. */
  lost: number;
  /** Answers that are there twice. */
  doubled: number;
  /** What happened, to see that the seeds are about something. */
  seen: Record<string, number>;
}

export interface Faults {
  /** Desks take the ref from others that still work. */
  withoutLease?: boolean;
  /** A ref is written whatever is on it. */
  withoutCompare?: boolean;
}

/**
 * One issue with comments that arrive while several desks work on it, each with a clock of its own. Each step of a desk (a call
 * to GitHub, a pause) waits for its turn, and turns are dealt by the seed.
 */
export async function race(
  seed: number,
  /** Called once per desk. */
  connect: () => RefStorage,
  faults: Faults = {},
): Promise<Outcome> {
  const random = createRandom(seed);
  const time = createTime(random);
  const comments: number[] = [];
  /** About the time of a call. Comments arrive at a similar pace, so that desks overlap. */
  const paceMs = random.pick([100, 1_000, 4_000]);
  const answers: string[] = [];
  const ended = new Set<number>();
  const seen: Record<string, number> = {};
  const count = (what: string) => {
    seen[what] = (seen[what] ?? 0) + 1;
  };

  async function runDesk(run: number, isCalm: boolean): Promise<void> {
    const began = time.now();
    const apartMs = isCalm ? 0 : random.between(-MINUTE, MINUTE);
    const killedAt = !isCalm && random.chance(0.3) ? random.pick(MOMENTS) : undefined;
    const callsLeft = !isCalm && random.chance(0.2) ? random.between(1, 40) : Number.POSITIVE_INFINITY;
    // Some desks are slow enough that others give up, or that the time limit of their job ends them.
    const slowMs = !isCalm && random.chance(0.1) ? 2 * MINUTE : paceMs * random.pick([0.2, 1, 4]);
    let calls = 0;
    const turn = async () => {
      calls += 1;
      await time.sleep(random.between(1, Math.max(slowMs, 2)));
      if (calls > callsLeft || time.now() - began > JOB_MS) throw new Killed();
    };
    const maybeKill = (moment: Moment) => {
      if (killedAt !== moment) return;
      count(`killed ${moment}`);
      throw new Killed();
    };
    let opened: RefStore | undefined;
    try {
      opened = await openForTest({
        storage: overNetwork(connect(), { turn, random, isCalm, count, faults }),
        holder: { run, attempt: 1, part: 'desk' },
        // Half of the desks work before they have the lease, as the first try of a real one does.
        lease: run % 2 === 0 && !faults.withoutLease ? 'at first save' : 'now',
        isOver: async (holder) => {
          await turn();
          return faults.withoutLease === true || ended.has(holder.run);
        },
        now: () => time.now() + apartMs,
        async sleep(ms) {
          count('waited');
          await time.sleep(ms);
        },
      });
      await decide(opened, turn);
      maybeKill('before save');
      await opened.save();
      maybeKill('after save');
      await perform(opened, turn, () => maybeKill('after an effect'));
      maybeKill('before release');
      await opened.release();
      opened = undefined;
      count('released');
    } catch (error) {
      count(nameOf(error));
    }
    await opened?.abandon();
    // GitHub notices the end of a job a little later.
    await time.sleep(random.between(0, 5_000));
    ended.add(run);
  }

  /** As the real desk: all comments since the last state, each decided once. */
  async function decide({ store }: RefStore, turn: () => Promise<void>): Promise<void> {
    await turn();
    const { version } = await store.runs.load(RUN);
    if (version === 0) await store.runs.commit(RUN, 0, request(RUN));
    for (const comment of [...comments]) {
      const loaded = await store.runs.load(RUN);
      const reply = note(comment).effects.filter(({ type }) => type === 'reply');
      const commit = { ...note(loaded.version + 1), effects: reply, seen: [`comment:${comment}`] };
      const done = await store.runs.commit(RUN, loaded.version, commit);
      if (!done.ok) throw new Error('two desks write to one database');
    }
  }

  /** As the real lane: an answer is looked for before it is written. */
  async function perform(
    { store }: RefStore,
    turn: () => Promise<void>,
    performed: () => void,
  ): Promise<void> {
    for (;;) {
      const lease = await store.outbox.claim(MINUTE);
      if (!lease) return;
      for (;;) {
        const work = await store.outbox.next(lease);
        if (!work) break;
        const effect = work.effect as { reply?: { title: string } };
        const answer = `${effect.reply?.title} by ${work.id}`;
        await turn();
        const isThere = answers.includes(answer);
        // The other pages of the list.
        await turn();
        await turn();
        if (!isThere) answers.push(answer);
        await turn();
        performed();
        await store.outbox.done(lease, work.id);
      }
      await store.outbox.release(lease);
    }
  }

  const desks: Promise<void>[] = [];
  const people = async () => {
    const many = random.between(4, 9);
    for (let comment = 1; comment <= many; comment += 1) {
      await time.sleep(random.between(0, paceMs * random.pick([1, 10, 40])));
      comments.push(comment);
      // A run that waits in its concurrency group is dropped when another one comes.
      if (random.chance(0.8)) desks.push(runDesk(100 + comment, false));
      else count('dropped');
    }
  };
  await time.play(people());
  await time.play(Promise.all(desks));
  // The next one who says anything.
  await time.play(runDesk(999, true));

  const titles = answers.map((answer) => answer.replace(/ by .*/, ''));
  const lost = comments.filter((comment) => !titles.includes(`note ${comment}`)).length;
  return { lost, doubled: titles.length - new Set(titles).size, seen };
}

/** Calls that take their time, and whose answers are lost now and then. */
function overNetwork(
  storage: RefStorage,
  {
    turn,
    random,
    isCalm,
    count,
    faults,
  }: {
    turn: () => Promise<void>;
    random: Random;
    isCalm: boolean;
    count(what: string): void;
    faults: Faults;
  },
): RefStorage {
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await turn();
    if (!isCalm && random.chance(0.03)) throw lostAnswer();
    const result = await work();
    await turn();
    if (!isCalm && random.chance(0.03)) throw lostAnswer();
    return result;
  };
  const lostAnswer = () => {
    count('answer lost');
    return new GitHubError('GitHub did not answer', { status: 500 });
  };
  return {
    read: (ref) => call(() => storage.read(ref)),
    blob: (oid) => call(() => storage.blob(oid)),
    swap: (ref, before, change) =>
      call(async () => {
        const now = faults.withoutCompare ? (await storage.read(ref))?.oid : before;
        return storage.swap(ref, now, change);
      }),
    list: (prefix) => call(() => storage.list(prefix)),
    remove: (ref, before) => call(() => storage.remove(ref, before)),
  };
}

function nameOf(error: unknown): string {
  if (error instanceof Killed) return 'killed';
  if (error instanceof LeaseLostError) return 'lease lost';
  if (error instanceof GitHubError) return 'gave up on GitHub';
  if ((error as { code?: string }).code === 'state_busy') return 'gave up waiting';
  throw error;
}

/** A clock that moves only when everybody waits. */
function createTime(random: Random) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const waiting: { at: number; go(): void }[] = [];
  const sleep = (ms: number): Promise<void> => new Promise((go) => waiting.push({ at: now + ms, go }));
  return {
    now: () => now,
    sleep,
    async play(work: Promise<unknown>): Promise<void> {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      done.catch(() => undefined);
      while (!isDone) {
        // Everything up to the next wait happens in microtasks.
        await new Promise(setImmediate);
        if (isDone) break;
        const soonest = Math.min(...waiting.map(({ at }) => at));
        const due = waiting.filter(({ at }) => at <= Math.max(now, soonest));
        if (due.length === 0) throw new Error('nobody can go on');
        now = Math.max(now, soonest);
        const next = random.pick(due);
        waiting.splice(waiting.indexOf(next), 1);
        next.go();
      }
      await done;
    },
  };
}
