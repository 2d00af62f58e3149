import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Permission } from '../core/contracts/role.ts';
import type { Rules } from '../core/contracts/rules.ts';
import type { GitHubSignIn } from '../core/ports/github-sign-in.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { type AnswerDependencies, createAnswers } from './answer-run.ts';
import type { Logger } from './log.ts';
import { createPages, type PagesDependencies } from './pages/pages.ts';
import { createProvideInput } from './provide-input.ts';
import { createAccess } from './sign-in/access.ts';
import { createSessionCookies } from './sign-in/sessions.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { createSigner } from './sign-in/signed.ts';

/** Forms are read whole, also before anybody is known to be signed in. */
const MAX_FORM_BYTES = 1024 * 1024;

interface PeopleDependencies {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  now(): Date;
  publicUrl: string;
  webUrl: string;
  /** Keys for signing, separated by commas. */
  keys: string;
  /** Absent: nobody can sign in, and there are no pages. */
  signIn?: GitHubSignIn;
  permission(target: RunTarget, login: string): Promise<Permission>;
  withDiffs: PagesDependencies['withDiffs'];
  actionsSecrets?: AnswerDependencies['actionsSecrets'];
  closing: AbortSignal;
}

/** Everything that people use in a browser, and the API by which their scripts answer. */
export function createPeople(deps: PeopleDependencies): { runs: Hono; pages?: Hono } {
  const { store, log, now, publicUrl, signIn } = deps;
  const access = createAccess(deps.permission, now, log);
  const answers = createAnswers({ ...deps, access });
  const sessions = createSessionCookies(store.sessions, publicUrl.startsWith('https:'));
  const authenticate = async (c: Context): Promise<string | undefined> => {
    const token = /^(?:bearer|token) (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (token) return signIn?.checkToken(token);
    // A session counts only for requests that a browser marks as our own site's.
    return c.req.header('origin') ? (await sessions.viewer(c))?.login : undefined;
  };
  const runs = createProvideInput({ answers, publicUrl, authenticate });
  if (!signIn) return { runs };
  const signer = createSigner(deps.keys);
  const pages = new Hono();
  const tooLarge = (c: Context) => c.text(`More than ${MAX_FORM_BYTES / 1024} KB. Nothing was changed.`, 413);
  pages.use(bodyLimit({ maxSize: MAX_FORM_BYTES, onError: tooLarge }));
  pages.route('/', createSignIn({ github: signIn, sessions, signer, publicUrl, now, log }));
  pages.route('/', createPages({ ...deps, access, sessions, signer, answers }));
  return { runs, pages };
}
