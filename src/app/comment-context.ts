import type { CommentContext } from '../core/comment-context.ts';
import type { Place } from '../core/hosted-ports.ts';
import type { RunState } from '../core/run-state.ts';
import type { AppParts } from './parts.ts';

/** Where a comment stands and what it can link to. */
export async function commentContext(
  parts: AppParts,
  state: RunState,
  place: Place,
  op: string,
  mention?: string,
): Promise<CommentContext> {
  const { publicUrl } = parts.settings;
  const repository = `https://github.com/${place.owner}/${place.repo}`;
  const page = `${publicUrl}/runs/${state.run}`;
  const pull = await parts.store.marks.get(`pull-of:${state.run}`);
  const job = await parts.store.tokens.actionsRunOf(state.run, state.jobs);
  const question =
    state.pending && (await parts.store.comments.find(state.run, `${state.run}.${state.pending}`));
  const pending = state.escalations.find((escalation) => escalation.id === state.pending);
  const secrets = pending?.inputs.filter((input) => input.secret) ?? [];
  return {
    op,
    mention,
    mention_reason: mention ? 'who labelled the issue' : undefined,
    issue: place.issue,
    capabilities: { live: true, form: true },
    links: {
      run_page: page,
      forms: Object.fromEntries(secrets.map((input) => [input.key, `${page}/secret/${input.key}`])),
      question: question
        ? `${repository}/issues/${place.issue}#issuecomment-${question.comment_id}`
        : undefined,
      log: job ? `${repository}/actions/runs/${job.actions_run}` : undefined,
      changes: pull ? `${repository}/pull/${pull}/files` : undefined,
      pull_request: pull ? { number: Number(pull), url: `${repository}/pull/${pull}` } : undefined,
    },
  };
}
