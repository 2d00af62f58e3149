import { type Context, Hono } from 'hono';
import { takeBlob } from '../../claims/take-blob.ts';
import { takeClaim } from '../../claims/take-claim.ts';
import { takeVerification } from '../../claims/take-verification.ts';
import { Envelope, PROTOCOL } from '../../core/contracts/envelope.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { ordersFor } from '../../core/decide/orders/orders-for.ts';
import {
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
import { readStream } from '../read-stream.ts';
import { busy, createRefusal, problem, readJson, SMALL_BYTES, tooLarge } from './answer-job.ts';
import { createClaimRoute } from './claim-job.ts';
import type { JobApiDependencies } from './job-api-dependencies.ts';
import { hashToken } from './tokens.ts';
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
  const { store, log, now, closing } = deps;
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
    const seen = `claim:${hash.slice(0, 32)}:${read.seq}`;
    const said = await takeClaim(deps, c.get('state'), read, { seen, at: now().toISOString() });
    if (said.taken) {
      await markAlive(c.get('speaker').op);
      const { state, version } = said;
      return c.json({ orders: isOver(job, state) ? PARK : ordersFor(state), version });
    }
    const version = c.get('version');
    switch (said.why) {
      case 'unknown protocol': {
        const text = `Protocol ${read.protocol} is not spoken here, only ${PROTOCOL} and ${PROTOCOL - 1}: pin another version of the action.`;
        return problem(c, 409, text);
      }
      case 'over':
        return refuse(c, OVER, { run, job });
      case 'repeated':
        return c.json({ orders: PARK, version });
      case 'ended':
        return c.json({ orders: ordersFor(c.get('state')), version });
      case 'gone':
        return refuse(c, 'The run is gone.', { run, job });
    }
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
      const kept = await takeBlob(deps, speaker, name.data, bytes);
      if (!kept.taken) {
        if (kept.why === 'busy') return busy(c);
        return problem(c, kept.why === 'invalid' ? 422 : 409, kept.reason);
      }
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
    const { hash, op } = c.get('speaker');
    await markAlive(op);
    // The key lets each claimed token report one result, even if the request is repeated.
    const seen = `verification:${hash.slice(0, 32)}`;
    if (!(await takeVerification(deps, c.get('state'), request, { seen })))
      return problem(
        c,
        409,
        'What was verified is not the changeset of the run, or not by its checks: the result does not count.',
      );
    return c.json({ ok: true });
  });

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
