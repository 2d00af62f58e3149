import type { Effect, Reply } from '../../core/contracts/effect.ts';
import { isUnderWay } from '../../core/contracts/run-state.ts';
import { isStillWanted } from '../../core/decide/is-still-wanted.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import type { OutgoingEffect } from '../../core/ports/outbox.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { postReply } from '../post-reply.ts';
import { redactFor } from '../redact.ts';
import { GIVEN_UP, isPublishingDue, NOT_YET, rememberUnpublished, whyUnpublished } from '../unpublished.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { isGivenUp, isRefusal, REFUSED_ATTEMPTS } from '../workers/work-queue.ts';
import { describeRefusal, describeRefusedDispatch } from './describe-refusal.ts';
import { performEffect } from './perform-effect.ts';

type Attempt = OutgoingEffect & { attempts: number };

/** Performs an effect. If GitHub refuses it permanently, a reply explains once what a person can do, on the issue if possible. */
export async function performOrExplain(deps: AppDependencies, outgoing: Attempt): Promise<void> {
  const { state } = await deps.store.runs.load(outgoing.run);
  if (state && !isStillWanted(outgoing.effect, state)) return;
  try {
    await performOrReply(deps, outgoing);
  } catch (error) {
    if (isFinalPublish(outgoing.effect)) await showUnpublished(deps, outgoing, error);
    throw error;
  }
}

async function performOrReply(deps: AppDependencies, outgoing: Attempt): Promise<void> {
  try {
    await performEffect(deps, outgoing);
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retryAfter !== undefined) throw error;
    const target = await deps.store.runs.target(outgoing.run);
    if (!target) throw error;
    await refuseUnreachable(deps, target, error);
    const { type } = outgoing.effect;
    const dispatch = type === 'dispatch_job' || type === 'dispatch_verification';
    if (dispatch && isPermanent(error, outgoing.attempts, [404, 422])) {
      return holdRun(deps, target, outgoing, error);
    }
    const final = isFinalPublish(outgoing.effect);
    const meant = error.missingPermission || type === 'publish' ? [422] : [];
    if (isPermanent(error, outgoing.attempts, meant) || (final && isGivenUp(error, outgoing.attempts))) {
      // Redacted before the text is cut, and before it is stored, because the values are deleted earlier than this reason.
      const said = await redactFor(deps, outgoing.run, error.message);
      const reply = describeRefusal(error, { effect: outgoing.effect, said, grantAt: grantAt(deps, target) });
      if (final) {
        const why = 'GitHub does not take the work';
        await rememberUnpublished(deps, outgoing.run, { why, detail: reply.detail ?? '' });
      }
      await replyOnce(deps, target, { run: outgoing.run, seen: reply.title }, reply);
    }
    throw error;
  }
}

function isFinalPublish(effect: Effect): boolean {
  return effect.type === 'publish' && effect.ready;
}

/** Later effects wait for the publish. Without this update, people would read the state before the run's end for hours. */
async function showUnpublished(
  deps: AppDependencies,
  { id, run, attempts }: Attempt,
  error: unknown,
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  const due = state !== undefined && (await isPublishingDue(deps, state));
  if (due || (await whyUnpublished(deps, run))?.why === NOT_YET.why)
    await rememberUnpublished(deps, run, isGivenUp(error, attempts) ? GIVEN_UP : NOT_YET);
  // GitHub accepts no writes at the moment.
  if (error instanceof GitHubError && (error.unreachable || error.retryAfter !== undefined)) return;
  try {
    await performEffect(deps, { id: `${id}.status`, run, effect: { type: 'update_status' } });
  } catch (problem) {
    deps.log.warn({ run, error: String(problem) }, 'that the work is not published could not be shown');
  }
}

/**
 * Whether a retry is useless. A 422 counts at once, but only if `also` has it. A refusal, and any other status in `also`, counts
 * after several attempts.
 */
function isPermanent(error: GitHubError, attempts: number, also: number[]): boolean {
  if (error.status === 422) return also.includes(422);
  return (isRefusal(error) || also.includes(error.status)) && attempts >= REFUSED_ATTEMPTS;
}

/** Other writes to an unreachable repository would fail for hours too, so they are buried until a person restores access. */
async function refuseUnreachable(
  deps: AppDependencies,
  target: RunTarget,
  error: GitHubError,
): Promise<void> {
  if (![401, 403, 404].includes(error.status)) return;
  const why = await whyUnreachable(deps, target).catch((problem: unknown) => {
    deps.log.warn({ error: String(problem) }, 'whether the repository can be reached is not known');
    return undefined;
  });
  if (!why) return;
  throw new GitHubError(
    `Nothing can be written: ${why}.`,
    { status: error.status, unreachable: true },
    { cause: error },
  );
}

/** If no job can be started, the run pauses until somebody fixes the cause. Finished work is handed over without verification. */
async function holdRun(
  deps: AppDependencies,
  target: RunTarget,
  { id, run, effect }: OutgoingEffect,
  error: GitHubError,
): Promise<void> {
  const verifying = effect.type === 'dispatch_verification';
  const github = await deps.github(target);
  const workflow = error.status === 404 ? await github.workflow(target.workflow) : 'there';
  const reply = describeRefusedDispatch(error, target, grantAt(deps, target), { workflow, verifying });
  // A person who retries gets another reply. A verification is retried automatically, so it gets only one.
  await replyOnce(deps, target, { run, seen: verifying ? reply.title : id }, reply);
  const { state } = await deps.store.runs.load(run);
  if (!state || !isUnderWay(state)) return;
  if (!verifying && (state.pending || state.paused)) return;
  const at = deps.now().toISOString();
  const because = error.message;
  await handleInput(
    deps,
    run,
    verifying
      ? { type: 'job_lost', at, reason: because, verifying }
      : { type: 'command', at, command: { name: 'pause' }, by: 'Autobuild', via: 'autobuild', because },
    [`refused:${id}`],
  );
}

/** The page where the repository's administrators see and grant the App's permissions. */
function grantAt({ settings }: AppDependencies, { owner, repo }: RunTarget): string {
  return `${settings.webUrl}/${owner}/${repo}/settings/installations`;
}

/** The `seen` key makes the reply idempotent. */
async function replyOnce(
  deps: AppDependencies,
  target: RunTarget,
  { run, seen }: { run: string; seen: string },
  reply: Reply,
): Promise<void> {
  deps.log.error({ run, problem: reply.title, remedy: reply.detail }, 'GitHub refuses the App something');
  try {
    await postReply(deps, await deps.github(target), { run, seen: `refused:${seen}` }, reply);
  } catch (error) {
    deps.log.warn({ run, error: String(error) }, 'this could not be said on the issue');
  }
}
