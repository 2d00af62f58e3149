import type { MergedPath, MergeMethods, SideCommit } from '../core/ports/github/merge-port.ts';
import { type Client, orUndefined } from './client/client.ts';

const NEWEST = 5;
const MOST_TITLE = 200;

type Files = Map<string, { mode: string; sha: string }>;

interface Compared {
  sha: string;
  author?: { login?: string } | null;
  commit: { message: string; author: { name?: string } | null };
}

export function createMergeMethods({ request }: Client): MergeMethods {
  async function compare(from: string, to: string) {
    const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
    return (await orUndefined(request(route, { basehead: `${from}...${to}` })))?.data;
  }

  /** Undefined if GitHub lists only a part of it. */
  async function filesOf(commit_sha: string): Promise<Files | undefined> {
    const { data } = await request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { commit_sha });
    const listed = await request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      tree_sha: data.tree.sha,
      recursive: '1',
    });
    if (listed.data.truncated) return undefined;
    const entries = listed.data.tree.filter(({ type }) => type !== 'tree');
    return new Map(entries.map(({ path, mode, sha }) => [path, { mode, sha }]));
  }

  return {
    async mergeSides(head, base) {
      const [ahead, behind] = [await compare(base, head), await compare(head, base)];
      const ancestor = ahead?.merge_base_commit?.sha;
      if (!ahead || !behind || !ancestor) return undefined;
      const sides: Files[] = [];
      for (const commit of [ancestor, head, base]) {
        const files = await filesOf(commit);
        if (!files) return 'too_large';
        sides.push(files);
      }
      const commits = { head: ahead.commits.map(toCommit), base: behind.commits.map(toCommit) };
      return { paths: differing(sides), commits };
    },

    async hasCommit(head, commit) {
      return head === commit || (await compare(commit, head))?.merge_base_commit?.sha === commit;
    },

    async commitsSince(base, head) {
      const commits = (await compare(base, head))?.commits ?? [];
      return commits.map(({ sha, parents, commit: { message } }) => ({
        sha,
        parents: parents.map((parent) => parent.sha),
        message,
      }));
    },

    async blob(file_sha) {
      const { data } = await request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha });
      return Buffer.from(data.content, 'base64').toString('base64');
    },

    async commitsOf(path, sha) {
      const route = 'GET /repos/{owner}/{repo}/commits';
      return (await request(route, { sha, path, per_page: NEWEST })).data.map((commit) => commit.sha);
    },

    async forbidsMerges(branch) {
      const route = 'GET /repos/{owner}/{repo}/rules/branches/{branch}';
      const answer = await orUndefined(request(route, { branch, per_page: 100 }));
      return answer?.data.some(({ type }) => type === 'required_linear_history') ?? false;
    },
  };
}

function differing([before, head, base]: Files[]): MergedPath[] {
  const paths = new Set([before, head, base].flatMap((files) => [...(files?.keys() ?? [])]));
  return [...paths].sort().flatMap((path) => {
    const one = { path, before: before?.get(path), head: head?.get(path), base: base?.get(path) };
    return isSame(one.before, one.head) && isSame(one.head, one.base) ? [] : [one];
  });
}

/** Whether two sides have the same at a path. */
function isSame(one: MergedPath['head'], other: MergedPath['head']): boolean {
  return one?.sha === other?.sha && one?.mode === other?.mode;
}

function toCommit({ sha, author, commit }: Compared): SideCommit {
  const title = (commit.message.split('\n')[0] ?? '').slice(0, MOST_TITLE);
  return { sha, author: author?.login ?? commit.author?.name ?? 'unknown', title };
}
