import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
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
      'Restore the file from a backup, or cut it before that line to go on from there.',
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * The journal of one run in one file, appended and synced before anything is acknowledged. The worktree lock excludes other
 * processes. Lines that another store of this process appended are read before every load and commit.
 */
export function openFileStore(directory: string): RunStore & { repaired?: string; close(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'journal.jsonl');
  const descriptor = openSync(file, 'a+', 0o600);
  let version = 0;
  let state: RunState | undefined;
  /** The number of journal bytes folded into `state`. */
  let read = 0;

  const apply = (commit: Commit) => {
    version += 1;
    for (const event of commit.events) state = evolve(state, event);
  };
  /** Folds lines that were appended since the last read. Returns an incomplete last line. */
  const catchUp = (): string => {
    const { size } = fstatSync(descriptor);
    if (size < read)
      throw new JournalError(`${file} got shorter while it was in use. Restore it from a backup.`);
    const journal = readJournal(readFrom(descriptor, read, size), file, version);
    for (const commit of journal.commits) apply(commit);
    read += journal.wholeBytes;
    return journal.torn;
  };

  let repaired: string | undefined;
  try {
    const torn = catchUp();
    if (torn) {
      repaired = `${file}.torn`;
      writeFileSync(repaired, torn, { mode: 0o600 });
      ftruncateSync(descriptor, read);
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return {
    repaired,
    close: () => closeSync(descriptor),
    async load() {
      catchUp();
      return { version, state };
    },
    async commit(_run, expectedVersion, commit) {
      if (catchUp() !== '' || expectedVersion !== version) return { ok: false };
      const line = Buffer.from(writeLine(commit));
      try {
        writeWhole(descriptor, line);
        fsyncSync(descriptor);
      } catch (error) {
        // An incomplete line would make the journal unreadable from here.
        ftruncateSync(descriptor, read);
        throw error;
      }
      read += line.length;
      apply(commit);
      return { ok: true, version };
    },
  };
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
