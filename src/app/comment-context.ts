import type { CommentContext } from '../core/contracts/comment-context.ts';
import { isUnderWay, type RunState } from '../core/contracts/run-state.ts';
import { isFor } from '../core/decide/jobs/needed-dispatch.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';

/** The data that a comment needs besides the run's state: its links, mentions and capabilities. */
export async function commentContext(
  deps: AppDependencies,
  state: RunState,
  target: RunTarget,
  op: string,
  asks = false,
): Promise<CommentContext> {
  const { pagesUrl, webUrl, capabilities } = deps.settings;
  const repository = `${webUrl}/${target.owner}/${target.repo}`;
  const issue = `${repository}/issues/${target.issue}`;
  const page = pagesUrl && `${pagesUrl}/runs/${state.run}`;
  const { publications, dispatches, comments, cursors } = deps.store;
  const publication = await publications.of(state.run);
  // A closed pull request is not linked, because the next publish opens another one.
  const pull = publication.pull === state.closed_pull?.number ? undefined : publication.pull;
  const open = await dispatches.open(state.run);
  const needed = open.filter((dispatch) => dispatch.claimed_at !== undefined && isFor(state, dispatch));
  // A verification and the job that waits for its result may be there at once. R-5: a silence is shown, whichever of them is silent.
  const job = needed.findLast(({ silent_at }) => silent_at !== undefined) ?? needed.at(-1);
  const logged = job ?? (await dispatches.newestClaimed(state.run));
  const status = await comments.find(`${state.run}.status`);
  const question =
    state.pending === undefined ? undefined : await comments.find(`${state.run}.${state.pending}`);
  const pending = state.escalations.find((escalation) => escalation.id === state.pending);
  const secrets = pending?.inputs.filter((input) => input.secret) ?? [];
  return {
    op,
    ...(asks && whoIsAsked(target, pending?.reminders ?? 0)),
    unpublished: state.status === 'reviewing' ? (publication.unpublished ?? undefined) : undefined,
    issue: target.issue,
    queued: isUnderWay(state) ? await deps.store.slots.queued(state.run) : undefined,
    silent_since: job?.silent_at,
    dropped: await cursors.get('dropped', state.run),
    setting_up: job && !job.working_at,
    limits: deps.rules.limitsInForce(state.limits),
    capabilities,
    links: {
      run_page: page,
      diff: page && `${page}/diff`,
      forms: Object.fromEntries(
        page ? secrets.map((input) => [input.key, `${page}/secret/${input.key}`]) : [],
      ),
      question: question?.comment_id ? `${issue}#issuecomment-${question.comment_id}` : undefined,
      status: status?.comment_id ? `${issue}#issuecomment-${status.comment_id}` : undefined,
      report_json: publication.report_run
        ? `${repository}/actions/runs/${publication.report_run}#artifacts`
        : undefined,
      log: logged?.actions_run ? `${repository}/actions/runs/${logged.actions_run}` : undefined,
      changes: pull ? `${repository}/pull/${pull}/files` : undefined,
      pull_request: pull ? { number: pull, url: `${repository}/pull/${pull}` } : undefined,
    },
  };
}

/** The people whom the repository's config names, or else the person who set the label. */
function whoIsAsked(
  { notify, labelled_by, roles }: RunTarget,
  reminders: number,
): Pick<CommentContext, 'mentions' | 'mention_reason' | 'escalated' | 'roles'> {
  const to = notify?.escalate_to;
  const after = notify?.escalate_after;
  const escalated = to && after && reminders > after ? { to, after } : undefined;
  if (notify && notify.mention.length > 0) return { mentions: notify.mention, escalated, roles };
  return { mentions: [labelled_by], mention_reason: 'you labelled the issue', escalated, roles };
}
