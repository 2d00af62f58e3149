import type { RefTip } from '../core/ports/ref-storage.ts';
import { type Client, isStatus } from './client/client.ts';
import type { Tell } from './client/remember-reads.ts';
import { type ToldWithRef, tellFacts } from './client/tell-facts.ts';
import { branchFor, issueOfRef, shortRef } from './ref-place.ts';

/** The commit that a ref points to, and the place where it was found. */
export interface FoundTip extends RefTip {
  /** The ref itself, or the branch that stands in for it. */
  at: string;
  tree: string;
}

/** Facts that come along when a ref is read. */
export interface Learned {
  /** The repository's node id. */
  repository?: string;
  /** Blobs that came with the ref. */
  blobs: Map<string, Uint8Array>;
  /** If present, the ref's issue and the head of the default branch are read along, and told here. */
  tell?: Tell;
}

const TIP = `fragment tip on Ref {
  target {
    oid
    ... on Commit {
      message
      tree { oid entries { name oid object { ... on Blob { isTruncated text } } } }
    }
  }
}`;

/** All that a build needs in one call: ref, message, tree, and the content of its entries, unless they are large. */
const READ = `query ($owner: String!, $repo: String!, $ref: String!, $branch: String!) {
  repository(owner: $owner, name: $repo) {
    id
    own: ref(qualifiedName: $ref) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
  }
}
${TIP}`;

/** The same with what every desk asks for next. It fails as a whole if the issue is gone, or the token may not read issues. */
const READ_WITH_ISSUE = `query ($owner: String!, $repo: String!, $ref: String!, $branch: String!, $issue: Int!) {
  repository(owner: $owner, name: $repo) {
    id
    own: ref(qualifiedName: $ref) { ...tip }
    branch: ref(qualifiedName: $branch) { ...tip }
    defaultBranchRef { name target { oid } }
    issue(number: $issue) {
      number id title body state locked updatedAt
      author { __typename login }
      comments { totalCount }
      labels(first: 100) { totalCount nodes { id name } }
    }
  }
}
${TIP}`;

interface Target {
  oid: string;
  message?: string;
  tree?: { oid: string; entries?: Entry[] | null };
}

interface Entry {
  name: string;
  oid: string;
  object?: { isTruncated?: boolean; text?: string | null } | null;
}

interface Answer {
  repository:
    | (ToldWithRef & {
        id: string;
        own: { target: Target | null } | null;
        branch: { target: Target | null } | null;
      })
    | null;
}

/** Reads a ref by one GraphQL call; where GraphQL fails or does not show it, by REST. */
export async function readRef(client: Client, ref: string, learned: Learned): Promise<FoundTip | undefined> {
  const branch = branchFor(ref);
  const repository = await askFor(client, ref, learned.tell);
  learned.repository = repository?.id ?? learned.repository;
  const own = repository?.own?.target;
  if (own) return toTip(own, ref, learned);
  // GraphQL shows branches for sure. Whether it shows other refs is nowhere promised.
  const byRest = await readByRest(client, ref);
  if (byRest) return byRest;
  if (!repository) return readByRest(client, branch);
  return repository.branch?.target ? toTip(repository.branch.target, branch, learned) : undefined;
}

/** Undefined where GraphQL fails. */
async function askFor(client: Client, ref: string, tell: Tell | undefined): Promise<Answer['repository']> {
  const { owner, repo } = client;
  const place = { owner, repo, ref, branch: branchFor(ref) };
  const ask = async (query: string, more: { issue?: number }) => {
    const answer = await client.graphql<Answer>(query, { ...place, ...more }).catch((error: unknown) => {
      // Calls while GitHub asks us to wait make it last longer.
      if (isStatus(error, 401, 429) || (isStatus(error, 403) && error.retryAfter !== undefined)) throw error;
      return undefined;
    });
    return answer?.repository ?? null;
  };
  const issue = issueOfRef(ref);
  const told = tell && issue !== undefined ? await ask(READ_WITH_ISSUE, { issue }) : null;
  if (told && tell) tellFacts(told, tell);
  return told ?? ask(READ, {});
}

function toTip({ oid, message = '', tree }: Target, at: string, { blobs }: Learned): FoundTip {
  for (const { oid: blob, object } of tree?.entries ?? [])
    if (object?.isTruncated === false && typeof object.text === 'string')
      blobs.set(blob, Buffer.from(object.text, 'utf8'));
  const entries = Object.fromEntries((tree?.entries ?? []).map((entry) => [entry.name, entry.oid]));
  return { at, oid, message, tree: tree?.oid ?? '', entries };
}

async function readByRest({ request }: Client, at: string): Promise<FoundTip | undefined> {
  const oid = await readRefOid(request, at);
  if (oid === undefined) return undefined;
  const commit = await request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { commit_sha: oid });
  const tree_sha = commit.data.tree.sha;
  const { data } = await request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', { tree_sha });
  const entries = Object.fromEntries(data.tree.map(({ path, sha }) => [path, sha]));
  return { at, oid, message: commit.data.message, tree: tree_sha, entries };
}

export async function readRefOid(request: Client['request'], ref: string): Promise<string | undefined> {
  try {
    const { data } = await request('GET /repos/{owner}/{repo}/git/ref/{ref}', { ref: shortRef(ref) });
    return data.object.sha;
  } catch (error) {
    // 409: the repository is empty.
    if (isStatus(error, 404, 409)) return undefined;
    throw error;
  }
}
