import type { Context } from 'hono';
import type * as z from 'zod';
import { parseJson } from '../../core/parse-json.ts';
import type { Logger } from '../log.ts';
import { readStream } from '../read-stream.ts';

/** The limit for a request with names and numbers only. */
export const SMALL_BYTES = 64 * 1024;

type RefuseJob = (c: Context, reason: string, about?: object) => Response;

/** Responds with 401 and the reason, and logs it. */
export function createRefusal(log: Logger): RefuseJob {
  return (c, reason, about = {}) => {
    log.warn({ ...about, reason, path: c.req.path }, 'job refused');
    return problem(c, 401, reason);
  };
}

/** The parsed body, or the response that says why it is invalid. */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  maxBytes: number,
): Promise<z.infer<Schema> | Response> {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) return tooLarge(c, maxBytes);
  const bytes = await readStream(c.req.raw.body, maxBytes);
  if (!bytes) return tooLarge(c, maxBytes);
  const parsed = schema.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  // Names the path and the rule, never the value.
  const [first] = parsed.error.issues;
  return problem(c, 400, `The body is not valid at ${first?.path.join('.') || 'the top'}: ${first?.code}.`);
}

export function problem(
  c: Context,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 422,
  message: string,
): Response {
  return c.json({ error: message }, status);
}

export function tooLarge(c: Context, maxBytes: number): Response {
  return problem(c, 413, `More than ${maxBytes / 1024 / 1024} MB.`);
}

export function busy(c: Context): Response {
  return c.json({ error: 'Too many at once, try again.' }, 503, { 'retry-after': '2' });
}
