import type { Context } from 'hono';
import type { Effect } from '../../core/contracts/effect.ts';
import { PROTOCOL } from '../../core/contracts/envelope.ts';
import type { Input } from '../../core/contracts/input.ts';
import type { Rules } from '../../core/contracts/rules.ts';
import { isUnderWay, type RunState, verificationName } from '../../core/contracts/run-state.ts';
import { handle } from '../../core/decide/handle.ts';
import { briefFor } from '../../core/decide/orders/brief-for.ts';
import { ordersFor } from '../../core/decide/orders/orders-for.ts';
import type { Dispatch } from '../../core/ports/dispatches.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import {
  ClaimRequest,
  type ClaimResponse,
  type EarlyClaimResponse,
  isOver,
  type RunOver,
} from '../../core/ports/job-api.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { Ticket } from '../../core/ports/tickets.ts';
import { jobPlace } from '../../core/work/round-head.ts';
import type { Logger } from '../log.ts';
import { createRefusal, readJson, SMALL_BYTES } from './answer-job.ts';
import { askSparingly, type ReadActionsRun } from './read-actions-run.ts';
import { hashToken, tokenFor } from './tokens.ts';

export interface ClaimDependencies {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  /** GitHub's own pages. */
  webUrl: string;
  now(): Date;
  readActionsRun: ReadActionsRun;
}

const UNUSABLE = 'The ticket is unknown, used or expired.';
const USED_TWICE = 'its ticket was used twice';
const TWICE =
  'The ticket of this job was used twice. It is unclear which one is the job, so both users are locked out and the run is paused.';
/** GitHub may show a run as queued for a moment after its job has begun. */
const RETRY_SECONDS = '5';

/** `POST /claim` exchanges a ticket for the token of its job, for one attempt of the Actions run it was dispatched to. */
export function createClaimRoute(deps: ClaimDependencies): (c: Context) => Promise<Response> {
  const { store, rules, log, webUrl, now } = deps;
  const readActionsRun = askSparingly(deps.readActionsRun, now);
  const refuse = createRefusal(log);

  /**
   * Webhooks of the dispatch show the ticket to others before the job begins, and code in a job can read it later. So a claim counts
   * only while GitHub says that this attempt runs.
   */
  const checkRunning = async (
    c: Context,
    target: RunTarget,
    about: { actions_run_id: number; attempt: number },
  ): Promise<Response | undefined> => {
    const { actions_run_id, attempt } = about;
    let found: Awaited<ReturnType<ReadActionsRun>>;
    try {
      found = await readActionsRun(target, actions_run_id);
    } catch (error) {
      log.warn({ ...about, error: String(error) }, 'the state of an Actions run could not be read');
    }
    const later = (error: string) => c.json({ error }, 503, { 'retry-after': RETRY_SECONDS });
    if (!found)
      return later(`GitHub does not say whether Actions run ${actions_run_id} is in progress, try again.`);
    if (found.attempt !== attempt) return refuse(c, `The Actions run is at attempt ${found.attempt}.`, about);
    if (found.status === 'completed') return refuse(c, 'The Actions run has ended.', about);
    return found.status === 'in_progress'
      ? undefined
      : later(`GitHub says that Actions run ${actions_run_id} is ${found.status}, try again.`);
  };

  const answerOver = (c: Context, { status }: RunState, about: object) => {
    log.info({ ...about, status }, 'a job came after the end of its run');
    const answer: RunOver = { error: `The run is over (${status}): there is nothing left to do.`, status };
    return c.json(answer, 410);
  };

  /** S-17: the first of two may be the one who should not have the ticket, so both lose it. */
  const refuseBoth = async (
    c: Context,
    { op, run, job, kind, verification, actions_run }: Ticket,
    { owner, repo }: RunTarget,
    about: object,
  ) => {
    const at = now().toISOString();
    const log_url = actions_run && `${webUrl}/${owner}/${repo}/actions/runs/${actions_run}`;
    const of = { job, kind, verification, actions_run, ...(log_url && { log_url }) };
    const input = { type: 'ticket_claimed_twice', at, ...of } as const;
    const lockedOut = { op, outcome: USED_TWICE };
    await handle(store.runs, rules, run, input, { seen: [`claimed-twice:${op}`], lockedOut });
    return refuse(c, TWICE, about);
  };

  /** The issue shows whether the job sets up or works. */
  const showStage = async (run: string, seen: string) => {
    const effects: Effect[] = [{ type: 'update_status' }];
    const input: Input = { type: 'write', at: now().toISOString(), effects };
    await handle(store.runs, rules, run, input, { seen: [seen] });
  };

  return async (c) => {
    const request = await readJson(c, ClaimRequest, SMALL_BYTES);
    if (request instanceof Response) return request;
    const { ticket, actions_run_id, attempt, nonce, step, begin } = request;
    const ticketHash = hashToken(ticket);
    const found = await store.tickets.find(ticketHash);
    if (!found) return refuse(c, UNUSABLE, { actions_run_id, attempt });
    const { op, run, job, kind, verification } = found;
    const about = { actions_run_id, attempt, run, job };
    const [{ state, version }, target, dispatch] = await Promise.all([
      store.runs.load(run),
      store.runs.target(run),
      store.dispatches.find(op),
    ]);
    if (state && !isUnderWay(state)) return answerOver(c, state, about);
    const over =
      !state || (kind === 'verify' ? verification !== verificationName(state) : isOver(job, state));
    // A dispatch that was given up is not the run's job any more, and its successor has the same number.
    if (!target || !dispatch || dispatch.ended_at || over)
      return refuse(c, 'The ticket is for a job that has ended or was replaced.', about);
    const at = (await store.now()).toISOString();
    const dispatched = found.actions_run ?? dispatch.actions_run ?? actions_run_id;
    if (found.revoked) return refuse(c, dispatch.outcome === USED_TWICE ? TWICE : UNUSABLE, about);
    if (dispatched !== actions_run_id) return refuse(c, UNUSABLE, about);
    const nonceHash = nonce && hashToken(nonce);
    if (!isOfClaim(found, attempt, nonceHash)) {
      if (isSecondClaim(found, dispatch, attempt, nonceHash)) return refuseBoth(c, found, target, about);
      if (at >= found.expires_at || attempt <= (found.attempt ?? 0)) return refuse(c, UNUSABLE, about);
      const wrong = await checkRunning(c, target, about);
      if (wrong) return wrong;
      const claim = { actions_run: actions_run_id, attempt, nonce: nonceHash, now: at };
      if (!(await store.tickets.redeem(ticketHash, claim))) {
        // Another claim was faster.
        const taken = await store.tickets.find(ticketHash);
        const isSecond = taken && !taken.revoked && isSecondClaim(taken, dispatch, attempt, nonceHash);
        return isSecond ? refuseBoth(c, taken, target, about) : refuse(c, UNUSABLE, about);
      }
      // a dispatch that GitHub answered without a run id may have been asked for twice. One of its jobs is heard.
      for (const other of await store.dispatches.open(run))
        if (other.op !== op && other.job === job && other.kind === kind) await store.tickets.revoke(other.op);
    }
    const isNewAttempt = attempt > (dispatch.attempt ?? 1);
    const known = {
      actions_run: actions_run_id,
      attempt,
      claimed_at: isNewAttempt ? at : (dispatch.claimed_at ?? at),
      heard_at: at,
    };
    if (step === 'pre') {
      // A later attempt sets up again.
      await store.dispatches.change(op, { ...known, ...(isNewAttempt && { working_at: undefined }) });
      await showStage(run, `setting-up:${op}:${attempt}`);
      log.info({ ...about, kind }, 'job claimed, it sets up');
      return answer(c, { kind, protocol: PROTOCOL } satisfies EarlyClaimResponse);
    }
    const token = tokenFor(ticket, attempt, nonce, begin);
    const added = await store.tickets.addToken(hashToken(token), op);
    if (added === 'taken') return refuseBoth(c, found, target, about);
    if (added === 'revoked') return refuse(c, UNUSABLE, about);
    await store.dispatches.change(op, { ...known, working_at: dispatch.working_at ?? at });
    await showStage(run, `working:${op}:${attempt}`);
    log.info({ ...about, kind }, 'job claimed, it works');
    return answer(c, {
      token,
      kind,
      // A later attempt of the same Actions run continues as the same job.
      brief: { ...briefFor(state), job },
      orders: ordersFor(state),
      version,
      place: jobPlace(state, target),
      protocol: PROTOCOL,
    } satisfies ClaimResponse);
  };
}

/** The response of an earlier claim was lost, or the main step follows the claim of its `pre` step. */
function isOfClaim(ticket: Ticket, attempt: number, nonce: string | undefined): boolean {
  return nonce !== undefined && ticket.nonce === nonce && ticket.attempt === attempt;
}

/**
 * An older action claims without a nonce. Until it has used its token, a second claim may be the same job whose response was lost:
 * it gets nothing, and nobody loses anything.
 */
function isSecondClaim(
  ticket: Ticket,
  { claimed_at, heard_at }: Dispatch,
  attempt: number,
  nonce: string | undefined,
): boolean {
  if (ticket.attempt !== attempt) return false;
  if (nonce !== undefined || ticket.nonce !== undefined) return ticket.nonce !== nonce;
  return claimed_at !== undefined && heard_at !== undefined && heard_at > claimed_at;
}

function answer(c: Context, body: EarlyClaimResponse | ClaimResponse): Response {
  c.header('cache-control', 'no-store');
  return c.json(body);
}
