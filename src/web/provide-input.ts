import { Hono } from 'hono';
import * as z from 'zod';
import { MAX_HELP_INPUTS } from '../core/contracts/agent/help-request.ts';
import type { Permission } from '../core/contracts/role.ts';
import { hasRole, neededRole } from '../core/contracts/role.ts';
import type { Rules } from '../core/contracts/rules.ts';
import { pendingEscalation } from '../core/contracts/run-state.ts';
import { handle } from '../core/decide/handle.ts';
import { parseJson } from '../core/parse-json.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { sealCommand } from '../core/secrets/seal-command.ts';
import type { Logger } from './log.ts';
import { readStream } from './read-stream.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_VALUE_CHARS = 32 * 1024;
const RUN_ID = /^[\w.-]{1,100}$/;
/** Only scripts of our own origin can set this header; forms of other sites cannot. */
const REQUEST_HEADER = 'x-autobuild-request';

const Body = z.object({ inputs: z.record(z.string(), z.string().min(1).max(MAX_VALUE_CHARS)) });

interface ProvideInputDependencies {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  now(): Date;
  /** The server's public URL. Requests from pages of other origins are refused. */
  publicUrl: string;
  /** The login of the signed-in person. */
  authenticate(request: Request): Promise<string | undefined>;
  /** Checked at every request, never cached. */
  permission(target: RunTarget, login: string): Promise<Permission>;
}

/** P-6: `POST /api/runs/:id/provide-input`, for signed-in people with write permission. Values are stored in the vault only. */
export function createProvideInput(deps: ProvideInputDependencies): Hono {
  const { store, rules, log, now, authenticate } = deps;
  const ownOrigin = new URL(deps.publicUrl).origin;
  const app = new Hono();

  app.post('/:id/provide-input', async (c) => {
    c.header('cache-control', 'no-store');
    if (!isSameOrigin(c.req.header('origin'), c.req.header(REQUEST_HEADER), ownOrigin))
      return c.json({ error: `Only from ${ownOrigin}, or with the header ${REQUEST_HEADER}.` }, 403);
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
      return c.json({ error: 'Send JSON with the content type application/json.' }, 415);
    const by = await authenticate(c.req.raw);
    if (!by) return c.json({ error: 'Sign in first.' }, 401);

    const run = c.req.param('id');
    const target = RUN_ID.test(run) ? await store.runs.target(run) : undefined;
    const { state } = target ? await store.runs.load(run) : { state: undefined };
    if (!target || !state) return c.json({ error: 'There is no such run.' }, 404);
    if (!(await mayAnswer(target, by))) {
      const needed = neededRole(target.roles, 'provide');
      return c.json({ error: `The role ${needed} on ${target.owner}/${target.repo} is needed.` }, 403);
    }

    const bytes = await readStream(c.req.raw.body, MAX_BODY_BYTES);
    if (!bytes) return c.json({ error: `More than ${MAX_BODY_BYTES / 1024} KB.` }, 413);
    const body = Body.safeParse(parseJson(Buffer.from(bytes).toString('utf8')));
    if (!body.success)
      return c.json({ error: 'The body is {"inputs": {"key": "value", …}}; no value may be empty.' }, 422);

    const pending = pendingEscalation(state);
    if (!pending || pending.inputs.length === 0)
      return c.json({ error: 'Nothing is asked for at the moment.' }, 409);
    const asked = pending.inputs.map(({ key }) => key);
    const given = Object.entries(body.data.inputs);
    const unknown = given.map(([key]) => key).filter((key) => !asked.includes(key));
    if (given.length === 0 || unknown.length > 0)
      return c.json({ error: 'Only what is asked for is taken.', unknown: shorten(unknown), asked }, 422);

    const command = await sealCommand(store.vault, run, { name: 'provide', inputs: body.data.inputs });
    const decided = await handle(store.runs, rules, run, {
      type: 'command',
      at: now().toISOString(),
      command,
      by,
      via: 'form',
      escalation: pending.id,
    });
    const refused = decided?.events.find((event) => event.type === 'command_refused');
    if (!decided || refused) return c.json({ error: refused?.reason ?? 'The run is gone.' }, 409);
    log.info({ run, by, keys: given.map(([key]) => key) }, 'inputs provided');
    const missing = pendingEscalation(decided.state)
      ? asked.filter((key) => !(key in decided.state.given))
      : [];
    return c.json({ status: decided.state.status, missing });
  });

  /** Fails closed: an unreadable permission counts as none. */
  async function mayAnswer(target: RunTarget, login: string): Promise<boolean> {
    try {
      return hasRole(await deps.permission(target, login), neededRole(target.roles, 'provide'));
    } catch (err) {
      log.warn({ err, login, repo: `${target.owner}/${target.repo}` }, 'permission could not be read');
      return false;
    }
  }

  return app;
}

/** Browsers send `Origin` with every POST. A request without it is from a program and must have our header. */
function isSameOrigin(origin: string | undefined, header: string | undefined, own: string): boolean {
  return origin === undefined ? header !== undefined : origin === own;
}

function shorten(keys: string[]): string[] {
  return keys.slice(0, MAX_HELP_INPUTS).map((key) => key.slice(0, 64));
}
