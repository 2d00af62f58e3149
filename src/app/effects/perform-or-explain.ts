import type { Effect, Reply } from '../../core/contracts/effect.ts';
import { isFinished } from '../../core/contracts/run-state.ts';
import { isStillWanted } from '../../core/decide/is-still-wanted.ts';
import { GitHubError } from '../../core/ports/github-port.ts';
import type { OutgoingEffect, Place } from '../../core/ports/hosted-ports.ts';
import { decideForRun } from '../decide-for-run.ts';
import type { AppParts } from '../dependencies.ts';
import { postReply } from '../post-reply.ts';
import { redactFor } from '../redact.ts';
import { GIVEN_UP, isPublishingDue, NOT_YET, rememberUnpublished, whyUnpublished } from '../unpublished.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { isGivenUp, isRefusal, REFUSED_ATTEMPTS } from '../workers/work-queue.ts';
import { describeRefusal, describeRefusedDispatch } from './describe-refusal.ts';
import { performEffect } from './perform-effect.ts';

type Attempt = OutgoingEffect & { attempts: number };

/** An effect; and where GitHub refuses it for good, what a person can do about it, said once and on the issue if possible. */
export async function performOrExplain(parts: AppParts, outgoing: Attempt): Promise<void> {
  const { state } = await parts.store.runs.load(outgoing.run);
  if (state && !isStillWanted(outgoing.effect, state)) return;
  try {
    await performOrTell(parts, outgoing);
  } catch (error) {
    if (isFinalPublish(outgoing.effect)) await showUnpublished(parts, outgoing, error);
    throw error;
  }
}

async function performOrTell(parts: AppParts, outgoing: Attempt): Promise<void> {
  try {
    await performEffect(parts, outgoing);
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retryAfter !== undefined) throw error;
    const place = await parts.store.runs.place(outgoing.run);
    if (!place) throw error;
    await refuseUnreachable(parts, place, error);
    const { type } = outgoing.effect;
    const dispatch = type === 'dispatch_job' || type === 'dispatch_verification';
    if (dispatch && isLastWord(error, outgoing.attempts, [404, 422])) {
      return holdRun(parts, place, outgoing, error);
    }
    const final = isFinalPublish(outgoing.effect);
    const meant = error.missingPermission || type === 'publish' ? [422] : [];
    if (isLastWord(error, outgoing.attempts, meant) || (final && isGivenUp(error, outgoing.attempts))) {
      // Hidden before anything is cut, and for good: the values are forgotten sooner than the reason.
      const said = await redactFor(parts, outgoing.run, error.message);
      const reply = describeRefusal(error, { effect: outgoing.effect, said, grantAt: grantAt(parts, place) });
      if (final) {
        const why = 'GitHub does not take the work';
        await rememberUnpublished(parts, outgoing.run, { why, detail: reply.detail ?? '' });
      }
      await tell(parts, place, { run: outgoing.run, seen: reply.title }, reply);
    }
    throw error;
  }
}

function isFinalPublish(effect: Effect): boolean {
  return effect.type === 'publish' && effect.ready;
}

/** What comes next waits for it: without this, people read for hours how things stood before the run ended. */
async function showUnpublished(
  parts: AppParts,
  { id, run, attempts }: Attempt,
  error: unknown,
): Promise<void> {
  const { state } = await parts.store.runs.load(run);
  const due = state !== undefined && (await isPublishingDue(parts, state));
  if (due || (await whyUnpublished(parts, run))?.why === NOT_YET.why)
    await rememberUnpublished(parts, run, isGivenUp(error, attempts) ? GIVEN_UP : NOT_YET);
  // Nothing can be written now.
  if (error instanceof GitHubError && (error.unreachable || error.retryAfter !== undefined)) return;
  try {
    await performEffect(parts, { id: `${id}.status`, run, effect: { type: 'update_status' } });
  } catch (problem) {
    parts.log.warn({ run, error: String(problem) }, 'that the work is not published could not be shown');
  }
}

/** A 422 is meant as it is said; the others are once they were said again. */
function isLastWord(error: GitHubError, attempts: number, also: number[]): boolean {
  if (error.status === 422) return also.includes(422);
  return (isRefusal(error) || also.includes(error.status)) && attempts >= REFUSED_ATTEMPTS;
}

/** Whatever else is to be written there would fail alike, for hours: it is set aside until a person lets the App in again. */
async function refuseUnreachable(parts: AppParts, place: Place, error: GitHubError): Promise<void> {
  if (![401, 403, 404].includes(error.status)) return;
  const why = await whyUnreachable(parts, place).catch((problem: unknown) => {
    parts.log.warn({ error: String(problem) }, 'whether the repository can be reached is not known');
    return undefined;
  });
  if (!why) return;
  throw new GitHubError(
    `Nothing can be written: ${why}.`,
    { status: error.status, unreachable: true },
    { cause: error },
  );
}

/** No job can be started: the run waits, paused, for somebody to mend it. What was built is handed over without a fresh check. */
async function holdRun(
  parts: AppParts,
  place: Place,
  { id, run, effect }: OutgoingEffect,
  error: GitHubError,
): Promise<void> {
  const verifying = effect.type === 'dispatch_verification';
  const github = await parts.github(place);
  const workflow = error.status === 404 ? await github.workflow(place.workflow) : 'there';
  const reply = describeRefusedDispatch(error, place, grantAt(parts, place), { workflow, verifying });
  // A person who tries again is told again; the fresh job is tried again by itself.
  await tell(parts, place, { run, seen: verifying ? reply.title : id }, reply);
  const { state } = await parts.store.runs.load(run);
  if (!state || isFinished(state)) return;
  if (!verifying && (state.pending || state.paused)) return;
  const at = parts.now().toISOString();
  const because = error.message;
  await decideForRun(
    parts,
    run,
    verifying
      ? { type: 'job_lost', at, reason: because, verifying }
      : { type: 'command', at, command: { name: 'pause' }, by: 'Autobuild', via: 'autobuild', because },
    [`refused:${id}`],
  );
}

/** Where administrators of the repository see what the App may do there. */
function grantAt({ settings }: AppParts, { owner, repo }: Place): string {
  return `${settings.webUrl}/${owner}/${repo}/settings/installations`;
}

/** What was seen before makes no second comment. */
async function tell(
  parts: AppParts,
  place: Place,
  { run, seen }: { run: string; seen: string },
  reply: Reply,
): Promise<void> {
  parts.log.error({ run, problem: reply.title, remedy: reply.detail }, 'GitHub refuses the App something');
  try {
    await postReply(parts, await parts.github(place), { run, seen: `refused:${seen}` }, reply);
  } catch (error) {
    parts.log.warn({ run, error: String(error) }, 'this could not be said on the issue');
  }
}
