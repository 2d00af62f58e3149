import { createHash } from 'node:crypto';
import { asOctokit } from './as-octokit.ts';

interface Commit {
  message: string;
  tree: string;
  parents: string[];
}

export interface GitDatabaseRules {
  /** GraphQL is not answered at all. */
  withoutGraphql?: boolean;
  /** Refs other than branches and tags cannot be made. */
  branchesOnly?: boolean;
}

/** The parameters of all routes. A tree is its entries when it is made, and its id in a commit. */
interface Given {
  ref: string;
  sha: string;
  commit_sha: string;
  tree_sha: string;
  file_sha: string;
  content: string;
  message: string;
  tree: unknown;
  parents: string[];
  force: boolean;
}

interface GivenGraphql {
  query: string;
  variables: Record<string, string>;
}

/** The Git database of one repository by GitHub's documented rules, without a network: objects, refs, `updateRefs`. */
export function createGitDatabase(rules: GitDatabaseRules = {}) {
  const refs = new Map<string, string>();
  const blobs = new Map<string, Buffer>();
  const trees = new Map<string, Record<string, string>>();
  const commits = new Map<string, Commit>();
  const calls: string[] = [];

  const put = <Value>(into: Map<string, Value>, value: Value, text: string | Buffer): string => {
    const oid = createHash('sha1').update(text).digest('hex');
    into.set(oid, value);
    return oid;
  };
  const putBlob = (bytes: Buffer) => put(blobs, bytes, bytes);
  const descends = (oid: string, from: string): boolean =>
    oid === from || (commits.get(oid)?.parents.some((parent) => descends(parent, from)) ?? false);
  const fail = (status: number, message: string): never => {
    throw Object.assign(new Error(message), { status, response: { headers: {} } });
  };
  const mayBe = (ref: string) => !rules.branchesOnly || ref.startsWith('refs/heads/');
  const entriesOf = (tree: string) => Object.entries(trees.get(tree) ?? {});

  const routes: Record<string, (given: Given) => unknown> = {
    'GET /repos/{owner}/{repo}/git/ref/{ref}': ({ ref }) => ({
      object: { sha: refs.get(`refs/${ref}`) ?? fail(404, 'Not Found') },
    }),
    'GET /repos/{owner}/{repo}/git/matching-refs/{ref}': ({ ref }) =>
      [...refs.keys()].filter((name) => name.startsWith(`refs/${ref}`)).map((name) => ({ ref: name })),
    'GET /repos/{owner}/{repo}/git/commits/{commit_sha}': ({ commit_sha }) => {
      const { message, tree } = commits.get(commit_sha) ?? fail(404, 'Not Found');
      return { message, tree: { sha: tree } };
    },
    'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': ({ tree_sha }) => ({
      tree: entriesOf(tree_sha).map(([path, sha]) => ({ path, sha })),
    }),
    'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': ({ file_sha }) => ({
      content: (blobs.get(file_sha) ?? fail(404, 'Not Found')).toString('base64'),
      encoding: 'base64',
    }),
    'POST /repos/{owner}/{repo}/git/blobs': ({ content }) => ({
      sha: putBlob(Buffer.from(content, 'base64')),
    }),
    'POST /repos/{owner}/{repo}/git/trees': ({ tree }) => {
      const entries = (tree as { path: string; sha?: string; content?: string }[]).map(
        ({ path, sha, content }) => [path, sha ?? putBlob(Buffer.from(content ?? ''))] as const,
      );
      const sha = put(trees, Object.fromEntries(entries), JSON.stringify(entries));
      return { sha, tree: entries.map(([path, oid]) => ({ path, sha: oid })) };
    },
    'POST /repos/{owner}/{repo}/git/commits': ({ message, tree, parents }) => {
      const commit = { message, tree: String(tree), parents };
      return { sha: put(commits, commit, JSON.stringify(commit)) };
    },
    'POST /repos/{owner}/{repo}/git/refs': ({ ref, sha }) => {
      if (!mayBe(ref)) fail(422, 'Reference name is not allowed');
      if (refs.has(ref)) fail(422, 'Reference already exists');
      refs.set(ref, sha);
      return {};
    },
    'PATCH /repos/{owner}/{repo}/git/refs/{ref}': ({ ref, sha, force }) => {
      const now = refs.get(`refs/${ref}`) ?? fail(422, 'Reference does not exist');
      if (!force && !descends(sha, now)) fail(422, 'Update is not a fast forward');
      refs.set(`refs/${ref}`, sha);
      return {};
    },
    'DELETE /repos/{owner}/{repo}/git/refs/{ref}': ({ ref }) =>
      refs.delete(`refs/${ref}`) || fail(422, 'Reference does not exist'),
  };

  const tipOf = (ref: string) => {
    const oid = refs.get(ref);
    const commit = oid === undefined ? undefined : commits.get(oid);
    if (!commit) return null;
    return {
      target: {
        oid,
        message: commit.message,
        tree: {
          oid: commit.tree,
          entries: entriesOf(commit.tree).map(([name, sha]) => ({
            name,
            oid: sha,
            object: { isTruncated: false, text: blobs.get(sha)?.toString('utf8') },
          })),
        },
      },
    };
  };

  function answerGraphql(query: string, given: Record<string, string>): unknown {
    if (rules.withoutGraphql) fail(502, 'Bad Gateway');
    const { ref = '', branch = '', before = '', after = '', force } = given;
    if (query.startsWith('query'))
      return { repository: { id: 'R_1', own: tipOf(ref), branch: tipOf(branch) } };
    const now = refs.get(ref) ?? '0'.repeat(40);
    const isFast = force || !refs.has(ref) || /^0+$/.test(after) || descends(after, now);
    if (now !== before || !isFast || !mayBe(ref)) fail(502, 'Something went wrong');
    if (/^0+$/.test(after)) refs.delete(ref);
    else refs.set(ref, after);
    return { updateRefs: { clientMutationId: null } };
  }

  const octokit = asOctokit(async (route, given: Given & GivenGraphql) => {
    if (route === 'POST /graphql') {
      calls.push('GraphQL');
      return { status: 200, headers: {}, data: { data: answerGraphql(given.query, given.variables) } };
    }
    calls.push(route);
    const answer = routes[route]?.(given) ?? fail(501, `no answer to ${route}`);
    return { status: 200, headers: {}, data: answer === true ? undefined : answer };
  });
  return { octokit, refs, commits, calls };
}
