import { type Changeset, type ChangesetProblem, checkChangeset } from '../../core/changeset.ts';
import { changesetLimits, readChangeset } from '../../core/examine-work.ts';
import type { CommitFile } from '../../core/github-port.ts';
import type { RunState } from '../../core/run-state.ts';
import { findSecretsInFiles, type SecretInFile } from '../../core/secrets-in-changeset.ts';
import { openSecrets } from '../../core/secrets-of-run.ts';
import type { Doing } from './perform-effect.ts';

const MOST_NAMED = 10;

export interface Work {
  files: CommitFile[];
  /** Those that only an App with the `workflows` permission can commit. */
  workflows: string[];
  leftOut: Changeset['left_out'];
  digest: string;
}

/** Asked again, the answer would be the same: it is said once, and not tried again. */
export interface RefusedWork {
  refused: { title: string; detail: string };
}

/** The newest changeset, as far as it may be committed. Undefined: nothing was sent yet. */
export async function findWork(doing: Doing): Promise<Work | RefusedWork | undefined> {
  const { parts, state, place } = doing;
  const bytes = await parts.store.blobs.get(state.run, 'changeset');
  if (!bytes) return undefined;
  const read = readChangeset(bytes, place.head_sha);
  if (!read.ok) return refuse('what the job sent cannot be used', read.problem);
  const { changeset } = read;
  const digest = parts.hash(new TextDecoder().decode(bytes));
  if (completedByItself(state) && state.changeset !== undefined && state.changeset !== digest) {
    return refuse('it is not what was verified', 'It was changed afterwards.', howToGoOn(state));
  }
  const leaks = await findLeaks(doing, changeset, digest);
  if (leaks) return leaks;
  const limits = changesetLimits(state, place);
  // Whoever accepts what is there accepts its number, too.
  const checked = checkChangeset(changeset, state.finished ? { ...limits, maxFiles: 'off' } : limits);
  if (checked.ok) return { ...checked, leftOut: changeset.left_out, digest };
  const { problems } = checked;
  // The rest is shown, unless it would pass for all of it, checked and complete.
  if (completedByItself(state) || problems.some(({ kind }) => kind === 'too_many')) {
    return refuse(`${problems.length} of its files may not be`, ...named(problems.map(describe)));
  }
  const unapproved = new Set(problems.map(({ path }) => path));
  return {
    files: changeset.files
      .filter(({ path }) => !unapproved.has(path))
      .map(({ path, mode, content }) => ({ path, mode, content })),
    workflows: [],
    leftOut: [...problems.map(({ path, problem }) => ({ path, problem })), ...changeset.left_out],
    digest,
  };
}

/** Nobody said that this is enough: it stands for what was asked, and for what was checked. */
function completedByItself({ finished }: RunState): boolean {
  return finished !== undefined && finished.by === undefined;
}

async function findLeaks(
  { parts, state }: Doing,
  { files }: Changeset,
  digest: string,
): Promise<RefusedWork | undefined> {
  const mark = `free-of-secrets:${state.run}`;
  if ((await parts.store.marks.get(mark)) === digest) return undefined;
  const refs = givenRefs(state);
  // After the end nobody knows the values any more: what was not looked through before then stays here.
  if (
    refs.length > 0 &&
    Object.keys(await parts.store.vault.open(state.run, refs.slice(0, 1))).length === 0
  ) {
    const why = 'it can no longer be looked through for the values that were given';
    return refuse(why, 'They were forgotten with the end of the run.', howToGoOn(state));
  }
  const leaks = findSecretsInFiles(files, await openSecrets(parts.store.vault, state));
  if (leaks.length > 0) {
    return refuse(
      'it contains values that were given in secret',
      ...named(leaks.map(({ path, key }: SecretInFile) => `${path}: the value of ${key}`)),
      state.finished
        ? howToGoOn(state)
        : 'Tell the agent to read it from the environment instead: /guide Take the value out of the file',
    );
  }
  await parts.store.marks.set(mark, digest);
  return undefined;
}

function givenRefs({ escalations, given }: RunState): string[] {
  return [...escalations.map(({ resolution }) => resolution?.inputs ?? {}), given].flatMap((inputs) =>
    Object.values(inputs).flatMap(({ ref, actions_secret }) => (actions_secret ? [] : [ref])),
  );
}

function describe({ path, problem, remedy }: ChangesetProblem): string {
  return path === '' ? `${problem}. ${remedy}` : `${path}: ${problem}. ${remedy}`;
}

function named(lines: string[]): string[] {
  const more = lines.length - MOST_NAMED;
  return more > 0 ? [...lines.slice(0, MOST_NAMED), `and ${more} more`] : lines;
}

function howToGoOn({ finished }: RunState): string {
  return finished ? 'Label the issue again to build it once more.' : 'The next turn sends it anew.';
}

function refuse(why: string, ...detail: string[]): RefusedWork {
  return { refused: { title: `The work was not committed: ${why}.`, detail: detail.join('\n') } };
}
