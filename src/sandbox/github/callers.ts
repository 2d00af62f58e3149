import type { Caller } from './gap.ts';

/** emulate treats any unknown token as its first user, but GitHub does not. */
interface Callers {
  addInstallation(token: string): void;
  addJob(token: string, job: Extract<Caller, { kind: 'job' }>): void;
  /** The job has ended, and its token with it. */
  endJob(token: string): void;
  /** Undefined means bad credentials. */
  find(authorization: string | undefined): Caller | undefined;
}

export function createCallers(people: ReadonlyMap<string, string>, bot: string): Callers {
  const installations = new Set<string>();
  const jobs = new Map<string, Caller>();
  return {
    addInstallation: (token) => void installations.add(token),
    addJob: (token, job) => void jobs.set(token, job),
    endJob: (token) => void jobs.delete(token),
    find(authorization) {
      const token = tokenIn(authorization);
      if (!token) return undefined;
      // emulate checks a signed token where it matters.
      if (token.startsWith('eyJ')) return { kind: 'app' };
      if (installations.has(token)) return { kind: 'installation', login: bot };
      const login = people.get(token);
      return login === undefined ? jobs.get(token) : { kind: 'person', login };
    },
  };
}

export function tokenIn(authorization: string | undefined): string | undefined {
  return /^(?:bearer|token)\s+(\S+)$/i.exec(authorization ?? '')?.[1];
}
