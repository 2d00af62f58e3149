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

interface Variables {
  id?: string;
  content?: string;
  body?: string;
  issue?: string;
  added?: string[];
  removed?: string[];
}

/**
 * emulate has no GraphQL. Only Autobuild's queries are answered. Any other is an error, as a misspelt field would be.
 * `rest` makes a call as the caller of the query.
 */
export function createGraphql(options: GraphqlOptions): (call: Call, rest: Upstream) => Promise<Answer> {
  const { upstream, repository, lastEdit, onMinimized, onReaction } = options;

  async function pullOf(nodeId: string): Promise<Json | undefined> {
    return (await list('pulls?state=all&')).find((pull) => pull.node_id === nodeId);
  }

  async function list(query: string): Promise<Json[]> {
    return (await upstream('GET', `${repository}/${query}per_page=100`)).body as Json[];
  }

  async function changeLabels(
    { issue, added = [], removed = [] }: Variables,
    rest: Upstream,
  ): Promise<unknown> {
    const found = (await list('issues?state=all&')).find(({ node_id }) => node_id === issue);
    const labels = await list('labels?');
    const names = (ids: string[]) => ids.map((id) => labels.find(({ node_id }) => node_id === id)?.name);
    if (!found || [...names(added), ...names(removed)].includes(undefined)) return undefined;
    const path = `${repository}/issues/${found.number}/labels`;
    await rest('POST', path, { labels: names(added) });
    for (const name of names(removed)) await rest('DELETE', `${path}/${encodeURIComponent(String(name))}`);
    return { addLabelsToLabelable: {}, removeLabelsFromLabelable: {} };
  }

  async function resolve(query: string, variables: Variables, rest: Upstream): Promise<unknown> {
    const { id = '', content = '', body } = variables;
    if (query.includes('addLabelsToLabelable(')) return changeLabels(variables, rest);
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
      if (body !== undefined) await rest('PATCH', `${repository}/pulls/${pull.number}`, { body });
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

  return async ({ body }, rest) => {
    const { query, variables } = body as { query?: string; variables?: Variables };
    try {
      const data = await resolve(String(query), variables ?? {}, rest);
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
