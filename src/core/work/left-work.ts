import * as z from 'zod';
import type { Blobs } from '../ports/hosted-store.ts';
import { Changeset } from './changeset.ts';

/** The work that a round began with, for the next one if this one ends without a result. Jobs cannot read or write it. */
const LEFT_WORK = 'left-work';

/**
 * Stored in its place while the run's changeset has the same files, by their digest: work can be large, and a state has to fit on
 * its ref.
 */
const Note = z.object({ same_files: z.array(z.string()), was_searched: z.boolean() });
type Note = z.infer<typeof Note>;

const Copy = Changeset.extend({ was_searched: z.boolean().optional() });

interface LeftWork {
  changeset: Changeset;
  /** No value that people gave was found in it. */
  isSearched: boolean;
}

type Hash = (text: string) => string;
type Store = Pick<Blobs, 'get' | 'put'>;

/** Stores the work that a round begins with. A desk that is killed in between leaves it where `readLeftWork` finds it. */
export async function storeLeftWork(
  blobs: Store,
  run: string,
  { changeset, isSearched }: LeftWork,
  hash: Hash,
): Promise<void> {
  const digest = digestOf(changeset, hash);
  const note = (digests: string[]): Note => ({ same_files: digests, was_searched: isSearched });
  const before = await readNote(blobs, run);
  // The changeset changes under an earlier note. A copy stays until the changeset has the work.
  if (before) await blobs.put(run, LEFT_WORK, encode(note([...before.same_files, digest])));
  await blobs.put(run, 'changeset', encode(changeset));
  await blobs.put(run, LEFT_WORK, encode(note([digest])));
}

/** Undefined: there is none, or it was published. */
export async function readLeftWork(blobs: Store, run: string, hash: Hash): Promise<LeftWork | undefined> {
  const note = await readNote(blobs, run);
  if (!note) {
    const copy = Copy.safeParse(decode(await blobs.get(run, LEFT_WORK))).data;
    if (!copy) return undefined;
    const { was_searched = false, ...changeset } = copy;
    return { changeset, isSearched: was_searched };
  }
  const changeset = Changeset.safeParse(decode(await blobs.get(run, 'changeset'))).data;
  if (!changeset || !note.same_files.includes(digestOf(changeset, hash))) return undefined;
  return { changeset, isSearched: note.was_searched };
}

/** Copies it before a job's own work takes the place of the changeset. */
export async function copyLeftWork(blobs: Store, run: string, next: Uint8Array, hash: Hash): Promise<void> {
  const note = await readNote(blobs, run);
  const coming = note && Changeset.safeParse(decode(next)).data;
  if (!note || (coming && note.same_files.includes(digestOf(coming, hash)))) return;
  const left = await readLeftWork(blobs, run, hash);
  if (left) await blobs.put(run, LEFT_WORK, encode({ ...left.changeset, was_searched: left.isSearched }));
}

/** It is published, or nothing of it is left. */
export async function dropLeftWork(blobs: Store, run: string): Promise<void> {
  if (((await blobs.get(run, LEFT_WORK))?.length ?? 0) > 0) await blobs.put(run, LEFT_WORK, new Uint8Array());
}

async function readNote(blobs: Store, run: string): Promise<Note | undefined> {
  return Note.safeParse(decode(await blobs.get(run, LEFT_WORK))).data;
}

/** Without the commit that it is for, because work is put on other commits. */
function digestOf({ files }: Changeset, hash: Hash): string {
  return hash(JSON.stringify(files));
}

function encode(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function decode(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined || bytes.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes));
}
