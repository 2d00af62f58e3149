import type { Permission } from '../../core/contracts/role.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { Logger } from '../log.ts';

type ReadPermission = (target: RunTarget, login: string) => Promise<Permission>;

export interface Access {
  /** For looking: an answer of the last minute counts. */
  canRead(target: RunTarget, login: string): Promise<boolean>;
  /** For acting: asked of GitHub at this moment. A permission that cannot be read counts as none. */
  now(target: RunTarget, login: string): Promise<Permission>;
}

const GOOD_FOR_MS = 60_000;
const MAX_KEPT = 10_000;

export function createAccess(read: ReadPermission, now: () => Date, log: Logger): Access {
  const kept = new Map<string, { at: number; permission: Promise<Permission> }>();
  const ask = async (target: RunTarget, login: string): Promise<Permission> => {
    try {
      return await read(target, login);
    } catch (err) {
      log.warn({ err, login, repo: `${target.owner}/${target.repo}` }, 'permission could not be read');
      return 'none';
    }
  };
  return {
    now: ask,
    async canRead(target, login) {
      const key = `${target.repo_id} ${login}`;
      const at = now().getTime();
      let known = kept.get(key);
      if (!known || at - known.at > GOOD_FOR_MS) {
        if (kept.size >= MAX_KEPT) kept.clear();
        known = { at, permission: ask(target, login) };
        kept.set(key, known);
      }
      return (await known.permission) !== 'none';
    },
  };
}
