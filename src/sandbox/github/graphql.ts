import type { Answer, Call, Json, Upstream } from './gap.ts';

/** The newest edit of a text. */
export interface Edit {
  at: string;
  by: { login: string; bot: boolean };
}

interface GraphqlOptions {
  upstream: Upstream;
  repository: string;
  lastEdit(nodeId: string): Edit | undefined;
  onMinimized(nodeId: string): void;
  onReaction(nodeId: string, content: string): void;
}

/**
 * emulate has no GraphQL. Only Autobuild's queries are answered. Any other is an error, as a misspelt field would be.
 */
export function createGraphql(options: GraphqlOptions): (call: Call) => Promise<Answer> {
  const { upstream, repository, lastEdit, onMinimized, onReaction } = options;

  async function pullOf(nodeId: string): Promise<Json | undefined> {
    const { body } = await upstream('GET', `${repository}/pulls?state=all&per_page=100`);
    return (body as Json[]).find((pull) => pull.node_id === nodeId);
  }

  async function resolve(query: string, id: string, content: string): Promise<unknown> {
    if (query.includes('addReaction(')) {
      onReaction(id, content.toLowerCase());
      return { addReaction: { reaction: { content } } };
    }
    if (query.includes('minimizeComment(')) {
      onMinimized(id);
      return { minimizeComment: { minimizedComment: { isMinimized: true } } };
    }
    if (query.includes('markPullRequestReadyForReview(')) {
      const pull = await pullOf(id);
      if (!pull) return undefined;
      await upstream('PATCH', `${repository}/pulls/${pull.number}`, { draft: false });
      return { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } };
    }
    if (query.includes('... on PullRequest { isDraft }')) {
      const pull = await pullOf(id);
      return pull && { node: { isDraft: pull.draft } };
    }
    if (query.includes('... on Comment { lastEditedAt editor { __typename login } }')) {
      const { at: lastEditedAt = null, by } = lastEdit(id) ?? {};
      const login = by?.login.replace(/\[bot\]$/, '');
      return { node: { lastEditedAt, editor: by ? { __typename: by.bot ? 'Bot' : 'User', login } : null } };
    }
    throw new Error('The sandbox does not know this query.');
  }

  return async ({ body }) => {
    const { query, variables } = body as { query?: string; variables?: { id?: string; content?: string } };
    try {
      const data = await resolve(String(query), String(variables?.id), String(variables?.content));
      if (data !== undefined) return { status: 200, body: { data } };
      const message = `Could not resolve to a node with the global id of '${variables?.id}'`;
      return { status: 200, body: { data: null, errors: [{ type: 'NOT_FOUND', message }] } };
    } catch (error) {
      return {
        status: 200,
        body: { errors: [{ type: 'UNPROCESSABLE', message: (error as Error).message }] },
      };
    }
  };
}
