import { describeAccount, type Gap, matchPath, refuse, type Upstream } from './gap.ts';

export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

const ORDER: Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];
/** The older, coarser permission that GitHub's API returns beside the role. */
const PERMISSION: Record<Role, string> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
};

/** Roles as GitHub names them, and what they forbid, because emulate lets anybody label and edit anybody's comment. */
export function createPermissions(roles: ReadonlyMap<string, Role>, upstream: Upstream): Gap {
  /** Everybody may read, because the repository is public. */
  const roleOf = (login: string): Role => roles.get(login) ?? 'read';
  const atLeast = (login: string, role: Role) => ORDER.indexOf(roleOf(login)) >= ORDER.indexOf(role);
  return {
    async answer({ method, path, caller }) {
      const asked = matchPath('/repos/:owner/:repo/collaborators/:login/permission', path);
      if (asked && method === 'GET') {
        const user = await describeAccount(upstream, asked.login ?? '');
        if (!user) return refuse(404, `${asked.login} is not a user`);
        const role = roleOf(asked.login ?? '');
        const rights = Object.fromEntries(
          [
            ['pull', 'read'],
            ['triage', 'triage'],
            ['push', 'write'],
            ['maintain', 'maintain'],
            ['admin', 'admin'],
          ].map(([name = '', needed]) => [name, atLeast(asked.login ?? '', needed as Role)]),
        );
        return {
          status: 200,
          body: {
            permission: PERMISSION[role],
            role_name: role,
            user: { ...user, permissions: rights, role_name: role },
          },
        };
      }
      if (caller.kind !== 'person' || method === 'GET') return undefined;
      if (/\/issues\/\d+\/labels/.test(path) && !atLeast(caller.login, 'triage'))
        return refuse(403, 'Must have triage rights to Repository.');
      if (matchPath('/repos/:owner/:repo/pulls/:number/merge', path) && !atLeast(caller.login, 'write'))
        return refuse(403, 'Must have write rights to Repository.');
      const comment =
        matchPath('/repos/:owner/:repo/issues/comments/:id', path) ??
        matchPath('/repos/:owner/:repo/pulls/:number', path);
      if (!comment || atLeast(caller.login, 'write')) return undefined;
      const present = await upstream('GET', path);
      const author = (present.body as { user?: { login?: string } } | undefined)?.user?.login;
      return author === caller.login ? undefined : refuse(403, 'Must have write rights to Repository.');
    },
  };
}
