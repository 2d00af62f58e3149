import type { Tell } from './remember-reads.ts';

/** Facts that GraphQL tells together with a ref. */
export interface ToldWithRef {
  defaultBranchRef?: { name: string; target: { oid: string } | null } | null;
  issue?: {
    number: number;
    id: string;
    title: string;
    body: string;
    state: string;
    locked: boolean;
    updatedAt: string;
    author: { __typename: string; login: string } | null;
    comments: { totalCount: number };
    labels: { totalCount: number; nodes: ({ id: string; name: string } | null)[] | null } | null;
  } | null;
}

/** Passes on the facts as the answers of the REST calls that would ask for them. Facts that are not whole are asked for. */
export function tellFacts({ defaultBranchRef: branch, issue }: ToldWithRef, tell: Tell): void {
  if (branch?.target) {
    const object = { sha: branch.target.oid };
    tell('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: `heads/${branch.name}` }, { object });
  }
  const labels = issue?.labels?.nodes?.flatMap((label) => label ?? []);
  if (!issue || !labels || labels.length !== issue.labels?.totalCount) return;
  const { number, id, title, body, locked, author } = issue;
  const data = {
    ...{ number, node_id: id, title, body, locked },
    state: issue.state.toLowerCase(),
    // REST names bots with their suffix.
    user: author && { login: author.__typename === 'Bot' ? `${author.login}[bot]` : author.login },
    comments: issue.comments.totalCount,
    updated_at: issue.updatedAt,
    labels: labels.map((label) => ({ name: label.name, node_id: label.id })),
  };
  tell('GET /repos/{owner}/{repo}/issues/{issue_number}', { issue_number: number }, data);
}
