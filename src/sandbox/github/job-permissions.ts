import { allows, type Level } from '../actions/token-permissions.ts';
import { type Call, type Gap, matchPath, refuse, type Upstream } from './gap.ts';

/** Routes below `/repos/:owner/:repo`, the first that fits, with the permission for them. */
const ROUTES: readonly [pattern: string, permission: string | 'metadata' | 'administration'][] = [
  ['/actions/secrets/*rest', 'administration'],
  ['/actions/organization-secrets', 'administration'],
  ['/actions/permissions', 'administration'],
  ['/actions/permissions/*rest', 'administration'],
  ['/actions/*rest', 'actions'],
  ['/environments/*rest', 'actions'],
  ['/commits/:ref/check-runs', 'checks'],
  ['/check-runs', 'checks'],
  ['/check-runs/*rest', 'checks'],
  ['/check-suites/*rest', 'checks'],
  ['/commits/:ref/status', 'statuses'],
  ['/commits/:ref/statuses', 'statuses'],
  ['/statuses/:sha', 'statuses'],
  ['/pulls/:number/merge', 'contents'],
  ['/pulls', 'pull-requests'],
  ['/pulls/*rest', 'pull-requests'],
  ['/issues', 'issues'],
  ['/issues/*rest', 'issues'],
  ['/labels', 'issues'],
  ['/labels/*rest', 'issues'],
  ['/git/*rest', 'contents'],
  ['/contents/*rest', 'contents'],
  ['/commits', 'contents'],
  ['/commits/*rest', 'contents'],
  ['/compare/*rest', 'contents'],
  ['/branches', 'contents'],
  ['/branches/*rest', 'contents'],
  ['/dispatches', 'contents'],
];

const REFUSED = refuse(403, 'Resource not accessible by integration');
const FORBIDDEN = 'GitHub Actions is not permitted to create or approve pull requests.';

interface JobPermissionOptions {
  upstream: Upstream;
  /** The repository's setting *Allow GitHub Actions to create and approve pull requests*. */
  mayOpenPullRequests(): boolean;
}

/**
 * Enforces the permissions of a job's token. Reading is refused, too, as in a private repository, because a public one
 * would hide that a permission is missing.
 */
export function createJobPermissions({ upstream, mayOpenPullRequests }: JobPermissionOptions): Gap {
  async function isPull(path: string): Promise<boolean> {
    const [, base, number] = /^(\/repos\/[^/]+\/[^/]+)\/issues\/(\d+)(?:\/|$)/.exec(path) ?? [];
    return number !== undefined && (await upstream('GET', `${base}/pulls/${number}`)).status === 200;
  }

  return {
    async answer(call) {
      const { method, path, caller } = call;
      if (caller.kind !== 'job') return undefined;
      const permission = permissionFor(path);
      const level: Level = method === 'GET' ? 'read' : 'write';
      if (permission === 'metadata') return level === 'read' ? undefined : REFUSED;
      const isAllowed =
        allows(caller.permissions, permission, level) ||
        // The conversation of a pull request is an issue's, and either permission is enough for it.
        (permission === 'issues' &&
          allows(caller.permissions, 'pull-requests', level) &&
          (await isPull(path)));
      if (!isAllowed || changesWorkflows(call)) return REFUSED;
      return opensOrApproves(call) && !mayOpenPullRequests() ? refuse(403, FORBIDDEN) : undefined;
    },
  };
}

function permissionFor(path: string): string {
  if (!matchPath('/repos/:owner/:repo/*rest', path)) return 'metadata';
  return ROUTES.find(([pattern]) => matchPath(`/repos/:owner/:repo${pattern}`, path))?.[1] ?? 'metadata';
}

/** No permission of a job's token covers workflow files. */
function changesWorkflows({ method, path, body }: Call): boolean {
  if (method === 'GET') return false;
  const put = matchPath('/repos/:owner/:repo/contents/*path', path)?.path;
  const { tree = [] } = body as { tree?: { path?: string }[] };
  const written = path.endsWith('/git/trees') ? tree.map((entry) => entry.path) : [put];
  return written.some((name) => name?.startsWith('.github/workflows/'));
}

function opensOrApproves({ method, path, body }: Call): boolean {
  if (method !== 'POST') return false;
  if (matchPath('/repos/:owner/:repo/pulls', path)) return true;
  return (
    matchPath('/repos/:owner/:repo/pulls/:number/reviews', path) !== undefined && body.event === 'APPROVE'
  );
}
