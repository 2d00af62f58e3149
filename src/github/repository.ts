import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';

type Methods = Pick<GitHub, 'defaultBranch' | 'file' | 'branchHead' | 'secretExists'>;

export function createRepositoryMethods({ owner, repo, request }: Client): Methods {
  /** Needs the same permission as a secret of the repository. A repository of a person has none. */
  async function isOrganizationSecret(name: string): Promise<boolean | undefined> {
    try {
      const names = await readAllPages('secrets of the organisation', async (page) => {
        const route = 'GET /repos/{owner}/{repo}/actions/organization-secrets';
        const { data, headers } = await request(route, { per_page: PER_PAGE, page });
        return { items: data.secrets.map((secret) => secret.name), link: headers.link };
      });
      // GitHub stores names in upper case.
      return names.includes(name.toUpperCase());
    } catch (error) {
      if (isStatus(error, 404)) return false;
      if (isStatus(error, 403) && error.retryAfter === undefined) return undefined;
      throw error;
    }
  }

  return {
    async defaultBranch() {
      const { data } = await request('GET /repos/{owner}/{repo}', {});
      const sha = await readBranchHead(request, data.default_branch);
      if (sha === undefined) {
        throw new GitHubError(
          `${owner}/${repo} has no commit on ${data.default_branch} yet. Push one, then label the issue again.`,
          { status: 409 },
        );
      }
      const { default_branch: name, archived } = data;
      return { name, sha, private: data.private, archived, repo_id: Number(data.id) };
    },

    async file(path, ref) {
      const answer = await orUndefined(request('GET /repos/{owner}/{repo}/contents/{path}', { path, ref }));
      const data = answer?.data;
      if (!data || Array.isArray(data) || data.type !== 'file') return undefined;
      // GitHub omits the content of files over 1 MB, which shows here.
      if (!('encoding' in data) || data.encoding !== 'base64') {
        throw new GitHubError(`${path} at ${ref} is too large to be read: keep it under 1 MB.`, {
          status: 413,
        });
      }
      return Buffer.from(data.content, 'base64').toString('utf8');
    },

    branchHead: (branch) => readBranchHead(request, branch),

    async secretExists(name) {
      try {
        await request('GET /repos/{owner}/{repo}/actions/secrets/{secret_name}', { secret_name: name });
        return true;
      } catch (error) {
        if (isStatus(error, 404)) return isOrganizationSecret(name);
        // A rate limit is also a 403, but a temporary one.
        if (isStatus(error, 403) && error.retryAfter === undefined) return undefined;
        throw error;
      }
    },
  };
}

export async function readBranchHead(
  request: Client['request'],
  branch: string,
): Promise<string | undefined> {
  try {
    const { data } = await request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: `heads/${branch}` });
    return data.object.sha;
  } catch (error) {
    // 409: the repository is empty.
    if (isStatus(error, 404, 409)) return undefined;
    throw error;
  }
}
