import type { Edit } from './gap.ts';
import { type Call, type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

const MAX_CHARACTERS = 65_536;

interface CommentGap extends Gap {
  lastEdit(nodeId: string): Edit | undefined;
}

/** Adds a comment's author and editor, its text before an edit, and the limit of its length. */
export function createComments(apps: ReadonlyMap<string, Json>, upstream: Upstream): CommentGap {
  /** The text before the newest edit, by comment. */
  const known = new Map<number, string>();
  const edits = new Map<string, Edit>();

  async function noteEdit(id: number, path: string, { caller }: Call): Promise<void> {
    const present = (await upstream('GET', path)).body as { body?: string; node_id?: string } | undefined;
    known.set(id, present?.body ?? '');
    if (caller.kind === 'app' || !present?.node_id) return;
    const by = { login: caller.login, bot: caller.kind !== 'person' };
    edits.set(present.node_id, { at: new Date().toISOString(), by });
  }

  const complete = (comment: Json): Json => {
    const { user } = comment as { user?: { login?: string } };
    return { ...comment, performed_via_github_app: apps.get(user?.login ?? '') ?? null };
  };

  return {
    lastEdit: (nodeId) => edits.get(nodeId),

    async answer(call) {
      const { method, path, body } = call;
      const all = method === 'GET' && matchPath('/repos/:owner/:repo/issues/comments', path);
      if (all) return { status: 200, body: (await listAll(upstream, all, call.query)).map(complete) };
      const one = matchPath('/repos/:owner/:repo/issues/comments/:id', path);
      const isNew = method === 'POST' && matchPath('/repos/:owner/:repo/issues/:number/comments', path);
      if (!isNew && !(one && method === 'PATCH')) return undefined;
      const { length } = [...String(body.body ?? '')];
      if (length > MAX_CHARACTERS) {
        const message = `body is too long (maximum is ${MAX_CHARACTERS} characters)`;
        return refuse(422, 'Validation Failed', [
          { resource: 'IssueComment', code: 'custom', field: 'body', message },
        ]);
      }
      if (one) await noteEdit(Number(one.id), path, call);
      return undefined;
    },

    fixAnswer(call, answer) {
      const isOne = matchPath('/repos/:owner/:repo/issues/comments/:id', call.path);
      const isList = matchPath('/repos/:owner/:repo/issues/:number/comments', call.path);
      if (answer.status >= 300 || !(isOne || isList)) return answer;
      if (!Array.isArray(answer.body))
        return answer.body ? { ...answer, body: complete(answer.body as Json) } : answer;
      return { ...answer, body: onlySince(answer.body as Json[], call.query).map(complete) };
    },

    fixPayload(event, payload) {
      if (event !== 'issue_comment') return payload;
      const comment = complete(payload.comment as Json);
      const before = known.get(Number(comment.id));
      const changes = payload.action === 'edited' ? { changes: { body: { from: before ?? '' } } } : {};
      return { ...payload, comment, ...changes };
    },
  };
}

/** emulate ignores `since` on the comments of one issue. */
function onlySince(comments: Json[], query: URLSearchParams): Json[] {
  const since = Date.parse(query.get('since') ?? '') || 0;
  return comments.filter((comment) => Date.parse(String(comment.updated_at)) >= since);
}

/** emulate takes the list of all comments for an issue of that name. Only one page is made, which is all that tests need. */
async function listAll(
  upstream: Upstream,
  { owner, repo }: Record<string, string>,
  query: URLSearchParams,
): Promise<Json[]> {
  const found: Json[] = [];
  for (const kind of ['issues', 'pulls']) {
    const { body } = await upstream('GET', `/repos/${owner}/${repo}/${kind}?state=all&per_page=100`);
    for (const { number } of body as { number: number }[]) {
      const path = `/repos/${owner}/${repo}/issues/${number}/comments?per_page=100`;
      found.push(...((await upstream('GET', path)).body as Json[]));
    }
  }
  const changed = (comment: Json) => Date.parse(String(comment.updated_at));
  return onlySince(found, query).toSorted((one, other) => changed(other) - changed(one));
}
