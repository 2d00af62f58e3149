import { code } from '../../comments/text/harmless.ts';
import type { BaseUpdate } from '../../core/contracts/revision.ts';
import type { MergedPath, MergeSides, SideCommit } from '../../core/ports/github/merge-port.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { BaseMerge } from '../../core/work/base-merge.ts';
import { checkChangesetPaths } from '../../core/work/changeset-path.ts';
import { digestOfFile } from '../../core/work/examine-work.ts';
import { isWorkflow } from '../../core/work/sensitive-path.ts';
import type { AppDependencies } from '../dependencies.ts';

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

/** `refused` continues the sentence "No round was started: ", and `remedy` says how the base is merged all the same. */
export interface RefusedUpdate {
  refused: string;
  remedy: string;
}

type Update = { update: BaseUpdate; merge: BaseMerge } | RefusedUpdate;

/**
 * V-6: all that a round needs to merge the base into the pull request. Undefined if the branch has every commit of the base. The
 * contents come from GitHub and not from the job, so that afterwards it can be told what the job has changed.
 */
export async function readUpdate(
  { hash, settings }: Pick<AppDependencies, 'hash' | 'settings'>,
  github: GitHub,
  { branch, base, head }: Sides,
): Promise<Update | undefined> {
  const sides = await github.mergeSides(head, base);
  const refuse = (refused: string): RefusedUpdate => ({ refused, remedy: mergeYourself(branch) });
  if (sides === undefined) return refuse(`it has no commit in common with ${code(branch, 120)}.`);
  if (sides === 'too_large') return refuse('the repository has more files than GitHub lists at once.');
  if (sides.commits.base.length === 0) return undefined;
  const ours = sides.paths.filter((path) => !isSame(path.head, path.before) && !isSame(path.head, path.base));
  if (ours.length > MOST_FILES) return refuse(`the pull request changes more than ${MOST_FILES} files.`);
  const problem = findProblem(ours, settings);
  if (problem) return refuse(problem);
  const files: BaseMerge['files'] = [];
  let bytes = 0;
  for (const path of ours) {
    const file = await readFile(github, path);
    bytes += [file.head, file.before].reduce((sum, one) => sum + (one?.content.length ?? 0), 0);
    if (bytes > MOST_BYTES) return refuse('its files are too large to be merged here.');
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

export function mergeYourself(branch: string): string {
  return `Merge ${code(branch, 120)} into the branch yourself; the next round builds on that.`;
}

/** A file that no commit of ours can have, so that an agent would work for nothing. */
function findProblem(
  ours: readonly MergedPath[],
  { capabilities }: AppDependencies['settings'],
): string | undefined {
  const special = ours.find(({ head, base, before }) => [head, base, before].some(isSpecial));
  if (special) return `${code(special.path, 120)} is a link or a submodule, which a round cannot merge.`;
  const workflow = ours.find(({ path }) => isWorkflow(path));
  if (workflow && capabilities.workflow_files === false)
    return `GitHub does not let Actions commit ${code(workflow.path, 120)}.`;
  // GitHub tells names that are no text in this way.
  const broken = ours.find(({ path }) => path.includes('\uFFFD'));
  const [named] = checkChangesetPaths(
    ours.map(({ path, head }) => ({ path, status: head ? ('modified' as const) : ('deleted' as const) })),
  );
  if (broken) return `the name of ${code(broken.path, 120)} is not UTF-8.`;
  return named && `${code(named.path, 120)} cannot be committed: ${named.problem}.`;
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
