import { isStopped } from '../../core/decide/is-still-wanted.ts';
import type { OutgoingEffect } from '../../core/ports/outbox.ts';
import { reportMark } from '../comment-context.ts';
import type { AppDependencies } from '../dependencies.ts';
import { droppedMark, lastDispatch } from '../last-dispatch.ts';
import { postReply } from '../post-reply.ts';
import { dispatchJob } from './dispatch-job.ts';
import type { EffectContext } from './effect-context.ts';
import { notifyExpired, notifyPeople } from './notify.ts';
import { publishWork } from './publish.ts';
import { showReceipt } from './show-receipt.ts';
import { showReview } from './show-review.ts';
import { updateStatus } from './update-status.ts';
import { writeQuestion } from './write-question.ts';

/** Performs an effect. Idempotent: a retry finds the result of an earlier attempt by its operation id. */
export async function performEffect(deps: AppDependencies, outgoing: OutgoingEffect): Promise<void> {
  const { run, effect } = outgoing;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target) return;
  const context: EffectContext = { deps, state, target, op: outgoing.id, github: await deps.github(target) };
  switch (effect.type) {
    case 'update_status':
      return updateStatus(context);
    case 'ask':
      // A job that stops for a person leaves a report, either the agent's own or one made of the measurements.
      await rememberReport(context);
      return writeQuestion(context, effect.escalation, state.pending === effect.escalation);
    case 'close_question':
      return writeQuestion(context, effect.escalation, false);
    case 'show_review':
      return showReview(context, effect.escalation);
    case 'reply':
      return postReply(deps, context.github, { run, seen: outgoing.id }, effect.reply);
    case 'notify':
      return notifyPeople(context, effect);
    case 'dispatch_job':
      return dispatchJob(context, 'build');
    case 'dispatch_verification':
      return dispatchJob(context, 'verify');
    case 'stop_job':
      return stopJob(context);
    case 'stop_verification':
      return stopVerification(context);
    case 'publish':
      return publishWork(context, effect.ready);
    case 'show_receipt':
      return notifyExpired(context, await showReceipt(context));
    case 'forget_inputs':
      await deps.store.vault.forget(run);
      return;
    case 'save_blocked_report':
      return rememberReport(context);
    case 'set_timer':
    case 'clear_timer':
      throw new Error(`${effect.type} belongs to the store`);
  }
}

/** Remembers the Actions run whose artifact is the report, so that the question and the pull request can link to it. */
async function rememberReport({ deps, state }: EffectContext): Promise<void> {
  const job = await deps.store.tokens.actionsRunOf(state.run, state.jobs);
  if (job) await deps.store.marks.set(reportMark(state.run), String(job.actions_run));
}

/**
 * A job polls its orders and ends by itself. The job of a cancelled run is also cancelled on GitHub, because it may not comply.
 */
async function stopJob({ deps, github, state }: EffectContext): Promise<void> {
  if (!isStopped(state)) return;
  const claimed = await deps.store.tokens.actionsRunOf(state.run, state.jobs);
  const dispatched = await lastDispatch(deps, state.run);
  // `+ 2` also revokes the ticket of the next job, which may be waiting for its runner.
  await deps.store.tokens.revokeBefore(state.run, state.jobs + 2);
  const runs = new Set([claimed?.actions_run, dispatched?.ended ? undefined : dispatched?.actions_run]);
  for (const id of runs) if (id !== undefined) await github.cancelRun(id);
}

/** Only one job at a time runs for an issue, so a build job would have to wait for a verification that nobody needs any more. */
async function stopVerification({ deps, github, state }: EffectContext): Promise<void> {
  const newest = await lastDispatch(deps, state.run);
  if (state.verifying !== undefined || newest?.kind !== 'verify' || newest.ended || !newest.actions_run)
    return;
  await deps.store.marks.set(droppedMark(newest.actions_run), state.run);
  await github.cancelRun(newest.actions_run);
}
