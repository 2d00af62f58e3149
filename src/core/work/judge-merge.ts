import type { BaseUpdate } from '../contracts/revision.ts';
import { SIDES } from './base-merge.ts';
import type { ChangesetFile } from './changeset.ts';

const MARKER = new RegExp(`^(?:<{7} ${SIDES.head}|>{7} ${SIDES.base})(?::|\\r?$)`, 'm');

const BESIDE = new RegExp(`~(?:${SIDES.head}|${SIDES.base})(?:_\\d+)?(?:/|$)`);

/** Whether git has put a file beside its place, where the other side has a directory of that name. */
export function isBeside(path: string): boolean {
  return BESIDE.test(path);
}

/** The files in which a marker of the merge is left, and those that are left under a name of its making. */
export function unresolvedIn(files: readonly Pick<ChangesetFile, 'path' | 'content'>[]): string[] {
  return files
    .filter(({ path, content }) => content !== null && (isBeside(path) || MARKER.test(atob(content))))
    .map(({ path }) => path);
}

/** The files that are as in the head of the pull request, byte for byte, so that the work does not change them. */
export function keptIn(
  files: readonly ChangesetFile[],
  update: BaseUpdate | undefined,
  digestOf: (file: ChangesetFile) => string,
): Set<string> {
  const kept = new Map(update?.kept?.map(({ path, digest }) => [path, digest]));
  return new Set(
    files
      .filter((file) => kept.has(file.path) && kept.get(file.path) === digestOf(file))
      .map(({ path }) => path),
  );
}

/** Stands for the base's version, which a changeset does not list. */
const AS_IN_BASE = btoa('as in the base');

/**
 * The changes that people may have to approve. A file of the pull request that is missing in the changeset has the base's content
 * again, which is a change like any other.
 */
export function withReverted(
  files: readonly ChangesetFile[],
  update: BaseUpdate | undefined,
): ChangesetFile[] {
  const listed = new Set(files.map(({ path }) => path));
  const reverted = (update?.kept ?? []).filter(({ path }) => !listed.has(path));
  return [
    ...files,
    ...reverted.map(
      ({ path }) => ({ path, mode: '100644', status: 'modified', content: AS_IN_BASE }) as const,
    ),
  ];
}
