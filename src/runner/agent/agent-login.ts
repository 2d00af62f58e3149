import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { readSmallFile } from './read-small-file.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The login of the user's own copy of the agent's program, if it has one that is valid now. */
export function findLogin(
  { login }: Pick<Agent, 'login'>,
  env: Variables,
  now = Date.now(),
): { variable: string; token: string; file: string } | undefined {
  const home = login && (env[login.directoryVariable] || (env.HOME && join(env.HOME, login.directory)));
  if (!login || !home) return undefined;
  const file = join(home, login.file);
  const text = readSmallFile(file);
  const token = text === undefined ? undefined : login.readToken(text, now);
  return token === undefined ? undefined : { variable: login.variable, token, file };
}
