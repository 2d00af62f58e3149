import type { BaseUpdate } from '../../core/contracts/revision.ts';
import type { MergedPath, MergeSides, SideCommit } from '../../core/ports/github/merge-port.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { BaseMerge } from '../../core/work/base-merge.ts';
import { digestOfFile } from '../../core/work/examine-work.ts';

/** Each file is a call. */
const MOST_FILES = 300;
const MOST_BYTES = 30 * 1024 * 1024;
/** For how many files the commits are looked up, with a call for each side. */
const MOST_EXPLAINED = 10;
const PLAIN: ReadonlySet<string> = new Set(['100644', '100755']);

interface Sides {
  /** The branch that is merged, and its newest commit. */
  branch: string;
  base: string;
  head: string;
}

/** `refused` continues the sentence "No round was started: ". */
type Update = { update: BaseUpdate; merge: BaseMerge } | { refused: string };

/**
 * V-6: all that a round needs to merge the base into the pull request. Undefined if the branch has every commit of the base. The
 * contents come from GitHub and not from the job, so that afterwards it can be told what the job has changed.
 */
export async function readUpdate(
  { hash }: { hash(text: string): string },
  github: GitHub,
  { branch, base, head }: Sides,
): Promise<Update | undefined> {
  const sides = await github.mergeSides(head, base);
  const yourself = `Merge \`${branch}\` into the branch yourself; the next round builds on that.`;
  if (sides === undefined) return { refused: `it has no commit in common with \`${branch}\`. ${yourself}` };
  if (sides === 'too_large')
    return { refused: `the repository has more files than GitHub lists at once. ${yourself}` };
  if (sides.commits.base.length === 0) return undefined;
  const ours = sides.paths.filter((path) => !isSame(path.head, path.before) && !isSame(path.head, path.base));
  if (ours.length > MOST_FILES)
    return { refused: `the pull request changes more than ${MOST_FILES} files. ${yourself}` };
  const special = ours.find(({ head: one, base: other, before }) => [one, other, before].some(isSpecial));
  if (special)
    return {
      refused: `\`${special.path}\` is a link or a submodule, which a round cannot merge. ${yourself}`,
    };
  const files: BaseMerge['files'] = [];
  let bytes = 0;
  for (const path of ours) {
    const file = await readFile(github, path);
    bytes += [file.head, file.before].reduce((sum, one) => sum + (one?.content.length ?? 0), 0);
    if (bytes > MOST_BYTES) return { refused: `its files are too large to be merged here. ${yourself}` };
    files.push(file);
  }
  const both = files.filter((file) => file.before !== undefined);
  await explain(github, both.slice(0, MOST_EXPLAINED), sides, { base, head });
  const kept = files
    .filter((file) => file.before === undefined)
    .map((file) => ({
      path: file.path,
      digest: digestOfFile(file.head ?? { mode: '100644', content: null }, hash),
    }));
  const added = sides.paths.filter((path) => path.base && !path.before && !path.head).map(({ path }) => path);
  return {
    update: { branch, sha: base, conflicts: both.map(({ path }) => path), kept },
    merge: { added, files },
  };
}

/** The files that both sides changed, each in its own way. Only these can conflict. */
export function changedOnBoth({ paths }: MergeSides): string[] {
  return paths
    .filter(
      ({ before, head, base }) =>
        ![isSame(before, head), isSame(before, base), isSame(head, base)].includes(true),
    )
    .map(({ path }) => path);
}

function isSame(one: MergedPath['head'], other: MergedPath['head']): boolean {
  return one?.sha === other?.sha && one?.mode === other?.mode;
}

function isSpecial(file: MergedPath['head']): boolean {
  return file !== undefined && !PLAIN.has(file.mode);
}

async function readFile(github: GitHub, path: MergedPath): Promise<BaseMerge['files'][number]> {
  const read = async (file: MergedPath['head']) =>
    file
      ? {
          mode: file.mode === '100755' ? ('100755' as const) : ('100644' as const),
          content: await github.blob(file.sha),
        }
      : null;
  const { before, base } = path;
  return {
    path: path.path,
    head: await read(path.head),
    ...(!isSame(before, base) && { before: await read(before) }),
  };
}

/** Adds the commits that changed the files, as those who merge by hand would look them up. */
async function explain(
  github: GitHub,
  files: BaseMerge['files'],
  { commits }: MergeSides,
  { base, head }: { base: string; head: string },
): Promise<void> {
  for (const file of files) {
    const lines = async (tip: string, own: readonly SideCommit[]) => {
      const touching = new Set(await github.commitsOf(file.path, tip));
      return own.filter(({ sha }) => touching.has(sha)).map(describe);
    };
    file.commits = { head: await lines(head, commits.head), base: await lines(base, commits.base) };
  }
}

function describe({ sha, author, title }: SideCommit): string {
  return `${sha.slice(0, 7)} ${author}: ${title}`;
}
