import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { parseJson } from '../core/parse-json.ts';
import { MAX_VALUE_CHARS, type RunAnswers } from './answer-run.ts';
import { readStream } from './read-stream.ts';

const MAX_BODY_BYTES = 1024 * 1024;
/** Only scripts of our own origin can set this header; forms of other sites cannot. */
const REQUEST_HEADER = 'x-autobuild-request';

const Body = z.object({ inputs: z.record(z.string(), z.string().min(1).max(MAX_VALUE_CHARS)) });

interface ProvideInputDependencies {
  answers: Pick<RunAnswers, 'provide'>;
  /** The server's public URL. Requests from pages of other origins are refused. */
  publicUrl: string;
  /** The login of the person whose user token or session the request has. */
  authenticate(c: Context): Promise<string | undefined>;
}

/** P-6: `POST /api/runs/:id/provide-input`, for scripts with a user token of this App. Values are stored in the vault only. */
export function createProvideInput({ answers, publicUrl, authenticate }: ProvideInputDependencies): Hono {
  const ownOrigin = new URL(publicUrl).origin;
  const app = new Hono();

  app.post('/:id/provide-input', async (c) => {
    c.header('cache-control', 'no-store');
    const refuse = (status: 401 | 403 | 413 | 415 | 422, problem: string, error: string) =>
      c.json({ problem, error }, status);
    if (!isSameOrigin(c.req.header('origin'), c.req.header(REQUEST_HEADER), ownOrigin))
      return refuse(403, 'other_origin', `Only from ${ownOrigin}, or with the header ${REQUEST_HEADER}.`);
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
      return refuse(415, 'not_json', 'Send JSON with the content type application/json.');
    const by = await authenticate(c);
    if (!by) return refuse(401, 'not_signed_in', 'Sign in first, or send a user token of this App.');
    const bytes = await readStream(c.req.raw.body, MAX_BODY_BYTES);
    if (!bytes) return refuse(413, 'too_large', `More than ${MAX_BODY_BYTES / 1024} KB.`);
    const body = Body.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
    if (!body.success)
      return refuse(422, 'malformed', 'The body is {"inputs": {"key": "value", …}}; no value may be empty.');

    const answered = await answers.provide({ run: c.req.param('id'), by }, body.data.inputs);
    if (answered.status === 200)
      return c.json({ status: answered.state.status, missing: answered.missing }, 200);
    const { status, ...problem } = answered;
    return c.json(problem, status);
  });

  return app;
}

/** Browsers send `Origin` with every POST. A request without it is from a program and must have our header. */
function isSameOrigin(origin: string | undefined, header: string | undefined, own: string): boolean {
  return origin === undefined ? header !== undefined : origin === own;
}
