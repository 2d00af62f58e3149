import type { Outgoing } from '../../core/contracts/effect.ts';
import { isStillWanted } from '../../core/decide/is-still-wanted.ts';
import type { OutgoingEffect } from '../../core/ports/outbox.ts';
import type { AppDependencies } from '../dependencies.ts';
import { forgetInputs } from '../revise/forget-inputs.ts';
import { countAttempts } from '../workers/retry-policy.ts';
import { answerRemarks } from './answer-remarks.ts';
import { collectRevision } from './collect-revision.ts';
import { describePull } from './describe-pull.ts';
import { dispatchJob } from './dispatch-job.ts';
import type { EffectContext, Performed } from './effect-context.ts';
import { endDispatch, explainFailure, isDispatch } from './explain-failure.ts';
import { notifyExpired, notifyPeople } from './notify.ts';
import { publishWork } from './publish.ts';
import { deleteComment, react } from './react.ts';
import { runCi } from './run-ci.ts';
import { settlePull } from './settle-pull.ts';
import { showCi } from './show-ci.ts';
import { showReceipt } from './show-receipt.ts';
import { showReview } from './show-review.ts';
import { stopJobs, stopVerification } from './stop-jobs.ts';
import { updateStatus } from './update-status.ts';
import { writeNotice } from './write-notice.ts';
import { writeQuestion } from './write-question.ts';
import { writeReply } from './write-reply.ts';

type RunEffect = Exclude<Outgoing, { type: 'notice' }>;
type EffectOf<Type extends RunEffect['type']> = Extract<RunEffect, { type: Type }>;

/** Every performer may run again after a lost response: it finds what it did by its operation id. */
type Performer<Type extends RunEffect['type']> = (
  context: EffectContext,
  effect: EffectOf<Type>,
  // biome-ignore lint/suspicious/noConfusingVoidType: most performers have nothing to say
) => Promise<Performed | void>;

const PERFORMERS: { [Type in RunEffect['type']]: Performer<Type> } = {
  update_status: updateStatus,
  async ask(context, { escalation }) {
    // A job that stops for a person leaves a report, the agent's own or a measured one.
    await recordReport(context);
    await writeQuestion(context, escalation, context.state.pending === escalation);
  },
  close_question: (context, { escalation }) => writeQuestion(context, escalation, false),
  show_review: showReview,
  reply: writeReply,
  react,
  delete_comment: deleteComment,
  notify: notifyPeople,
  dispatch_job: dispatchJob,
  dispatch_verification: dispatchJob,
  stop_job: stopJobs,
  stop_verification: stopVerification,
  publish: (context, { ready }) => publishWork(context, ready),
  run_ci: runCi,
  show_receipt: async (context) => notifyExpired(context, await showReceipt(context)),
  collect_revision: collectRevision,
  answer_remarks: answerRemarks,
  describe_pull: describePull,
  show_ci: showCi,
  settle_pull: settlePull,
  forget_inputs: forgetInputs,
  save_blocked_report: (context) => recordReport(context),
};

/** Performs an effect on the state as it is now. A failure that retries do not overcome is explained to people. */
export async function performEffect(deps: AppDependencies, outgoing: OutgoingEffect): Promise<Performed> {
  const { run, effect, id } = outgoing;
  if (effect.type === 'notice') {
    await writeNotice(deps, id, effect);
    return {};
  }
  if (run === undefined) return {};
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target) return {};
  if (!isStillWanted(effect, state)) {
    if (isDispatch(effect)) await endDispatch(deps, id, 'it was not needed any more');
    return {};
  }
  try {
    const context: EffectContext = { deps, state, target, op: id, github: await deps.github(target) };
    const perform = PERFORMERS[effect.type] as Performer<RunEffect['type']>;
    return (await perform(context, effect)) ?? {};
  } catch (error) {
    const attempt = { ...outgoing, run, attempts: countAttempts(error, outgoing) };
    if ((await explainFailure(deps, attempt, error)) === 'settled') return {};
    throw error;
  }
}

/** Records the job whose artifact has the newest blocked report. The question and the pull request link to it. */
async function recordReport({ deps, state }: EffectContext): Promise<void> {
  const job = await deps.store.dispatches.newestClaimed(state.run);
  if (job?.actions_run !== undefined)
    await deps.store.publications.change(state.run, { report_run: job.actions_run });
}
