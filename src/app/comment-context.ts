import type { CommentContext } from '../core/contracts/comment-context.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';
import { whyUnpublished } from './unpublished.ts';

/** The data that a comment needs besides the run's state: its links, mentions and capabilities. */
export async function commentContext(
  deps: AppDependencies,
  state: RunState,
  target: RunTarget,
  op: string,
  asks = false,
): Promise<CommentContext> {
  const { publicUrl, webUrl, pages } = deps.settings;
  const repository = `${webUrl}/${target.owner}/${target.repo}`;
  const issue = `${repository}/issues/${target.issue}`;
  const page = pages ? `${publicUrl}/runs/${state.run}` : undefined;
  const newest = await deps.store.marks.get(`pull-of:${state.run}`);
  // A closed pull request is not linked, because the next publish opens another one.
  const pull = newest === String(state.closed_pull?.number) ? undefined : newest;
  const job = await deps.store.tokens.actionsRunOf(state.run, state.jobs);
  const reported = await deps.store.marks.get(reportMark(state.run));
  const status = await deps.store.comments.find(state.run, `${state.run}.status`);
  const question =
    state.pending && (await deps.store.comments.find(state.run, `${state.run}.${state.pending}`));
  const pending = state.escalations.find((escalation) => escalation.id === state.pending);
  const secrets = pending?.inputs.filter((input) => input.secret) ?? [];
  return {
    op,
    ...(asks && whoIsAsked(target)),
    unpublished: state.status === 'reviewing' ? await whyUnpublished(deps, state.run) : undefined,
    issue: target.issue,
    limits: deps.rules.limitsInForce(state.limits),
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

/** The mark with the Actions run whose artifact holds the newest blocked report. */
export function reportMark(run: string): string {
  return `report-of:${run}`;
}

/** The people whom the repository's config names, or else the person who set the label. */
function whoIsAsked({
  notify,
  labelled_by,
  roles,
}: RunTarget): Pick<CommentContext, 'mentions' | 'mention_reason' | 'roles'> {
  if (notify && notify.mention.length > 0) return { mentions: notify.mention, roles };
  return { mentions: [labelled_by], mention_reason: 'who labelled the issue', roles };
}
