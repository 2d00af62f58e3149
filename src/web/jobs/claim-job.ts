import type { Context } from 'hono';
import { PROTOCOL } from '../../core/contracts/envelope.ts';
import { isUnderWay, type RunState, verificationName } from '../../core/contracts/run-state.ts';
import { briefFor } from '../../core/decide/orders/brief-for.ts';
import { ordersFor } from '../../core/decide/orders/orders-for.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import {
  ClaimRequest,
  type ClaimResponse,
  isOver,
  JobTarget,
  type RunOver,
} from '../../core/ports/job-api.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { Logger } from '../log.ts';
import { createRefusal, readJson, SMALL_BYTES } from './answer-job.ts';
import { type AttemptOf, askSparingly } from './attempt-of.ts';
import { hashToken, tokenFor } from './tokens.ts';

export interface ClaimDependencies {
  store: HostedStore;
  log: Logger;
  now(): Date;
  attemptOf: AttemptOf;
}

const FIRST_ATTEMPT = 1;
const UNUSABLE = 'The ticket is unknown, used or expired.';

/** `POST /claim` exchanges a ticket for the token of its job, for one attempt of the Actions run it was dispatched to. */
export function createClaimRoute(deps: ClaimDependencies): (c: Context) => Promise<Response> {
  const { store, log, now } = deps;
  const attemptOf = askSparingly(deps.attemptOf, now);
  const refuse = createRefusal(log);

  /** Code in a job can read the ticket, so GitHub must confirm that a later attempt has begun. */
  const checkAttempt = async (
    c: Context,
    target: RunTarget,
    about: { actions_run_id: number; attempt: number },
  ): Promise<Response | undefined> => {
    const { actions_run_id, attempt } = about;
    let running: number | undefined;
    try {
      running = await attemptOf(target, actions_run_id);
    } catch (error) {
      log.warn({ ...about, error: String(error) }, 'the attempt of an Actions run could not be read');
    }
    if (running === undefined) {
      const error = `GitHub does not say whether Actions run ${actions_run_id} is at attempt ${attempt}, try again.`;
      return c.json({ error }, 503, { 'retry-after': '10' });
    }
    return running < attempt ? refuse(c, `The Actions run is at attempt ${running}.`, about) : undefined;
  };

  const answerOver = (c: Context, { status }: RunState, about: object) => {
    log.info({ ...about, status }, 'a job came after the end of its run');
    const answer: RunOver = { error: `The run is over (${status}): there is nothing left to do.`, status };
    return c.json(answer, 410);
  };

  return async (c) => {
    const request = await readJson(c, ClaimRequest, SMALL_BYTES);
    if (request instanceof Response) return request;
    const { ticket, actions_run_id, attempt, nonce } = request;
    const token = tokenFor(ticket, attempt, nonce);
    const hash = hashToken(token);
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
    // The token exists already if the response of an earlier claim was lost.
    if (!(await store.tickets.findToken(hash))) {
      const dispatched = found.actions_run ?? dispatch.actions_run ?? actions_run_id;
      const usable = !found.revoked && at < found.expires_at;
      if (!usable || dispatched !== actions_run_id) return refuse(c, UNUSABLE, about);
      if (attempt > (found.attempt ?? FIRST_ATTEMPT)) {
        const wrong = await checkAttempt(c, target, about);
        if (wrong) return wrong;
      }
      const claim = { actions_run: actions_run_id, attempt, nonce: nonce && hashToken(nonce), now: at };
      if (!(await store.tickets.redeem(ticketHash, claim))) return refuse(c, UNUSABLE, about);
      await store.tickets.addToken(hash, op);
      // a dispatch that GitHub answered without a run id may have been asked for twice. One of its jobs is heard.
      for (const other of await store.dispatches.open(run))
        if (other.op !== op && other.job === job && other.kind === kind) await store.tickets.revoke(other.op);
    }
    await store.dispatches.change(op, {
      actions_run: actions_run_id,
      attempt,
      claimed_at: dispatch.claimed_at ?? at,
      heard_at: at,
    });
    log.info({ ...about, kind }, 'job claimed');
    const response: ClaimResponse = {
      token,
      kind,
      // A later attempt of the same Actions run continues as the same job.
      brief: { ...briefFor(state), job },
      orders: ordersFor(state),
      version,
      place: JobTarget.parse(target),
      protocol: PROTOCOL,
    };
    c.header('cache-control', 'no-store');
    return c.json(response);
  };
}
