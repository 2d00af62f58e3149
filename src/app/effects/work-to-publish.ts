import type { BaseUpdate } from '../../core/contracts/revision.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { CommitFile } from '../../core/ports/github-port.ts';
import { findSecretsInFiles, type SecretInFile } from '../../core/secrets/secrets-in-changeset.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import { type Changeset, type ChangesetProblem, checkChangeset } from '../../core/work/changeset.ts';
import { changesetLimits, readChangeset } from '../../core/work/examine-work.ts';
import { withReverted } from '../../core/work/judge-merge.ts';
import { roundHead, roundUpdate } from '../../core/work/round-head.ts';
import { roundToPublish } from '../revise/last-result.ts';
import { isLeftToRound } from '../revise/left-work.ts';
import { isFreeOfSecrets } from '../revise/searched-work.ts';
import { HOW_TO_REDO, HOW_TO_RETRY, wayOut } from '../unpublished.ts';
import type { EffectContext } from './effect-context.ts';

const MOST_NAMED = 10;

export interface Work {
  files: CommitFile[];
  /** Files that only an App with the `workflows` permission can commit. */
  workflows: string[];
  leftOut: Changeset['left_out'];
  digest: string;
}

/** Identifies what a commit is made from. After more files are approved, the same changeset makes another commit. */
export function contentOf({ digest, leftOut }: Pick<Work, 'digest' | 'leftOut'>): string {
  return `${digest}:${leftOut.length}`;
}

/** A permanent refusal: it is reported once and not retried. */
interface RefusedWork {
  refused: { why: string; title: string; detail: string };
}

/** A file that is left out of the commit. */
type Held = Changeset['left_out'][number];

/** The part of the newest changeset that may be committed. Undefined if no changeset was sent yet. */
export async function findWork(context: EffectContext): Promise<Work | RefusedWork | undefined> {
  const { deps, state } = context;
  const bytes = await deps.store.blobs.get(state.run, 'changeset');
  if (!bytes) return undefined;
  const digest = deps.hash(new TextDecoder().decode(bytes));
  const work = await judgeWork(context, bytes, digest);
  if (!('refused' in work)) return work;
  const { why, title, detail } = work.refused;
  const lines = [detail, await nextStep(context, digest)].filter(Boolean);
  return { refused: { why, title, detail: lines.join('\n') } };
}

async function judgeWork(
  context: EffectContext,
  bytes: Uint8Array,
  digest: string,
): Promise<Work | RefusedWork> {
  const { deps, state, target } = context;
  const read = readChangeset(bytes, roundHead(state, target));
  if (!read.ok) return refuse('the job sent invalid work', read.problem);
  const { changeset } = read;
  const update = roundUpdate(state);
  // Without its files, an update would be the base's tree: the pull request would be undone.
  if (update && !changeset.merge?.done) return refuse('the merge was not finished');
  if (completedByItself(state) && state.changeset !== undefined && state.changeset !== digest) {
    return refuse('the files changed after verification');
  }
  const leaks = await findLeaks(context, changeset, digest);
  if ('refused' in leaks) return leaks;
  const judged = { ...changeset, files: withReverted(changeset.files, update) };
  const limits = changesetLimits(state, target, judged, deps.rules.limitsInForce(state.limits), deps.hash);
  // A person who accepts the work also accepts its number of files.
  const checked = checkChangeset(judged, state.finished?.by ? { ...limits, maxFiles: 'off' } : limits);
  const problems = checked.ok ? [] : checked.problems;
  // Committing only a part is fine unless it would look like the whole work, checked and complete.
  const whole = completedByItself(state);
  if ((whole && problems.length > 0) || problems.some(({ kind }) => kind === 'too_many')) {
    return refuse(`${problems.length} of its files may not be`, ...named(problems.map(describe)));
  }
  const held = [...leaks, ...problems.map(({ path, problem }) => ({ path, problem }))];
  const replacing = await findReplacing(context, without(changeset, held));
  if (whole && replacing.length > 0) {
    const lines = named(replacing.map(({ path, problem }) => `${path}: ${problem}`));
    return refuse('it deletes files without listing them', ...lines);
  }
  held.push(...replacing);
  const undone = update ? [...held, ...undoneIn(changeset, update)] : [];
  if (undone.length > 0) {
    const lines = named(undone.map(({ path, problem }) => `${path}: ${problem}`));
    return refuse('a merge cannot be committed in part', ...lines);
  }
  const kept = checkChangeset(without(changeset, held), { ...limits, maxFiles: 'off' });
  if (!kept.ok) return refuse('it cannot be split', ...named(kept.problems.map(describe)));
  return { ...kept, files: impliedLeftOut(kept.files), leftOut: [...held, ...changeset.left_out], digest };
}

/** V-6: what is left out of a merge has the base's version, so the pull request would lose it. */
function undoneIn({ left_out }: Changeset, { kept = [], conflicts }: BaseUpdate): Held[] {
  const changed = new Set([...kept.map(({ path }) => path), ...conflicts]);
  return left_out.filter(({ path }) => changed.has(path));
}

function without(changeset: Changeset, held: readonly Held[]): Changeset {
  const out = new Set(held.map(({ path }) => path));
  return { ...changeset, files: changeset.files.filter(({ path }) => !out.has(path)) };
}

/**
 * Files written over a directory or below a file. The removal this implies is not in the changeset, so it was neither reviewed
 * nor counted.
 */
async function findReplacing(
  { deps, github, state, target }: EffectContext,
  { files }: Changeset,
): Promise<Held[]> {
  const written = files.filter(({ content }) => content !== null).map(({ path }) => path);
  const removed = new Set(files.filter(({ content }) => content === null).map(({ path }) => path));
  // Cached, because neither the base nor the result changes, and GitHub would be asked at every publish.
  const question = deps.hash(JSON.stringify([roundHead(state, target), written, [...removed]]));
  const { replaces_nothing } = await deps.store.publications.of(state.run);
  if (replaces_nothing === question) return [];
  const unsaid = new Map<string, string>();
  for (const { path, by } of await github.replacedFiles(roundHead(state, target), written)) {
    if (!removed.has(path)) unsaid.set(by, path);
  }
  if (unsaid.size === 0) await deps.store.publications.change(state.run, { replaces_nothing: question });
  return [...unsaid].map(([path, replaced]) => ({
    path,
    problem: `it takes the place of ${replaced}, whose removal is not part of what may be committed`,
  }));
}

/** A deletion below a path that becomes a file is implied. If it were listed, GitHub would look for it below that file. */
function impliedLeftOut(files: CommitFile[]): CommitFile[] {
  const written = new Set(files.filter(({ content }) => content !== null).map(({ path }) => path));
  const isBelowFile = (path: string) =>
    path.split('/').some((_, depth, names) => depth > 0 && written.has(names.slice(0, depth).join('/')));
  return files.filter(({ path, content }) => content !== null || !isBelowFile(path));
}

/** The run completed without a person accepting it, so the work must be exactly what was asked for and checked. */
function completedByItself({ finished }: RunState): boolean {
  return finished !== undefined && finished.by === undefined;
}

async function findLeaks(
  { deps, state }: EffectContext,
  { files }: Changeset,
  digest: string,
): Promise<RefusedWork | Held[]> {
  if (isFreeOfSecrets(await deps.store.publications.of(state.run), digest)) return [];
  const refs = givenRefs(state);
  // The values are deleted when the run ends. Work that was not searched for them before then is not published.
  if (refs.length > 0 && Object.keys(await deps.store.vault.open(state.run, refs.slice(0, 1))).length === 0) {
    const why = 'it can no longer be searched for the values you provided';
    return refuse(why, 'They were deleted when the run ended.');
  }
  const leaks = findSecretsInFiles(files, await openSecrets(deps.store.vault, state));
  // A person who accepts the work gets the files without secrets.
  if (leaks.length > 0 && state.finished?.by) {
    return leaks.map(({ path, key }) => ({
      path,
      problem: `it contains the secret ${key}`,
    }));
  }
  if (leaks.length > 0) {
    return refuse(
      'it contains secret values',
      ...named(leaks.map(({ path, key }: SecretInFile) => `${path}: the value of ${key}`)),
      ...(state.finished ? [] : [READ_IT_THERE]),
    );
  }
  await deps.store.publications.change(state.run, { free_of_secrets: digest });
  return [];
}

const READ_IT_THERE =
  'Tell the agent to read it from the environment instead: /guide Remove the value from the file';

/** Values of earlier rounds were deleted when the run came to rest, and a round does not get them (V-1). */
function givenRefs(state: RunState): string[] {
  const since = (state.revision ?? roundToPublish(state))?.at ?? '';
  const own = state.escalations.filter(({ created_at }) => created_at >= since);
  return [...own.map(({ resolution }) => resolution?.inputs ?? {}), state.given].flatMap((inputs) =>
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

async function nextStep({ deps, state }: EffectContext, digest: string): Promise<string> {
  const publication = await deps.store.publications.of(state.run);
  const isKept = isLeftToRound(state, publication, digest);
  return (isKept ? HOW_TO_RETRY : HOW_TO_REDO)[wayOut(state, publication)];
}

function refuse(why: string, ...detail: string[]): RefusedWork {
  return { refused: { why, title: `The work was not committed: ${why}.`, detail: detail.join('\n') } };
}
