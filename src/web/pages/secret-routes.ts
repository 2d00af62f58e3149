import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { hasRole, neededRole } from '../../core/contracts/role.ts';
import { pendingEscalation } from '../../core/contracts/run-state.ts';
import { MAX_VALUE_CHARS, type RunAnswers } from '../answer-run.ts';
import type { Access } from '../sign-in/access.ts';
import type { Signer } from '../sign-in/signed.ts';
import type { Page, Viewer } from './document.ts';
import { FORM_TTL_MS, renderFormEnd, renderSecretForm } from './secret-form.ts';

interface SecretFormDependencies {
  base: string;
  now(): Date;
  access: Access;
  signer: Signer;
  answers: RunAnswers;
  send(c: Context, page: Page): Response;
}

const Form = z.object({
  run: z.string(),
  escalation: z.string(),
  key: z.string(),
  nonce: z.string(),
  until: z.number(),
});

/** P-9, R-11: one value by a form that works once. The form is signed and not stored, so opening it changes nothing. */
export function createSecretForm({ base, now, access, signer, answers, send }: SecretFormDependencies): Hono {
  const app = new Hono<{ Variables: { viewer: Viewer } }>();

  app.get('/runs/:id/secret/:key', async (c) => {
    const { id: run, key } = c.req.param();
    const viewer = c.get('viewer');
    const end = (name: Parameters<typeof renderFormEnd>[0], detail?: string) =>
      send(c, renderFormEnd(name, { base, run, key, detail }));
    const found = await answers.find(run);
    if (!found || !(await access.canRead(found.target, viewer.login)))
      return end('not_asked_for', 'There is no such run.');
    const { state, target } = found;
    const pending = pendingEscalation(state);
    if (!pending) return end('nothing_asked');
    const input = pending.inputs.find((wanted) => wanted.key === key);
    if (!input) return end('not_asked_for');
    if (key in state.given) return end('already');
    const needed = neededRole(target.roles, 'provide');
    if (!hasRole(await access.now(target, viewer.login), needed))
      return end(
        'role_needed',
        `You are signed in as ${viewer.login}. Answering requires the ${needed} role on ${target.owner}/${target.repo}.`,
      );
    const until = new Date(now().getTime() + FORM_TTL_MS);
    const nonce = randomBytes(18).toString('base64url');
    const form = signer.sign('secret-form', {
      run,
      escalation: pending.id,
      key,
      nonce,
      until: until.getTime(),
    });
    return send(c, renderSecretForm({ base, state, target, pending, input, viewer, form, until }));
  });

  app.post('/runs/:id/secret/:key', async (c) => {
    const { id: run, key } = c.req.param();
    const end = (name: Parameters<typeof renderFormEnd>[0], detail?: string) =>
      send(c, renderFormEnd(name, { base, run, key, detail }));
    const sent = await c.req.parseBody();
    const form = Form.safeParse(signer.read('secret-form', typeof sent.form === 'string' ? sent.form : ''));
    const isForThis = form.success && form.data.run === run && form.data.key === key;
    if (!isForThis || form.data.until < now().getTime()) return end('expired');
    const value = typeof sent.value === 'string' ? sent.value : '';
    if (value === '' || value.length > MAX_VALUE_CHARS)
      return end('not_taken', `A value has 1 to ${MAX_VALUE_CHARS} characters. Nothing was changed.`);
    const answered = await answers.provide(
      { run, by: c.get('viewer').login, escalation: form.data.escalation, once: `form:${form.data.nonce}` },
      { [key]: value },
    );
    if (answered.status === 200) return c.redirect(`${base}/runs/${run}`, 303);
    if (answered.problem === 'role_needed') return end('role_needed', answered.error);
    if (answered.problem === 'no_such_run') return end('not_asked_for', answered.error);
    return end(answered.problem === 'nothing_asked' ? 'nothing_asked' : 'already');
  });

  return app as unknown as Hono;
}
