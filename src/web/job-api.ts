import { type Context, Hono } from 'hono';
import type * as z from 'zod';
import { briefFor } from '../core/brief.ts';
import { decideOnce } from '../core/decide-once.ts';
import { Envelope, PROTOCOL } from '../core/envelope.ts';
import { hideInEnvelope, hideInVerification } from '../core/hide-in-claims.ts';
import type { HostedStore, Place } from '../core/hosted-ports.ts';
import {
  acceptEnvelope,
  actionsRunMark,
  aliveMark,
  BlobName,
  ClaimRequest,
  type ClaimResponse,
  claimMark,
  dispatchedMark,
  InputsRequest,
  isOfVerification,
  type JobKind,
  JobPlace,
  MAX_BLOB_BYTES,
  MAX_REPORT_BYTES,
  MAX_WAIT_SECONDS,
  OrdersQuery,
  type RunOver,
  VerificationRequest,
  verificationMark,
  verificationName,
} from '../core/job-api.ts';
import { ordersFor } from '../core/orders.ts';
import { parseJson } from '../core/parse-json.ts';
import type { Rules } from '../core/rules.ts';
import { isFinished, type RunState } from '../core/run-state.ts';
import { openSecrets } from '../core/secrets-of-run.ts';
import { type AttemptOf, askSparingly } from './attempt-of.ts';
import { keepBlob } from './keep-blob.ts';
import type { Logger } from './log.ts';
import { readStream } from './read-stream.ts';
import { factsFor, whyNotTaken } from './take-changeset.ts';
import { digestOf, hashToken, tokenFor } from './tokens.ts';
import { waitForVersion } from './version-watch.ts';

export interface JobApiParts {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  now(): Date;
  /** Aborts when the server stops: whoever waits is answered at once. */
  closing: AbortSignal;
  attemptOf: AttemptOf;
  limits?: { longPolls?: number; uploads?: number };
}

/** Who speaks: one job of one run, and nothing else. */
interface Speaker {
  run: string;
  job: number;
  kind: JobKind;
  hash: string;
  /** Which verification, for a job that verifies. */
  verification?: string;
}

export type JobApiEnv = { Variables: { speaker: Speaker; state: RunState; version: number } };

const SMALL_BYTES = 64 * 1024;
const FIRST_ATTEMPT = 1;
const UNUSABLE = 'The ticket is unknown, used or expired.';
const BEARER = /^Bearer ([\w-]{20,200})$/;

/** What a job says and asks, below `/api/jobs`. The desk decides what it means. */
export function createJobApi(parts: JobApiParts): Hono<JobApiEnv> {
  const { store, rules, log, now, closing } = parts;
  const attemptOf = askSparingly(parts.attemptOf, now);
  const limits = { longPolls: 2_000, uploads: 4, ...parts.limits };
  let longPolls = 0;
  let uploads = 0;
  const app = new Hono<JobApiEnv>();

  const refuse = (c: Context, reason: string, about: object = {}) => {
    log.warn({ ...about, reason, path: c.req.path }, 'job refused');
    return problem(c, 401, reason);
  };

  app.post('/claim', async (c) => {
    const request = await readJson(c, ClaimRequest, SMALL_BYTES);
    if (request instanceof Response) return request;
    const { ticket, actions_run_id, attempt, nonce } = request;
    const token = tokenFor(ticket, attempt, nonce);
    const hash = hashToken(token);
    const ticketHash = hashToken(ticket);
    const found = await store.tokens.findTicket(ticketHash);
    if (!found) return refuse(c, UNUSABLE, { actions_run_id, attempt });
    const { run, job, kind } = found;
    const about = { actions_run_id, attempt, run, job };
    const [{ state, version }, place, verification] = await Promise.all([
      store.runs.load(run),
      store.runs.place(run),
      kind === 'verify' ? store.marks.get(verificationMark(ticketHash)) : undefined,
    ]);
    if (state && isFinished(state)) return over(c, state, about);
    const replaced =
      !state || (kind === 'verify' ? verification !== verificationName(state) : job < state.jobs);
    if (!place || replaced) return refuse(c, 'The ticket is for a job that was replaced.', about);
    // Only a claim whose answer was lost has its token already.
    if (!(await store.tokens.findToken(hash))) {
      const at = now().toISOString();
      const dispatched = Number((await store.marks.get(dispatchedMark(ticketHash))) ?? actions_run_id);
      const usable = !found.revoked && at < found.expires_at;
      if (!usable || (found.actions_run ?? dispatched) !== actions_run_id) return refuse(c, UNUSABLE, about);
      if (attempt > (found.attempt ?? FIRST_ATTEMPT)) {
        const wrong = await checkAttempt(c, place, about);
        if (wrong) return wrong;
      }
      const taken = await store.tokens.takeTicket(ticketHash, actions_run_id, attempt, at);
      if (!taken) return refuse(c, UNUSABLE, about);
      if (verification !== undefined) await store.marks.set(verificationMark(hash), verification);
      await store.tokens.addToken({ hash, run, job, kind });
      await store.marks.set(claimMark(run, job, kind), hash);
      await store.marks.set(actionsRunMark(actions_run_id), run);
    }
    await store.marks.set(aliveMark(run, job), now().toISOString());
    log.info({ ...about, kind }, 'job claimed');
    const response: ClaimResponse = {
      token,
      kind,
      // A later attempt of the same Actions run goes on as the same job.
      brief: { ...briefFor(state), job },
      orders: ordersFor(state),
      version,
      place: JobPlace.parse(place),
      protocol: PROTOCOL,
    };
    c.header('cache-control', 'no-store');
    return c.json(response);
  });

  /** Code that runs in a job can read its ticket: that a later attempt has begun is for GitHub to say. */
  const checkAttempt = async (
    c: Context,
    place: Place,
    about: { actions_run_id: number; attempt: number },
  ): Promise<Response | undefined> => {
    const { actions_run_id, attempt } = about;
    let running: number | undefined;
    try {
      running = await attemptOf(place, actions_run_id);
    } catch (error) {
      log.warn({ ...about, error: String(error) }, 'the attempt of an Actions run could not be read');
    }
    if (running === undefined) {
      const error = `GitHub does not say whether Actions run ${actions_run_id} is at attempt ${attempt}, try again.`;
      return c.json({ error }, 503, { 'retry-after': '10' });
    }
    return running < attempt ? refuse(c, `The Actions run is at attempt ${running}.`, about) : undefined;
  };

  const over = (c: Context, { status }: RunState, about: object) => {
    log.info({ ...about, status }, 'a job came after the end of its run');
    const answer: RunOver = { error: `The run is over (${status}): there is nothing left to do.`, status };
    return c.json(answer, 410);
  };

  app.use(async (c, next) => {
    const token = BEARER.exec(c.req.header('authorization') ?? '')?.[1];
    if (!token) return refuse(c, 'A bearer token is needed.');
    const hash = hashToken(token);
    const found = await store.tokens.findToken(hash);
    if (!found) return refuse(c, 'The token is unknown or was revoked.');
    const { run, job, kind } = found;
    const [newest, { state, version }, verification] = await Promise.all([
      store.marks.get(claimMark(run, job, kind)),
      store.runs.load(run),
      kind === 'verify' ? store.marks.get(verificationMark(hash)) : undefined,
    ]);
    if (newest !== hash) return refuse(c, 'A later attempt of this job took over.', { run, job });
    const speaker: Speaker = { run, job, kind, hash, verification };
    if (!state || isStale(speaker, state)) return refuse(c, 'This job was replaced.', { run, job });
    c.set('speaker', speaker);
    c.set('state', state);
    c.set('version', version);
    c.header('cache-control', 'no-store');
    return next();
  });

  /** Values, work and claims belong to the job that builds: the verifying one runs code nobody has looked at. */
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
    // Over: what it says changes nothing, and is not kept.
    const state = c.get('state');
    if (isFinished(state)) return c.json({ orders: ordersFor(state), version: c.get('version') });
    await markAlive(run, job);
    // An agent may print what it was given: from here on it would be in the journal, and in every text that is made of it.
    const envelope = hideInEnvelope(accepted, await secretsOf(c.get('state')));
    const seen = [`claim:${hash.slice(0, 32)}:${envelope.seq}`];
    const work = await factsFor(parts, state, envelope);
    const decided = await decideOnce(store.runs, rules, run, { type: 'claim', envelope, work }, seen);
    if (!decided) return refuse(c, 'The run is gone.', { run, job });
    return c.json({ orders: ordersFor(decided.state), version: decided.version });
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
      if (!state || isStale(speaker, state)) return refuse(c, 'This job was replaced.', { run, job });
      return c.json({ orders: ordersFor(state), version });
    } finally {
      longPolls -= 1;
    }
  });

  app.post('/heartbeat', async (c) => {
    const { run, job } = c.get('speaker');
    await markAlive(run, job);
    return c.json({ do: ordersFor(c.get('state')).do });
  });

  app.post('/inputs', async (c) => {
    const wrongKind = forbidden(c, 'build');
    if (wrongKind) return wrongKind;
    const request = await readJson(c, InputsRequest, SMALL_BYTES);
    if (request instanceof Response) return request;
    if (isFinished(c.get('state'))) return problem(c, 409, 'The run is over: no values are given any more.');
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
      const { run, job } = speaker;
      const why = name.data === 'changeset' ? await whyNotTaken(parts, speaker, bytes) : undefined;
      if (why) return problem(c, 422, why);
      const kept = await keepBlob(store, run, name.data, bytes, (state) => isStale(speaker, state));
      if (!kept.kept) return kept.why === 'busy' ? busy(c) : problem(c, 409, kept.reason);
      await markAlive(run, job);
      return c.json({ bytes: bytes.length });
    } finally {
      uploads -= 1;
    }
  });

  app.get('/blobs/:name', async (c) => {
    const name = BlobName.safeParse(c.req.param('name'));
    // The checkpoint holds the agent's own session: the fresh job has no use for it.
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
    const { run, job, hash } = c.get('speaker');
    await markAlive(run, job);
    const bytes = await store.blobs.get(run, 'changeset');
    if ((bytes ? digestOf(bytes) : null) !== request.changeset)
      return problem(c, 409, 'What was verified is not the changeset of the run: the result does not count.');
    const verification = hideInVerification(request.verification, await secretsOf(c.get('state')));
    // One result per claim: a repeated request is not a second one.
    const seen = [`verification:${hash.slice(0, 32)}`];
    const at = now().toISOString();
    const changeset = request.changeset ?? undefined;
    await decideOnce(store.runs, rules, run, { type: 'verification', at, verification, changeset }, seen);
    return c.json({ ok: true });
  });

  const secretsOf = async (state: RunState) =>
    (await openSecrets(store.vault, state)).map(({ value }) => value);

  const markAlive = (run: string, job: number) => store.marks.set(aliveMark(run, job), now().toISOString());

  return app;
}

/** the fence moves when a successor starts; what an older job says counts no more. One that verifies speaks of one verification. */
function isStale({ job, kind, verification }: Speaker, state: RunState): boolean {
  return kind === 'build' ? job < state.jobs : !isOfVerification(verification, state);
}

async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  maxBytes: number,
): Promise<z.infer<Schema> | Response> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) return tooLarge(c, maxBytes);
  const bytes = await readStream(c.req.raw.body, maxBytes);
  if (!bytes) return tooLarge(c, maxBytes);
  const parsed = schema.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  // The path and the rule, never what was sent.
  const [first] = parsed.error.issues;
  return problem(c, 400, `The body is not valid at ${first?.path.join('.') || 'the top'}: ${first?.code}.`);
}

function problem(c: Context, status: 400 | 401 | 403 | 404 | 409 | 413 | 422, message: string): Response {
  return c.json({ error: message }, status);
}

function tooLarge(c: Context, maxBytes: number): Response {
  return problem(c, 413, `More than ${maxBytes / 1024 / 1024} MB.`);
}

function busy(c: Context): Response {
  return c.json({ error: 'Too many at once, try again.' }, 503, { 'retry-after': '2' });
}
