import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Effect } from '../core/contracts/effect.ts';
import { Input } from '../core/contracts/input.ts';
import { RunEvent } from '../core/contracts/run-event.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import { evolve } from '../core/decide/evolve.ts';
import type { Commit, RunStore } from '../core/ports/ports.ts';
import { type JournalChange, openJournalRecord } from './journal-record.ts';

/** One line is one complete decision: input, events and effects. A line cut off by a crash was never acknowledged. */
const JournalLine = z.object({
  v: z.literal(1),
  input: Input,
  events: z.array(RunEvent),
  effects: z.array(Effect),
});

export class JournalError extends Error {
  override name = 'JournalError';
}

interface ReadJournal {
  commits: Commit[];
  /** The length of all complete lines in bytes. Any bytes after them are a line cut off by a crash. */
  wholeBytes: number;
  torn: string;
}

const NEWLINE = 0x0a;
const HOW =
  'by another program while the run was under way, perhaps by the agent. Nothing was added to it. ' +
  'Compare it with a backup, correct it, then continue with autobuild resume.';

/** Reads a journal and separates a cut-off last line. A bad line before the last one is damage, not a crash. */
export function readJournal(contents: Uint8Array | string, file: string, linesBefore = 0): ReadJournal {
  const bytes = typeof contents === 'string' ? Buffer.from(contents) : contents;
  const wholeBytes = bytes.lastIndexOf(NEWLINE) + 1;
  const lines = new TextDecoder().decode(bytes.subarray(0, wholeBytes)).split('\n').slice(0, -1);
  return {
    commits: lines.map((line, index) => readLine(line, linesBefore + index + 1, file)),
    wholeBytes,
    torn: new TextDecoder().decode(bytes.subarray(wholeBytes)),
  };
}

function writeLine({ input, events, effects }: Commit): string {
  return `${JSON.stringify({ v: 1, input, events, effects })}\n`;
}

function readLine(line: string, number: number, file: string): Commit {
  const parsed = JournalLine.safeParse(parseJson(line));
  if (parsed.success) {
    const { input, events, effects } = parsed.data;
    return { input, events, effects };
  }
  const problem = parsed.error.issues[0];
  throw new JournalError(
    `${file}, line ${number} is not a journal line (${problem?.path.join('.') || 'whole line'}: ${problem?.message}). ` +
      'Restore the file from a backup, or cut it before that line to continue from there.',
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A line that no process of this run wrote, and what it says now. */
export type ForeignLine = JournalChange & { commit?: Commit };

/** Digests of the lines of each journal that is open in this process, by its inode. */
const written = new Map<string, { lines: string[]; stores: number }>();

/**
 * The journal of one run in one file, appended and synced before anything is acknowledged. The worktree lock excludes other
 * processes. Lines that another store of this process appended are read before every load and commit. Any other change was made
 * by the agent or by hand: from then on nothing is loaded or appended, because limits and approvals may be among it (S-7).
 */
export function openFileStore(
  directory: string,
): RunStore & { repaired?: string; changes: ForeignLine[]; close(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'journal.jsonl');
  const descriptor = openSync(file, 'a+', 0o600);
  let version = 0;
  let state: RunState | undefined;
  /** The number of journal bytes folded into `state`. */
  let read = 0;
  const { dev, ino } = fstatSync(descriptor);
  const ours = written.get(`${dev}:${ino}`) ?? { lines: [], stores: 0 };
  /** False while the journal is read for the first time in this process. */
  let isKnown = ours.stores > 0;

  /** Throws if the file is not what this process read at first and wrote since. */
  const check = () => {
    const present = statSync(file, { throwIfNoEntry: false });
    if (present?.ino !== ino || present.dev !== dev)
      throw new JournalError(`${file} was ${present ? 'replaced' : 'removed'} ${HOW}`);
    const found = digestLines(readFrom(descriptor, 0, Number(present.size)));
    const changed = ours.lines.findIndex((line, index) => line !== found[index]);
    if (changed >= 0) throw new JournalError(`${file}, line ${changed + 1} was changed ${HOW}`);
    if (found.length > ours.lines.length)
      throw new JournalError(`${file}, line ${ours.lines.length + 1} was added ${HOW}`);
  };

  const apply = (commit: Commit) => {
    version += 1;
    for (const event of commit.events) state = evolve(state, event);
  };
  /** Folds lines that were appended since the last read. Returns an incomplete last line. */
  const catchUp = (): string => {
    if (isKnown) check();
    const { size } = fstatSync(descriptor);
    const journal = readJournal(readFrom(descriptor, read, size), file, version);
    for (const commit of journal.commits) apply(commit);
    read += journal.wholeBytes;
    return journal.torn;
  };

  let repaired: string | undefined;
  let changes: ForeignLine[] = [];
  const record = openJournalRecord(directory);
  try {
    const torn = catchUp();
    if (torn) {
      repaired = `${file}.torn`;
      writeFileSync(repaired, torn, { mode: 0o600 });
      ftruncateSync(descriptor, read);
    }
    if (!isKnown) {
      const bytes = readFrom(descriptor, 0, read);
      ours.lines = digestLines(bytes);
      const found = record.compare(ours.lines);
      if (found.length > 0) {
        const { commits } = readJournal(bytes, file);
        changes = found
          .filter(({ kind }) => kind !== 'unfinished' || repaired === undefined)
          .map((change) => ({ ...change, commit: commits[change.line - 1] }));
      }
    }
    isKnown = true;
    ours.stores += 1;
    written.set(`${dev}:${ino}`, ours);
  } catch (error) {
    closeSync(descriptor);
    record.close();
    throw error;
  }
  return {
    repaired,
    changes,
    close() {
      ours.stores -= 1;
      if (ours.stores === 0) written.delete(`${dev}:${ino}`);
      closeSync(descriptor);
      record.close();
    },
    async load() {
      catchUp();
      return { version, state };
    },
    async commit(_run, expectedVersion, commit) {
      catchUp();
      if (expectedVersion !== version) return { ok: false };
      const line = Buffer.from(writeLine(commit));
      const digests = digestLines(line);
      try {
        record.add(digests);
        writeWhole(descriptor, line);
        fsyncSync(descriptor);
      } catch (error) {
        // An incomplete line would make the journal unreadable from here.
        ftruncateSync(descriptor, read);
        record.restore();
        throw error;
      }
      read += line.length;
      ours.lines.push(...digests);
      apply(commit);
      return { ok: true, version };
    },
  };
}

/** One digest per line, an incomplete last one included. */
function digestLines(bytes: Buffer): string[] {
  const digests: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    digests.push(createHash('sha256').update(bytes.subarray(start, end)).digest('base64'));
    start = end;
  }
  return digests;
}

function readFrom(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** A write to a full disk may store only a part and report no error. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}
