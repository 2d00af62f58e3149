import type { Gap, Json, Upstream } from '../gap.ts';

const NOTHING = '0'.repeat(40);

interface Commit {
  sha: string;
  message: string;
  tree: { sha: string };
  author: Json & { date: string };
  committer: Json;
}

/** A push as GitHub tells of it. emulate leaves most of it out. */
export function createPushes({
  url,
  repository,
  upstream,
}: {
  url: string;
  repository: string;
  upstream: Upstream;
}): Gap {
  async function describe(sha: string): Promise<Json | null> {
    const { status, body } = await upstream('GET', `${repository}/git/commits/${sha}`);
    if (status !== 200) return null;
    const { message, tree, author, committer } = body as Commit;
    const files = { added: [], removed: [], modified: [] };
    const place = { url: `${url}${repository.replace('/repos', '')}/commit/${sha}` };
    return {
      ...{ id: sha, tree_id: tree.sha, distinct: true, message, timestamp: author.date, ...place },
      ...{ author, committer, ...files },
    };
  }

  return {
    async fixPayload(event, payload) {
      if (event !== 'push') return payload;
      const {
        before = NOTHING,
        after = NOTHING,
        sender,
      } = payload as Json & { before?: string; after?: string };
      const { login = '' } = (sender ?? {}) as { login?: string };
      const commit = after === NOTHING ? null : await describe(after);
      return {
        base_ref: null,
        ...payload,
        ...{ created: before === NOTHING, deleted: after === NOTHING, forced: false },
        compare: `${url}${repository.replace('/repos', '')}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
        ...{ commits: commit ? [commit] : [], head_commit: commit },
        pusher: { name: login, email: `${login}@example.com` },
      };
    },
  };
}
