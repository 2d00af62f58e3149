import { type Gap, matchPath, refuse } from './gap.ts';

/** The job runner has the secrets and emulate's own store has none. Only names are returned, as on GitHub. */
export function createActionsSecrets(names: () => Iterable<string>): Gap {
  return {
    answer({ method, path, caller }) {
      const asked = matchPath('/repos/:owner/:repo/actions/secrets/:name', path);
      if (!asked?.name || method !== 'GET' || caller.kind !== 'installation') return undefined;
      if (![...names()].includes(asked.name)) return refuse(404, 'Not Found');
      const at = '2026-01-01T00:00:00Z';
      return { status: 200, body: { name: asked.name, created_at: at, updated_at: at } };
    },
  };
}
