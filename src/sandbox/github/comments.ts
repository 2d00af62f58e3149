import { type Answer, type Call, type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

const MAX_CHARACTERS = 65_536;

export interface CommentGap extends Gap {
  lastEditor(nodeId: string): { login: string; bot: boolean } | undefined;
}

interface Known {
  /** What stood there before the newest edit. */
  before: string;
  editor?: { login: string; bot: boolean };
}

/** Who wrote and who edited a comment, what stood there before, and how long one may be. */
export function createComments(app: Json, bot: string, upstream: Upstream): CommentGap {
  const known = new Map<number, Known>();
  const editors = new Map<string, { login: string; bot: boolean }>();

  async function noteEdit(id: number, path: string, { caller }: Call): Promise<void> {
    const present = (await upstream('GET', path)).body as { body?: string; node_id?: string } | undefined;
    const editor = caller.kind === 'app' ? undefined : { login: caller.login, bot: caller.kind !== 'person' };
    known.set(id, { before: present?.body ?? '', editor });
    if (editor && present?.node_id) editors.set(present.node_id, editor);
  }

  const complete = (comment: Json): Json => {
    const { user } = comment as { user?: { login?: string } };
    return { ...comment, performed_via_github_app: user?.login === bot ? app : null };
  };

  return {
    lastEditor: (nodeId) => editors.get(nodeId),

    async answer(call) {
      const { method, path, body } = call;
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

    mend(call, answer) {
      const isOne = matchPath('/repos/:owner/:repo/issues/comments/:id', call.path);
      const isList = matchPath('/repos/:owner/:repo/issues/:number/comments', call.path);
      if (answer.status >= 300 || !(isOne || isList)) return answer;
      if (!Array.isArray(answer.body))
        return answer.body ? { ...answer, body: complete(answer.body as Json) } : answer;
      return { ...answer, body: onlySince(answer, call.query).map(complete) };
    },

    mendPayload(event, payload) {
      if (event !== 'issue_comment') return payload;
      const comment = complete(payload.comment as Json);
      const before = known.get(Number(comment.id))?.before;
      const changes = payload.action === 'edited' ? { changes: { body: { from: before ?? '' } } } : {};
      return { ...payload, comment, ...changes };
    },
  };
}

/** emulate ignores `since` on the comments of one issue. */
function onlySince({ body }: Answer, query: URLSearchParams): Json[] {
  const since = Date.parse(query.get('since') ?? '') || 0;
  return (body as Json[]).filter((comment) => Date.parse(String(comment.updated_at)) >= since);
}
