import { Claim, type Envelope, guardsIn, withGuards } from '../core/contracts/envelope.ts';
import { isUnderWay, type RunState } from '../core/contracts/run-state.ts';
import { clampToClock } from '../core/decide/clamp-claim.ts';
import { handle } from '../core/decide/handle.ts';
import { checkBudget } from '../core/decide/jobs/check-budget.ts';
import { acceptEnvelope, isOver } from '../core/ports/job-api.ts';
import { hideInEnvelope } from '../core/secrets/hide-in-claims.ts';
import { openSecrets } from '../core/secrets/secrets-of-run.ts';
import { factsFor } from './accept-changeset.ts';
import type { ClaimsDesk } from './claims-desk.ts';

/** `repeated`: a final claim whose response was lost. `ended`: the run is over, so the claim changes nothing and is not stored. */
type Untaken = 'unknown protocol' | 'over' | 'repeated' | 'ended' | 'gone';

type Taken = { taken: true; state: RunState; version: number } | { taken: false; why: Untaken };

/**
 * Takes in one claim of a job, once per `seen`. The caller has checked that the job speaks for this run and fence. `at` is when
 * the claim was made as far as the desk knows: now, for a job that is heard while it works.
 */
export async function takeClaim(
  desk: ClaimsDesk,
  state: RunState,
  said: Envelope,
  { seen, at }: { seen: string; at: string },
): Promise<Taken> {
  const { store, rules } = desk;
  const { run, fence: job } = said;
  const accepted = acceptEnvelope(said);
  if (!accepted) return { taken: false, why: 'unknown protocol' };
  if (isOver(job, state))
    return { taken: false, why: (await store.runs.wasSeen(seen)) ? 'repeated' : 'over' };
  if (!isUnderWay(state)) return { taken: false, why: 'ended' };
  // Hides given values, because an agent may print them and the claim is stored in the journal and shown in comments.
  const secrets = (await openSecrets(store.vault, state)).map(({ value }) => value);
  const hidden = hideInEnvelope(withReadStates(desk, accepted), secrets, rules);
  const envelope = clampToClock(state, hidden, at);
  const work = await factsFor(desk, state, envelope);
  const decided = await handle(store.runs, rules, run, { type: 'claim', envelope, work }, { seen: [seen] });
  if (!decided) return { taken: false, why: 'gone' };
  // A turn is where a run can stop with nothing lost.
  const paused = envelope.type === 'turn_ended' && (await checkBudget(store, rules, decided.state, at));
  const { state: after, version } = paused || decided;
  return { taken: true, state: after, version };
}

/** Drops guard states that cannot be parsed. If they were refused, the job would fail, and its successor too. */
function withReadStates({ rules, log }: ClaimsDesk, envelope: Envelope): Envelope {
  const claim = Claim.safeParse({ type: envelope.type, data: envelope.data });
  if (!claim.success) return envelope;
  const { states, unreadable } = rules.readStates(guardsIn(claim.data));
  if (unreadable.length === 0) return envelope;
  const { run, fence: job } = envelope;
  log.warn(
    { run, job, guards: unreadable },
    'the counts of these guards cannot be read: they start from zero',
  );
  return { ...envelope, ...withGuards(claim.data, states) };
}
