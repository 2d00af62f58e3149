import type { HelpInput } from '../contracts/agent/help-request.ts';
import { pendingEscalation, type RunState } from '../contracts/run-state.ts';

const KEY = /([\w.-]+)=(?=\s|$)/g;

/** P-9: the secrets that a `/provide` line to be pasted would ask for. They belong into no comment, so such a line is not offered. */
export function secretsNamedIn(line: string | undefined, state: RunState): HelpInput[] {
  if (!line?.startsWith('/provide')) return [];
  const keys = new Set([...line.matchAll(KEY)].map(([, key]) => key));
  return (pendingEscalation(state)?.inputs ?? []).filter(({ key, secret }) => secret && keys.has(key));
}

/** The same line without them, if anything else is asked for. */
export function withoutSecrets(line: string, secrets: readonly HelpInput[]): string | undefined {
  const names = new Set(secrets.map(({ key }) => key));
  const rest = line.replace(KEY, (pair, key: string) => (names.has(key) ? '' : pair)).replace(/ {2,}/g, ' ');
  return rest.trim() === '/provide' ? undefined : rest.trim();
}
