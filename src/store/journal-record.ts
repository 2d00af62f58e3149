import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A difference between the journal and the record of its lines. */
export interface JournalChange {
  kind: 'changed' | 'added' | 'removed' | 'unfinished' | 'unrecorded';
  /** The line in the journal; for `removed` the one before which it was. */
  line: number;
}

/**
 * Digests of the lines that processes of this run wrote, in a file beside the journal. The next process compares them with the
 * journal and names lines that somebody else wrote (S-7). It is no seal: who can write both files can make them agree.
 */
export function openJournalRecord(directory: string): {
  compare(found: readonly string[]): JournalChange[];
  /** Recorded before the line is written, so that a crash never makes a line of ours look like somebody else's. */
  add(digests: readonly string[]): void;
  /** Takes back the last addition, also an incomplete one, because its line could not be written. */
  restore(): void;
  close(): void;
} {
  const file = join(directory, 'journal.digests');
  const descriptor = openSync(file, 'a+', 0o600);
  let before = 0;
  const add = (digests: readonly string[]) => {
    before = fstatSync(descriptor).size;
    writeFileSync(descriptor, digests.map((digest) => `${digest}\n`).join(''));
    fsyncSync(descriptor);
  };
  return {
    add,
    restore: () => ftruncateSync(descriptor, before),
    close: () => closeSync(descriptor),
    compare(found) {
      const recorded = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      if (recorded.length === 0) {
        add(found);
        return found.length === 0 ? [] : [{ kind: 'unrecorded', line: 1 }];
      }
      const changes = compareLines(recorded, found);
      const [only] = changes;
      if (changes.length !== 1 || only?.kind !== 'removed' || only.line !== found.length + 1) return changes;
      // A crash between the record and the line leaves this, and so does somebody who removes the last line.
      ftruncateSync(descriptor, Buffer.byteLength(`${recorded.slice(0, -1).join('\n')}\n`));
      return [{ kind: 'unfinished', line: only.line }];
    },
  };
}

/** Walks through both lists; each line is looked up at most twice. */
function compareLines(recorded: readonly string[], found: readonly string[]): JournalChange[] {
  const lastRecorded = new Map(recorded.map((digest, index) => [digest, index]));
  const lastFound = new Map(found.map((digest, index) => [digest, index]));
  const changes: JournalChange[] = [];
  let ours = 0;
  let theirs = 0;
  while (ours < recorded.length || theirs < found.length) {
    const [expected, present] = [recorded[ours], found[theirs]];
    if (expected === present) {
      ours += 1;
      theirs += 1;
      continue;
    }
    const comesLater = expected !== undefined && (lastFound.get(expected) ?? -1) > theirs;
    const wasOurs = present !== undefined && (lastRecorded.get(present) ?? -1) > ours;
    const line = theirs + 1;
    if (present === undefined || (wasOurs && !comesLater)) {
      changes.push({ kind: 'removed', line });
      ours += 1;
    } else if (expected === undefined || comesLater) {
      changes.push({ kind: 'added', line });
      theirs += 1;
    } else {
      changes.push({ kind: 'changed', line });
      ours += 1;
      theirs += 1;
    }
  }
  return changes;
}
