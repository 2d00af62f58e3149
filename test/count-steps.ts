import { Session } from 'node:inspector';

/**
 * Counts the work of a function without a clock: V8 counts how often each block of code runs, and built-in functions, which it
 * does not look into, add the length of what they read or write.
 */
export function countSteps(work: () => void): number {
  const session = counting();
  const scanned = watchBuiltIns();
  try {
    take(session);
    work();
  } finally {
    scanned.stop();
  }
  return take(session) + scanned.length();
}

const KEY = Symbol.for('autobuild.steps');
const shared = globalThis as { [KEY]?: Session };

/** Blocks are counted only in functions that are compiled afterwards, so this has to come before they are imported. */
export function startCounting(): void {
  if (shared[KEY]) return;
  const session = new Session();
  session.connect();
  post(session, 'Profiler.enable');
  post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  shared[KEY] = session;
}

function counting(): Session {
  const session = shared[KEY];
  if (!session)
    throw new Error('Steps are counted only in test files that import expect-linear.ts themselves.');
  return session;
}

interface Coverage {
  result: { functions: { ranges: { count: number }[] }[] }[];
}

/** Steps since the last time. */
function take(session: Session): number {
  const { result } = post(session, 'Profiler.takePreciseCoverage') as Coverage;
  const ranges = result.flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/** The inspector of this thread answers before `post` returns. */
function post(session: Session, method: string, params?: object): unknown {
  let answer: unknown;
  let problem: Error | null = null;
  session.post(method, params, (error, result) => {
    problem = error;
    answer = result;
  });
  if (problem) throw problem;
  return answer;
}

type Any = (this: never, ...args: never[]) => unknown;
type Cost = (self: never, args: never[], result: never) => number;

const ofSelf = (self: { length: number }) => self.length;
const ofResult = (_self: unknown, _args: unknown, result: { length: number }) => result.length;
type Searched = { length: number; indexOf(item: unknown, from?: number): number };
const { indexOf: indexOfText } = String.prototype;
const { indexOf: indexOfItem } = Array.prototype;
/** How far a search came. */
const upTo = (self: Searched, [item, from = 0]: [never, number?], found: number | boolean) => {
  const search = typeof self === 'string' ? indexOfText : indexOfItem;
  const at = found === true ? search.call(self as never, item, from) : found;
  return (typeof at === 'number' && at >= 0 ? at : self.length) - Math.min(from, self.length);
};
const downTo = (self: Searched, [, from = self.length]: [unknown, number?], found: number) =>
  Math.min(from, self.length) - found;
const ofRemoved = (self: { length: number }, _args: unknown, result: { length: number }) =>
  self.length - result.length;
const ofArgument = (_self: unknown, [text]: [{ length: number }]) => text.length;

/** Those that read or write more than a bounded piece. Slices of strings and appended strings share their text. */
const COSTS: [object, Record<string, unknown>][] = [
  [
    String.prototype,
    {
      ...{ indexOf: upTo, includes: upTo, lastIndexOf: downTo, split: ofSelf, replaceAll: ofSelf },
      ...{ toLowerCase: ofSelf, toUpperCase: ofSelf, normalize: ofSelf, toWellFormed: ofSelf },
      ...{ trim: ofRemoved, trimStart: ofRemoved, trimEnd: ofRemoved, repeat: ofResult, padEnd: ofResult },
      ...{ startsWith: ofArgument, endsWith: ofArgument, localeCompare: ofSelf },
    },
  ],
  [
    Array.prototype,
    {
      ...{ indexOf: upTo, includes: upTo, lastIndexOf: downTo, slice: ofResult, concat: ofResult },
      ...{ join: ofResult, shift: ofSelf, unshift: ofSelf, splice: ofSelf, reverse: ofSelf, sort: ofSelf },
      ...{ toSorted: ofSelf, toReversed: ofSelf, flat: ofResult, fill: ofSelf },
    },
  ],
  [
    RegExp.prototype,
    {
      exec(self: RegExp, [text]: [string], found: RegExpExecArray | null) {
        if (found) return found.index + found[0].length - started;
        const isAnchored = self.sticky || (self.source.startsWith('^') && !self.multiline);
        return isAnchored ? 1 : String(text).length - started;
      },
    },
  ],
  [
    JSON,
    { parse: ofArgument, stringify: (_self: unknown, _args: unknown, text?: string) => text?.length ?? 0 },
  ],
  [Buffer, { concat: ofResult, from: ofResult }],
  [
    Buffer.prototype,
    {
      ...{ toString: ofResult, indexOf: upTo, includes: upTo },
      copy: (_self: unknown, _args: unknown, copied: number) => copied,
    },
  ],
];

/** Where a regular expression began to read. It goes on from there, unless it starts anew at each call. */
let started = 0;

function watchBuiltIns(): { stop(): void; length(): number } {
  let length = 0;
  const undo: (() => void)[] = [];
  for (const [owner, costs] of COSTS) {
    for (const [name, cost] of Object.entries(costs)) {
      const holder = owner as Record<string, Any>;
      const original = holder[name] as Any;
      const isRegExp = owner === RegExp.prototype;
      const watched = function (this: never, ...args: never[]): unknown {
        const { lastIndex, global, sticky } = this as RegExp;
        const from = isRegExp && (global || sticky) ? lastIndex : 0;
        const result = original.apply(this, args);
        started = from;
        length += (cost as Cost)(this, args, result as never);
        return result;
      };
      holder[name] = watched;
      undo.push(() => {
        holder[name] = original;
      });
    }
  }
  return {
    stop() {
      for (const restore of undo) restore();
    },
    length: () => length,
  };
}
