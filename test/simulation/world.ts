import { AsyncLocalStorage } from 'node:async_hooks';
import { createRandom, type Random } from './random.ts';

/** A process that may die: a desk between two restarts, or a job. */
export interface Process {
  name: string;
  dead: boolean;
  /** Nothing of the process goes on before this time. */
  stalledUntil: number;
  /** Until then it answers webhooks late, because it stands still or its store is slow. */
  hinderedUntil?: number;
  /** Intervals that it sets meanwhile are those of its loops, which may come later. */
  isStarting?: boolean;
}

interface Event {
  at: number;
  order: number;
  act(): unknown;
}

const processes = new AsyncLocalStorage<Process>();
const realSetInterval = globalThis.setInterval;
const realClearInterval = globalThis.clearInterval;
const realTimeout = AbortSignal.timeout;
const BEGIN = Date.UTC(2026, 10, 16, 9, 0, 0);
/**
 * A desk looks for due work every second, for missing jobs every ten, and renews its lease of a task every five. Another desk's
 * commit wakes it sooner, so fewer looks show the same, and still fewer once nothing fails any more.
 */
const STRETCHED_MS: Record<number, number> = { 1000: 23_000, 5000: 14_000, 10000: 19_000 };
const CALM_MS: Record<number, number> = { ...STRETCHED_MS, 1000: 37_000, 10000: 41_000 };
/** The longest time between two looks for due work, and for missing or silent jobs. */
export const LOOK_MS = 37_000;
export const WATCH_MS = 41_000;

/**
 * Virtual time and everything that is under way. One event happens at a time and everything that follows from it without
 * waiting, so a seed has one history.
 */
export class World {
  now = BEGIN;
  readonly random: Random;
  readonly trace: string[] = [];
  readonly faults: Faults;
  steps = 0;
  #events: Event[] = [];
  #order = 0;

  constructor(seed: number, allowed?: ReadonlySet<number>) {
    this.random = createRandom(seed);
    this.faults = new Faults(createRandom(seed ^ 0x5f35), () => this.now, allowed);
  }

  log(text: string): void {
    this.trace.push(`${((this.now - BEGIN) / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  after(ms: number, act: () => unknown): void {
    this.#push({ at: this.now + Math.max(0, ms), order: this.#order++, act });
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Runs in the name of a process, so that its intervals end with it. */
  as<Result>(process: Process, work: () => Result): Result {
    return processes.run(process, work);
  }

  /** Continues once the process is not stalled; never if it is dead. */
  whenAwake(process: Process, act: () => unknown): unknown {
    if (process.dead) return undefined;
    if (process.stalledUntil <= this.now) return act();
    return this.after(process.stalledUntil - this.now, () => this.whenAwake(process, act));
  }

  async runFor(ms: number, isOver: () => boolean = () => false): Promise<void> {
    const end = this.now + ms;
    while (!isOver()) {
      const next = this.#events[0];
      if (!next || next.at > end) break;
      this.#pop();
      this.now = Math.max(this.now, next.at);
      this.steps += 1;
      await next.act();
      await settled();
    }
    this.now = Math.max(this.now, end);
  }

  /** Until `restore`, intervals and time limits run by virtual time and end with the process that set them. */
  replaceTimers(): () => void {
    const cleared = new Set<object>();
    const set = (callback: () => void, ms = 0) => {
      const process = processes.getStore();
      const handle = {};
      const isLoop = process?.isStarting === true;
      const every = () => (isLoop && (this.faults.calm ? CALM_MS : STRETCHED_MS)[ms]) || ms;
      const tick = () => {
        if (cleared.delete(handle) || process?.dead) return;
        if (process && process.stalledUntil > this.now)
          return this.after(process.stalledUntil - this.now, tick);
        if (process) processes.run(process, callback);
        else callback();
        this.after(every(), tick);
      };
      this.after(every(), tick);
      return handle;
    };
    globalThis.setInterval = set as unknown as typeof setInterval;
    globalThis.clearInterval = ((handle: object) => void cleared.add(handle)) as typeof clearInterval;
    AbortSignal.timeout = (ms) => this.#limit(ms);
    return () => {
      globalThis.setInterval = realSetInterval;
      globalThis.clearInterval = realClearInterval;
      AbortSignal.timeout = realTimeout;
    };
  }

  #limit(ms: number): AbortSignal {
    const process = processes.getStore();
    const controller = new AbortController();
    const abort = () => controller.abort();
    this.after(ms, () => (process ? this.whenAwake(process, abort) : abort()));
    return controller.signal;
  }

  #push(event: Event): void {
    const events = this.#events;
    events.push(event);
    for (let at = events.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(events[at] as Event, events[parent] as Event)) break;
      [events[at], events[parent]] = [events[parent] as Event, events[at] as Event];
      at = parent;
    }
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop() as Event;
    if (events.length === 0) return;
    events[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < events.length && isBefore(events[child] as Event, events[least] as Event)) least = child;
      if (least === at) return;
      [events[at], events[least]] = [events[least] as Event, events[at] as Event];
      at = least;
    }
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** All that follows without waiting has happened: promises are settled before the next turn of the event loop. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Decides which faults happen. Each has a number, so that a history can be repeated with fewer of them. */
export class Faults {
  readonly happened: { number: number; kind: string; at: number }[] = [];
  /** Nothing fails any more. */
  calm = false;
  #random: Random;
  #now: () => number;
  #allowed: ReadonlySet<number> | undefined;
  #asked = 0;

  constructor(random: Random, now: () => number, allowed?: ReadonlySet<number>) {
    this.#random = random;
    this.#now = now;
    this.#allowed = allowed;
  }

  happens(kind: string, chance: number): boolean {
    const number = this.#asked++;
    const drawn = this.#random.next() < chance;
    if (!drawn || this.calm || (this.#allowed && !this.#allowed.has(number))) return false;
    this.happened.push({ number, kind, at: this.#now() });
    return true;
  }
}
