import { parseComment } from '../../commands/parse-comment.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { performEffect } from '../effects/perform-effect.ts';
import { questionOfReview } from '../effects/show-review.ts';
import { postReply } from '../post-reply.ts';
import { newTicks } from '../ticked-boxes.ts';
import { readMarker } from '../upsert-comment.ts';
import { handleCommand } from './handle-command.ts';

interface Edited {
  comment: { id: number; body: string; app_id?: number; updated_at: string };
  before: string;
  /** Undefined if a box is ticked but GitHub does not say by whom. */
  login: string | undefined;
  issue: number;
}

/**
 * A tick of one of our boxes gives the command that the record stores for it. Any other edit of our comments gives no command and
 * is reverted.
 */
export async function onCommentEdited(deps: AppDependencies, github: GitHub, edited: Edited): Promise<void> {
  const { comment } = edited;
  if (comment.app_id !== deps.settings.appId) return;
  const ticked = newTicks(edited.before, comment.body);
  if (ticked.length === 0) return undoRewording(deps, github, comment);
  const ours = await deps.store.comments.byComment(comment.id);
  if (!ours) return waitUntilKnown(deps, github, edited);
  const seen = `tick:${comment.id}:${ticked.join('+')}:${comment.updated_at}`;
  const { state } = await deps.store.runs.load(ours.run);
  if (!state) return;
  const { login } = edited;
  const refuse = async (because: string, detail: string) => {
    const title = `Nothing changed: ${because}`;
    await postReply(deps, github, { run: ours.run, seen }, { tone: 'refused', title, detail });
    await restoreComment(deps, ours, state);
  };
  if (login === undefined) {
    // An answered question is rewritten without boxes anyway.
    if (!ticked.some((id) => state.pending !== undefined && id.startsWith(`${state.pending}.`))) return;
    return refuse(
      'a box was ticked, but GitHub does not tell by whom.',
      'Tick it again, or reply with its command.',
    );
  }
  if (ticked.length > 1)
    return refuse('two boxes were ticked at once.', 'Tick one, or reply with its command.');
  const [escalationId = '', ...rest] = (ticked[0] ?? '').split('.');
  const escalation = state.escalations.find(({ id }) => id === escalationId);
  const option = escalation?.options.find(({ id }) => id === rest.join('.'));
  if (!option) return;
  const accepted = await handleCommand(deps, github, {
    run: ours.run,
    issue: edited.issue,
    login,
    via: 'tick',
    parsed: parseComment(option.command),
    seen,
    escalation: escalationId,
  });
  if (!accepted) await restoreComment(deps, ours, state);
}

/**
 * A box was ticked before the store knew the comment. Throwing makes the delivery retry until the comment is known. The marker
 * only decides whether waiting makes sense: a comment that never becomes known has no marker, or its operation is stored with
 * another comment.
 */
async function waitUntilKnown(
  deps: AppDependencies,
  github: GitHub,
  { comment, issue }: Pick<Edited, 'comment' | 'issue'>,
): Promise<void> {
  const { run, op } = readMarker(comment.body) ?? { run: '', op: '' };
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  const here = target?.owner === github.owner && target.repo === github.repo && target.issue === issue;
  if (!state || !here || (await deps.store.comments.find(run, op))) return;
  const question = state.escalations.some(({ id }) => op === `${run}.${id}`);
  if (question || (await questionOfReview(deps, op)))
    throw new Error(`${op} was ticked before its comment is known`);
}

/**
 * S-15: people with write access can edit our comments, and a box with a changed text would mislead the next person who ticks it.
 */
async function undoRewording(
  deps: AppDependencies,
  github: GitHub,
  { id, body }: Pick<Edited['comment'], 'id' | 'body'>,
): Promise<void> {
  const ours = await deps.store.comments.byComment(id);
  if (!ours || deps.hash(body) === ours.body_hash) return;
  const present = await github.comment(id);
  // A tick made meanwhile is read first. It counts by its id, not by its text.
  if (!present || newTicks('', present.body).length > 0) return;
  const { state } = await deps.store.runs.load(ours.run);
  if (state) await restoreComment(deps, ours, state);
}

/**
 * Writes the comment from the record again, with empty boxes. Its hash is cleared, because otherwise an unchanged text is not
 * written.
 */
async function restoreComment(
  deps: AppDependencies,
  ours: { run: string; op: string },
  state: RunState,
): Promise<void> {
  const known = await deps.store.comments.find(ours.run, ours.op);
  if (known) await deps.store.comments.save(ours.run, ours.op, { ...known, body_hash: '' });
  const escalation = ours.op.slice(ours.run.length + 1);
  const reviewed = await questionOfReview(deps, ours.op);
  if (state.escalations.some(({ id }) => id === escalation))
    await performEffect(deps, {
      id: `${ours.op}.put-back`,
      run: ours.run,
      effect: { type: 'ask', escalation },
    });
  else if (reviewed)
    // The id is the original one, so that the same comment is rewritten.
    await performEffect(deps, {
      id: ours.op,
      run: ours.run,
      effect: { type: 'show_review', escalation: reviewed },
    });
}
