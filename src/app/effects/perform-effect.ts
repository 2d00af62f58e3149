import { isStopped } from '../../core/decide/is-still-wanted.ts';
import type { OutgoingEffect } from '../../core/ports/hosted-ports.ts';
import { reportMark } from '../comment-context.ts';
import type { AppParts } from '../dependencies.ts';
import { droppedMark, lastDispatch } from '../last-dispatch.ts';
import { postReply } from '../post-reply.ts';
import { dispatchJob } from './dispatch-job.ts';
import type { Doing } from './effect-context.ts';
import { notifyPeople, tellExpired } from './notify.ts';
import { publishWork } from './publish.ts';
import { showReceipt } from './show-receipt.ts';
import { showReview } from './show-review.ts';
import { updateStatus } from './update-status.ts';
import { writeQuestion } from './write-question.ts';

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
      // A job that stops for a person leaves a report, the agent's own or what was measured.
      await rememberReport(doing);
      return writeQuestion(doing, effect.escalation, state.pending === effect.escalation);
    case 'close_question':
      return writeQuestion(doing, effect.escalation, false);
    case 'show_review':
      return showReview(doing, effect.escalation);
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
    case 'stop_verification':
      return stopVerification(doing);
    case 'publish':
      return publishWork(doing, effect.ready);
    case 'show_receipt':
      return tellExpired(doing, await showReceipt(doing));
    case 'forget_inputs':
      await parts.store.vault.forget(run);
      return;
    case 'save_blocked_report':
      return rememberReport(doing);
    case 'set_timer':
    case 'clear_timer':
      throw new Error(`${effect.type} belongs to the store`);
  }
}

/** The job leaves it as an artifact; people read it in the question and on the pull request, which link to it. */
async function rememberReport({ parts, state }: Doing): Promise<void> {
  const job = await parts.store.tokens.actionsRunOf(state.run, state.jobs);
  if (job) await parts.store.marks.set(reportMark(state.run), String(job.actions_run));
}

/** A job looks for its orders all the time and ends by itself; a cancelled one is not given the choice. */
async function stopJob({ parts, github, state }: Doing): Promise<void> {
  if (!isStopped(state)) return;
  const claimed = await parts.store.tokens.actionsRunOf(state.run, state.jobs);
  const dispatched = await lastDispatch(parts, state.run);
  // Also of the next job, which may be waiting for its runner.
  await parts.store.tokens.revokeBefore(state.run, state.jobs + 2);
  const runs = new Set([claimed?.actions_run, dispatched?.ended ? undefined : dispatched?.actions_run]);
  for (const id of runs) if (id !== undefined) await github.cancelRun(id);
}

/** One job at a time runs for an issue: the one that builds would wait for a result that nobody wants. */
async function stopVerification({ parts, github, state }: Doing): Promise<void> {
  const newest = await lastDispatch(parts, state.run);
  if (state.verifying !== undefined || newest?.kind !== 'verify' || newest.ended || !newest.actions_run)
    return;
  await parts.store.marks.set(droppedMark(newest.actions_run), state.run);
  await github.cancelRun(newest.actions_run);
}
