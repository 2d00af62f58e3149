import { renderAnswered } from '../../comments/render-answered.ts';
import { renderEscalation } from '../../comments/render-escalation.ts';
import { renderReceipt } from '../../comments/render-receipt.ts';
import { renderReview } from '../../comments/render-review.ts';
import type { GitHub } from '../../core/github-port.ts';
import type { OutgoingEffect, Place } from '../../core/hosted-ports.ts';
import type { RunState } from '../../core/run-state.ts';
import { commentContext } from '../comment-context.ts';
import type { AppParts } from '../parts.ts';
import { postReply } from '../post-reply.ts';
import { newTicks } from '../ticked-boxes.ts';
import { upsertComment } from '../upsert-comment.ts';
import { dispatchJob } from './dispatch-job.ts';
import { notifyPeople } from './notify.ts';
import { publishWork } from './publish.ts';
import { updateStatus } from './update-status.ts';

/** What one effect has at hand. The state is the newest: an effect shows how things are, not how they were. */
export interface Doing {
  parts: AppParts;
  github: GitHub;
  state: RunState;
  place: Place;
  /** Operation id of this effect. */
  op: string;
}

/** Safe to repeat: whatever a lost response left behind is found again by its operation id. */
export async function performEffect(parts: AppParts, outgoing: OutgoingEffect): Promise<void> {
  const { run, effect } = outgoing;
  const { state } = await parts.store.runs.load(run);
  const place = await parts.store.runs.place(run);
  if (!state || !place) return;
  const doing: Doing = { parts, state, place, op: outgoing.id, github: await parts.github(place) };
  switch (effect.type) {
    case 'update_status':
      return updateStatus(doing);
    case 'ask':
      return writeQuestion(doing, effect.escalation, state.pending === effect.escalation);
    case 'close_question':
      return writeQuestion(doing, effect.escalation, false);
    case 'show_review': {
      const escalation = state.escalations.find(({ id }) => id === effect.escalation);
      const where = await commentContext(parts, state, place, doing.op);
      return write(doing, doing.op, renderReview(state, escalation, where));
    }
    case 'reply':
      return postReply(parts, doing.github, { run, seen: outgoing.id }, effect.reply);
    case 'notify':
      return notifyPeople(doing, effect);
    case 'dispatch_job':
      return dispatchJob(doing, 'build');
    case 'dispatch_verification':
      return dispatchJob(doing, 'verify');
    case 'stop_job':
      return stopJob(doing);
    case 'publish':
      return publishWork(doing, effect.ready);
    case 'show_receipt': {
      const op = `${run}.receipt`;
      return write(
        doing,
        op,
        renderReceipt(state, await commentContext(parts, state, place, op, place.labelled_by)),
      );
    }
    case 'forget_inputs':
      await parts.store.vault.forget(run);
      return;
    case 'save_blocked_report':
      // The job leaves it as an artifact; people read it in the question and on the pull request.
      return;
    case 'set_timer':
    case 'clear_timer':
      throw new Error(`${effect.type} belongs to the store`);
  }
}

async function write({ parts, github, place, state }: Doing, op: string, body: string): Promise<void> {
  await upsertComment(parts, github, place, { run: state.run, op, body });
}

/** The question is one comment for its whole life: asked, partly answered, answered. */
async function writeQuestion(doing: Doing, id: string, open: boolean): Promise<void> {
  const { parts, state, place } = doing;
  const escalation = state.escalations.find((candidate) => candidate.id === id);
  if (!escalation) return;
  const op = `${state.run}.${id}`;
  if (open && (await isTicked(doing, op))) return;
  const where = await commentContext(parts, state, place, op, open ? place.labelled_by : undefined);
  await write(
    doing,
    op,
    open ? renderEscalation(state, escalation, where) : renderAnswered(state, escalation, where),
  );
}

/** Somebody was quicker: writing now would take the tick away before it was seen. It is read by its webhook, or by reconcile. */
async function isTicked({ parts, github, state }: Doing, op: string): Promise<boolean> {
  const known = await parts.store.comments.find(state.run, op);
  // Without a hash it is to be put back, ticks and all.
  if (!known?.body_hash) return false;
  const present = await github.comment(known.comment_id);
  return present !== undefined && newTicks('', present.body).length > 0;
}

/** A job looks for its orders all the time and ends by itself; a cancelled one is not given the choice. */
async function stopJob({ parts, github, state }: Doing): Promise<void> {
  if (state.status !== 'cancelled' && state.status !== 'terminated_by_human') return;
  const job = await parts.store.tokens.actionsRunOf(state.run, state.jobs);
  await parts.store.tokens.revokeBefore(state.run, state.jobs + 1);
  if (job) await github.cancelRun(job.actions_run);
}
