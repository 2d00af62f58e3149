import type { CommentContext } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { Place } from '../core/ports/hosted-ports.ts';
import type { AppParts } from './dependencies.ts';
import { whyUnpublished } from './unpublished.ts';

/** Where a comment stands and what it can link to. */
export async function commentContext(
  parts: AppParts,
  state: RunState,
  place: Place,
  op: string,
  asks = false,
): Promise<CommentContext> {
  const { publicUrl, webUrl, pages } = parts.settings;
  const repository = `${webUrl}/${place.owner}/${place.repo}`;
  const issue = `${repository}/issues/${place.issue}`;
  const page = pages ? `${publicUrl}/runs/${state.run}` : undefined;
  const newest = await parts.store.marks.get(`pull-of:${state.run}`);
  // One that was closed on the way is not where the work is: the next one will be.
  const pull = newest === String(state.closed_pull?.number) ? undefined : newest;
  const job = await parts.store.tokens.actionsRunOf(state.run, state.jobs);
  const reported = await parts.store.marks.get(reportMark(state.run));
  const status = await parts.store.comments.find(state.run, `${state.run}.status`);
  const question =
    state.pending && (await parts.store.comments.find(state.run, `${state.run}.${state.pending}`));
  const pending = state.escalations.find((escalation) => escalation.id === state.pending);
  const secrets = pending?.inputs.filter((input) => input.secret) ?? [];
  return {
    op,
    ...(asks && whoIsAsked(place)),
    unpublished: state.status === 'reviewing' ? await whyUnpublished(parts, state.run) : undefined,
    issue: place.issue,
    capabilities: { live: true, form: pages },
    links: {
      run_page: page,
      forms: Object.fromEntries(
        page ? secrets.map((input) => [input.key, `${page}/secret/${input.key}`]) : [],
      ),
      question: question ? `${issue}#issuecomment-${question.comment_id}` : undefined,
      status: status ? `${issue}#issuecomment-${status.comment_id}` : undefined,
      report_json: reported ? `${repository}/actions/runs/${reported}#artifacts` : undefined,
      log: job ? `${repository}/actions/runs/${job.actions_run}` : undefined,
      changes: pull ? `${repository}/pull/${pull}/files` : undefined,
      pull_request: pull ? { number: Number(pull), url: `${repository}/pull/${pull}` } : undefined,
    },
  };
}

/** Where the Actions run stands whose artifact holds the newest blocked report. */
export function reportMark(run: string): string {
  return `report-of:${run}`;
}

/** Whom the repository's config names; else whoever set the label. */
function whoIsAsked({
  notify,
  labelled_by,
  roles,
}: Place): Pick<CommentContext, 'mentions' | 'mention_reason' | 'roles'> {
  if (notify && notify.mention.length > 0) return { mentions: notify.mention, roles };
  return { mentions: [labelled_by], mention_reason: 'who labelled the issue', roles };
}
