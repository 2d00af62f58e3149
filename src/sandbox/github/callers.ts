import type { Caller } from './gap.ts';

/** emulate treats any unknown token as its first user, but GitHub does not. */
interface Callers {
  addInstallation(token: string): void;
  /** Undefined means bad credentials. */
  find(authorization: string | undefined): Caller | undefined;
}

export function createCallers(people: ReadonlyMap<string, string>, bot: string): Callers {
  const installations = new Set<string>();
  return {
    addInstallation: (token) => void installations.add(token),
    find(authorization) {
      const token = /^(?:bearer|token)\s+(\S+)$/i.exec(authorization ?? '')?.[1];
      if (!token) return undefined;
      // emulate checks a signed token where it matters.
      if (token.startsWith('eyJ')) return { kind: 'app' };
      if (installations.has(token)) return { kind: 'installation', login: bot };
      const login = people.get(token);
      return login === undefined ? undefined : { kind: 'person', login };
    },
  };
}
