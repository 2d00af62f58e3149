import { renderStatus } from '../../comments/github/render-status.ts';
import { isUnderWay, pendingEscalation, type RunState } from '../../core/contracts/run-state.ts';
import type { Publication } from '../../core/ports/publications.ts';
import { isSameLabel } from '../../core/same-label.ts';
import { commentContext } from '../comment-context.ts';
import { noteSilence } from '../silence.ts';
import { isPublishingDue } from '../unpublished.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext, Performed } from './effect-context.ts';
import { showCheck } from './show-check.ts';

/** A job says much in its first seconds. Within this time its progress is one edit. */
const PROGRESS_MS = 15_000;
/** A job that asked a question may be about to save its work and to end. Question, end and pull request are one edit then. */
const LEAVING_MS = 5_000;

/** Updates the sticky comment, the check on the branch and the status label. */
export async function updateStatus(context: EffectContext): Promise<Performed> {
  const { deps, github, state, target } = context;
  const publication = await deps.store.publications.of(state.run);
  // The outcome of publishing is part of the status; the publish writes the status when it is known.
  if (isPublishingDue(state, publication)) return {};
  const op = `${state.run}.status`;
  const { pending } = state;
  await noteSilence(deps, state, pending === undefined ? undefined : { type: 'ask', escalation: pending });
  const where = await commentContext(deps, state, target, op);
  const wanted = `${deps.settings.label}:${where.unpublished ? 'stopped' : stateLabel(state)}`;
  const stage = [
    wanted,
    state.pending,
    where.silent_since,
    where.queued && JSON.stringify(where.queued),
  ].join(' ');
  const now = (await deps.store.now()).getTime();
  const againAfterMs =
    publication.status?.stage === stage && publication.label === wanted
      ? putOffProgress(state, publication.status.at, now)
      : putOffQuestion(state, now);
  // A comment without a hash was changed by somebody, and is restored at once.
  if (againAfterMs > 0 && (await deps.store.comments.find(op))?.body_hash) return { againAfterMs };
  const body = renderStatus(state, where);
  await upsertComment(deps, github, { run: state.run, op, body, issue: target.issue });
  await showCheck(context);
  await showLabel(context, wanted, publication);
  await deps.store.publications.change(state.run, { status: { stage, at: new Date(now).toISOString() } });
  return {};
}

function putOffProgress(state: RunState, writtenAt: string, now: number): number {
  return stateLabel(state) === 'running' ? Date.parse(writtenAt) + PROGRESS_MS - now : 0;
}

/** The question itself is another comment, which is not put off. Its time is the job's, so one in the future is not waited for. */
function putOffQuestion(state: RunState, now: number): number {
  const asked = state.job_live ? pendingEscalation(state)?.created_at : undefined;
  const age = asked === undefined ? LEAVING_MS : now - Date.parse(asked);
  return age < 0 ? 0 : LEAVING_MS - age;
}

const STATES = ['running', 'waiting', 'done', 'stopped'] as const;

const UNKNOWN = '';

/** An issue has one status label, of its newest run. Labels of earlier runs are removed. */
async function showLabel(
  { deps, github, state, target }: EffectContext,
  wanted: string,
  { label: shown, label_ids: ids }: Publication,
): Promise<void> {
  const { store, settings } = deps;
  if ((await store.runs.ofIssue(target.repo_id, target.issue)) !== state.run) return;
  if (shown === wanted) return;
  // Until all is written, it is not known which labels the issue has: the next status must not trust the old record.
  if (shown !== undefined && shown !== UNKNOWN)
    await store.publications.change(state.run, { label: UNKNOWN });
  const { labels = [] } = (await github.issue(target.issue)) ?? {};
  const isWanted = (label: string) => isSameLabel(label, wanted);
  const ours = STATES.map((name) => `${settings.label}:${name}`);
  const others = labels.filter((label) => ours.some((one) => isSameLabel(label, one)) && !isWanted(label));
  const isShown = labels.some(isWanted) && others.length === 0;
  const seen = isShown
    ? undefined
    : await github.changeLabels(target.issue, {
        add: wanted,
        remove: others,
        ids,
        isSparing: !settings.capabilities.live,
      });
  const label_ids = { ...ids, ...pickLabels(seen ?? {}, ours) };
  await store.publications.change(state.run, { label: wanted, label_ids });
}

function pickLabels(ids: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).filter(([name]) => names.includes(name)));
}

function stateLabel(state: RunState): (typeof STATES)[number] {
  if (state.status === 'waiting_for_input') return 'waiting';
  if (isUnderWay(state)) return 'running';
  return state.status === 'reviewing' || state.status === 'approved' ? 'done' : 'stopped';
}
