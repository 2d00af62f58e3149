import { type Context, Hono } from 'hono';
import { Claim, Envelope, guardsIn, PROTOCOL, withGuards } from '../../core/contracts/envelope.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { clampToClock } from '../../core/decide/clamp-claim.ts';
import { handle } from '../../core/decide/handle.ts';
import { checkBudget } from '../../core/decide/jobs/check-budget.ts';
import { ordersFor } from '../../core/decide/orders/orders-for.ts';
import {
  acceptEnvelope,
  BlobName,
  InputsRequest,
  isOfVerification,
  isOver,
  type JobKind,
  MAX_BLOB_BYTES,
  MAX_REPORT_BYTES,
  MAX_WAIT_SECONDS,
  OrdersQuery,
  VerificationRequest,
} from '../../core/ports/job-api.ts';
import type { JobIdentity } from '../../core/ports/tickets.ts';
import {
  hideInBaseVerification,
  hideInEnvelope,
  hideInVerification,
} from '../../core/secrets/hide-in-claims.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import { readStream } from '../read-stream.ts';
import { factsFor, whyNotAccepted } from './accept-changeset.ts';
import { busy, createRefusal, problem, readJson, SMALL_BYTES, tooLarge } from './answer-job.ts';
import { createClaimRoute } from './claim-job.ts';
import type { JobApiDependencies } from './job-api-dependencies.ts';
import { keepBlob } from './keep-blob.ts';
import { digestOf, hashToken } from './tokens.ts';
import { waitForVersion } from './version-watch.ts';

/** The authenticated job. Its token is valid for one job of one run. */
interface Speaker extends JobIdentity {
  hash: string;
}

export type JobApiEnv = { Variables: { speaker: Speaker; state: RunState; version: number } };

const OVER = 'This job is over: it paused, handed over, was lost or was replaced.';
/** The orders for a job that is over. Only its successor learns the current ones. */
const PARK: Orders = { do: 'park' };
const BEARER = /^Bearer ([\w-]{20,200})$/;

/** The job API below `/api/jobs`. Claims of a job are passed to `decide`. */
export function createJobApi(deps: JobApiDependencies): Hono<JobApiEnv> {
  const { store, rules, log, now, closing } = deps;
  const limits = { longPolls: 2_000, uploads: 4, ...deps.limits };
  let longPolls = 0;
  let uploads = 0;
  const app = new Hono<JobApiEnv>();

  const refuse = createRefusal(log);

  app.post('/claim', createClaimRoute(deps));

  app.use(async (c, next) => {
    const token = BEARER.exec(c.req.header('authorization') ?? '')?.[1];
    if (!token) return refuse(c, 'A bearer token is needed.');
    const hash = hashToken(token);
    const found = await store.tickets.findToken(hash);
    if (!found) return refuse(c, 'The token is unknown or was revoked.');
    const { run, job } = found;
    const { state, version } = await store.runs.load(run);
    if (!state) return refuse(c, 'The run is gone.', { run, job });
    c.set('speaker', { ...found, hash });
    c.set('state', state);
    c.set('version', version);
    c.header('cache-control', 'no-store');
    return next();
  });

  /**
   * Only the build job may read values and send work or claims, because a verification job runs code that nobody has reviewed.
   */
  const forbidden = (c: Context<JobApiEnv>, kind: JobKind) =>
    c.get('speaker').kind === kind
      ? undefined
      : problem(c, 403, `Only for the job that is there to ${kind}.`);

  app.post('/report', async (c) => {
    const wrongKind = forbidden(c, 'build');
    if (wrongKind) return wrongKind;
    const read = await readJson(c, Envelope, MAX_REPORT_BYTES);
    if (read instanceof Response) return read;
    const { run, job, hash } = c.get('speaker');
    if (read.run !== run || read.fence !== job)
      return refuse(c, 'The envelope is of another run or job than the token.', { run, job });
    const accepted = acceptEnvelope(read);
    if (!accepted) {
      const text = `Protocol ${read.protocol} is not spoken here, only ${PROTOCOL} and ${PROTOCOL - 1}: pin another version of the action.`;
      return problem(c, 409, text);
    }
    const state = c.get('state');
    const key = `claim:${hash.slice(0, 32)}:${read.seq}`;
    if (isOver(job, state)) {
      // A final claim whose response was lost is acknowledged again, without effect.
      if (!(await store.runs.wasSeen(key))) return refuse(c, OVER, { run, job });
      return c.json({ orders: PARK, version: c.get('version') });
    }
    // The run has ended, so the claim changes nothing and is not stored.
    if (!isUnderWay(state)) return c.json({ orders: ordersFor(state), version: c.get('version') });
    await markAlive(c.get('speaker').op);
    // Hides given values, because an agent may print them and the claim is stored in the journal and shown in comments.
    const hidden = hideInEnvelope(withReadStates(accepted), await secretsOf(c.get('state')), rules);
    const envelope = clampToClock(state, hidden, now().toISOString());
    const work = await factsFor(deps, state, envelope);
    const decided = await handle(store.runs, rules, run, { type: 'claim', envelope, work }, { seen: [key] });
    if (!decided) return refuse(c, 'The run is gone.', { run, job });
    // A turn is where a run can stop with nothing lost.
    const paused =
      envelope.type === 'turn_ended' && (await checkBudget(store, rules, decided.state, now().toISOString()));
    const { state: after, version } = paused || decided;
    const orders = isOver(job, after) ? PARK : ordersFor(after);
    return c.json({ orders, version });
  });

  app.use(async (c, next) => {
    const speaker = c.get('speaker');
    if (!isStale(speaker, c.get('state'))) return next();
    return refuse(c, OVER, { run: speaker.run, job: speaker.job });
  });

  app.get('/orders', async (c) => {
    const query = OrdersQuery.safeParse(c.req.query());
    if (!query.success) return problem(c, 400, 'version and wait are numbers.');
    const speaker = c.get('speaker');
    const { run, job } = speaker;
    const waitMs = Math.min(query.data.wait, MAX_WAIT_SECONDS) * 1000;
    if (waitMs > 0 && longPolls >= limits.longPolls) return busy(c);
    longPolls += 1;
    try {
      const signal = AbortSignal.any([c.req.raw.signal, closing]);
      const { version, state } = await waitForVersion(store, run, query.data.version, waitMs, signal);
      if (!state || isStale(speaker, state)) return refuse(c, OVER, { run, job });
      return c.json({ orders: ordersFor(state), version });
    } finally {
      longPolls -= 1;
    }
  });

  app.post('/heartbeat', async (c) => {
    await markAlive(c.get('speaker').op);
    return c.json({ do: ordersFor(c.get('state')).do });
  });

  app.post('/inputs', async (c) => {
    const wrongKind = forbidden(c, 'build');
    if (wrongKind) return wrongKind;
    const request = await readJson(c, InputsRequest, SMALL_BYTES);
    if (request instanceof Response) return request;
    if (!isUnderWay(c.get('state'))) return problem(c, 409, 'The run is over: no values are given any more.');
    return c.json({ values: await store.vault.open(c.get('speaker').run, request.refs) });
  });

  app.put('/blobs/:name', async (c) => {
    const name = BlobName.safeParse(c.req.param('name'));
    if (!name.success) return problem(c, 404, 'There is no such blob.');
    const wrongKind = forbidden(c, 'build');
    if (wrongKind) return wrongKind;
    if (Number(c.req.header('content-length') ?? 0) > MAX_BLOB_BYTES) return tooLarge(c, MAX_BLOB_BYTES);
    if (uploads >= limits.uploads) return busy(c);
    uploads += 1;
    try {
      const bytes = await readStream(c.req.raw.body, MAX_BLOB_BYTES);
      if (!bytes) return tooLarge(c, MAX_BLOB_BYTES);
      const speaker = c.get('speaker');
      const { run } = speaker;
      const why = name.data === 'changeset' ? await whyNotAccepted(deps, speaker, bytes) : undefined;
      if (why) return problem(c, 422, why);
      const kept = await keepBlob(store, run, name.data, bytes, (state) => isStale(speaker, state));
      if (!kept.kept) return kept.why === 'busy' ? busy(c) : problem(c, 409, kept.reason);
      await markAlive(c.get('speaker').op);
      return c.json({ bytes: bytes.length });
    } finally {
      uploads -= 1;
    }
  });

  app.get('/blobs/:name', async (c) => {
    const name = BlobName.safeParse(c.req.param('name'));
    // A verification job must not read the checkpoint, which has the agent's session.
    if (!name.success || (name.data === 'checkpoint' && c.get('speaker').kind === 'verify'))
      return problem(c, 404, 'There is no such blob.');
    const bytes = await store.blobs.get(c.get('speaker').run, name.data);
    if (!bytes) return problem(c, 404, 'Nothing was saved yet.');
    return c.body(Uint8Array.from(bytes), 200, { 'content-type': 'application/octet-stream' });
  });

  app.post('/verification', async (c) => {
    const wrongKind = forbidden(c, 'verify');
    if (wrongKind) return wrongKind;
    const request = await readJson(c, VerificationRequest, MAX_REPORT_BYTES);
    if (request instanceof Response) return request;
    const { run, hash } = c.get('speaker');
    await markAlive(c.get('speaker').op);
    const bytes = await store.blobs.get(run, 'changeset');
    if ((bytes ? digestOf(bytes) : null) !== request.changeset)
      return problem(c, 409, 'What was verified is not the changeset of the run: the result does not count.');
    const secrets = await secretsOf(c.get('state'));
    const verification = hideInVerification(request.verification, secrets);
    const with_base = request.with_base && hideInBaseVerification(request.with_base, secrets);
    // The key lets each claimed token report one result, even if the request is repeated.
    const seen = [`verification:${hash.slice(0, 32)}`];
    const at = now().toISOString();
    const changeset = request.changeset ?? undefined;
    const input = { type: 'verification', at, verification, changeset, with_base } as const;
    await handle(store.runs, rules, run, input, { seen });
    return c.json({ ok: true });
  });

  /** Drops guard states that cannot be parsed. If they were refused, the job would fail, and its successor too. */
  const withReadStates = (envelope: Envelope): Envelope => {
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
  };

  const secretsOf = async (state: RunState) =>
    (await openSecrets(store.vault, state)).map(({ value }) => value);

  const markAlive = async (op: string) => {
    const at = (await store.now()).toISOString();
    const dispatch = await store.dispatches.find(op);
    await store.dispatches.change(op, { heard_at: at, working_at: dispatch?.working_at ?? at });
  };

  return app;
}

/** A verification job may only report its own verification. */
function isStale({ job, kind, verification }: Speaker, state: RunState): boolean {
  return kind === 'build' ? isOver(job, state) : !isOfVerification(verification, state);
}
