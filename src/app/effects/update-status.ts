import { renderStatus } from '../../comments/github/render-status.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { isSameLabel } from '../../core/same-label.ts';
import { commentContext } from '../comment-context.ts';
import { isPublishingDue } from '../unpublished.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';
import { showCheck } from './show-check.ts';

/** Updates the sticky comment, the check on the branch and the status label. */
export async function updateStatus(context: EffectContext): Promise<void> {
  const { deps, github, state, target } = context;
  const publication = await deps.store.publications.of(state.run);
  // The outcome of publishing is part of the status; the publish writes the status when it is known.
  if (isPublishingDue(state, publication)) return;
  const op = `${state.run}.status`;
  const where = await commentContext(deps, state, target, op);
  const body = renderStatus(state, where);
  await upsertComment(deps, github, { run: state.run, op, body, issue: target.issue });
  await showCheck(context);
  await showLabel(context, where.unpublished !== undefined, publication.label);
}

const STATES = ['running', 'waiting', 'done', 'stopped'] as const;

const UNKNOWN = '';

/** An issue has one status label, of its newest run. Labels of earlier runs are removed. */
async function showLabel(
  { deps, github, state, target }: EffectContext,
  unpublished: boolean,
  shown: string | undefined,
): Promise<void> {
  const { store, settings } = deps;
  if ((await store.runs.ofIssue(target.repo_id, target.issue)) !== state.run) return;
  const wanted = `${settings.label}:${unpublished ? 'stopped' : stateLabel(state)}`;
  if (shown === wanted) return;
  // Until all is written, it is not known which labels the issue has: the next status must not trust the old record.
  if (shown !== undefined && shown !== UNKNOWN)
    await store.publications.change(state.run, { label: UNKNOWN });
  const { labels = [] } = (await github.issue(target.issue)) ?? {};
  const isWanted = (label: string) => isSameLabel(label, wanted);
  if (!labels.some(isWanted)) await github.addLabels(target.issue, [wanted]);
  const ours = STATES.map((name) => `${settings.label}:${name}`);
  for (const label of labels) {
    const isOurs = ours.some((one) => isSameLabel(label, one));
    if (isOurs && !isWanted(label)) await github.removeLabel(target.issue, label);
  }
  await store.publications.change(state.run, { label: wanted });
}

function stateLabel(state: RunState): (typeof STATES)[number] {
  if (state.status === 'waiting_for_input') return 'waiting';
  if (isUnderWay(state)) return 'running';
  return state.status === 'reviewing' || state.status === 'approved' ? 'done' : 'stopped';
}
