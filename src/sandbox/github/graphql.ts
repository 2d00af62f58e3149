import { allows } from '../actions/token-permissions.ts';
import type { Answer, Call, Edit, Json, Upstream } from './gap.ts';
import type { RefGap, RefUpdate } from './refs.ts';
import type { ReviewQueries } from './reviews/review-queries.ts';

interface GraphqlOptions {
  upstream: Upstream;
  repository: string;
  lastEdit(nodeId: string): Edit | undefined;
  onMinimized(nodeId: string): void;
  onReaction(nodeId: string, content: string): void;
  refs: Pick<RefGap, 'updateRefs' | 'readRefs'>;
  reviews: ReviewQueries;
  ci: { resolve(query: string, variables: Json): Promise<unknown> };
}

interface Variables extends Json {
  input?: { refUpdates?: RefUpdate[] };
  refUpdates?: RefUpdate[];
  id?: string;
  content?: string;
  body?: string;
  issue?: string;
  added?: string[];
  removed?: string[];
}

/** The updates are one variable, or written out with a variable for each field. */
function refUpdatesOf(query: string, variables: Variables): RefUpdate[] {
  const whole = variables.refUpdates ?? variables.input?.refUpdates;
  if (whole) return whole;
  return [...(/refUpdates:\s*\[([^\]]*)\]/.exec(query)?.[1] ?? '').matchAll(/\{([^}]*)\}/g)].map(
    ([, fields = '']) => {
      const named = [...fields.matchAll(/(\w+):\s*\$(\w+)/g)];
      return Object.fromEntries(
        named.map(([, field, variable = '']) => [field, variables[variable]]),
      ) as unknown as RefUpdate;
    },
  );
}

const FORBIDDEN = 'Resource not accessible by integration';

/** Checks the permissions of a job's token. Labels are changed by calls that have a check of their own. */
function mayChange({ caller }: Call, query: string): boolean {
  if (caller.kind !== 'job') return true;
  const may = (name: string) => allows(caller.permissions, name, 'write');
  if (/(?:markPullRequestReadyForReview|PullRequestReview\w*)\(/.test(query)) return may('pull-requests');
  return !/(?:minimizeComment|addReaction)\(/.test(query) || may('issues') || may('pull-requests');
}

/**
 * emulate has no GraphQL. Only Autobuild's queries are answered. Any other is an error, as a misspelt field would be.
 * `rest` makes a call as the caller of the query.
 */
export function createGraphql(options: GraphqlOptions): (call: Call, rest: Upstream) => Promise<Answer> {
  const { upstream, repository, lastEdit, onMinimized, onReaction, refs, reviews, ci } = options;

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

  async function resolve(call: Call, query: string, variables: Variables, rest: Upstream): Promise<unknown> {
    const { id = '', content = '', body } = variables;
    const ofCi = await ci.resolve(query, variables);
    if (ofCi !== undefined) return ofCi;
    if (query.includes('updateRefs(')) return refs.updateRefs(call, refUpdatesOf(query, variables));
    if (query.includes('ref(qualifiedName:')) return refs.readRefs(call, query, variables, rest);
    if (!mayChange(call, query)) throw new Error(FORBIDDEN);
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

  return async (call, rest) => {
    const { query, variables } = call.body as { query?: string; variables?: Variables };
    try {
      const isAllowed = mayChange(call, String(query));
      const reviewed = isAllowed ? await reviews(call, String(query), variables ?? {}) : undefined;
      if (reviewed?.errors) return { status: 200, body: reviewed };
      const data = reviewed ? reviewed.data : await resolve(call, String(query), variables ?? {}, rest);
      if (data !== undefined) return { status: 200, body: { data } };
      const message = `Could not resolve to a node with the global id of '${variables?.id}'`;
      return { status: 200, body: { data: null, errors: [{ type: 'NOT_FOUND', message }] } };
    } catch (error) {
      const { message } = error as Error;
      const type = message === FORBIDDEN ? 'FORBIDDEN' : 'UNPROCESSABLE';
      return { status: 200, body: { errors: [{ type, message }] } };
    }
  };
}
