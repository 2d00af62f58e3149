import { mapConcurrently } from '../core/map-concurrently.ts';
import { type CommitFile, type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { type Client, isStatus, orUndefined } from './client/client.ts';
import { readBranchHead } from './repository.ts';
import { createInliner, type TreeEntry } from './tree-entry.ts';

const MAX_BLOB_BYTES = 40 * 1024 * 1024;
const UPLOADS_AT_ONCE = 4;
const READS_AT_ONCE = 4;

type Options = Parameters<GitHub['commit']>[0];

/** A commit as it should be. */
interface Wanted {
  tree: string;
  parents: string[];
  /** Undefined: any. */
  message: string | undefined;
}

function isSame({ tree, parents, message }: Wanted, wanted: Wanted): boolean {
  return (
    tree === wanted.tree &&
    (wanted.message === undefined || message === wanted.message) &&
    parents.join() === wanted.parents.join()
  );
}

export function createCommitMethods({
  request,
}: Client): Pick<GitHub, 'commit' | 'commitMessage' | 'reword'> {
  async function upload(file: CommitFile, inline: (bytes: Buffer) => string | undefined): Promise<TreeEntry> {
    const { path, mode, content } = file;
    const entry = { path, mode, type: 'blob' } as const;
    if (content === null) return { ...entry, sha: null };
    const text = inline(decodeContent(path, content));
    if (text !== undefined) return { ...entry, content: text };
    const { data } = await request('POST /repos/{owner}/{repo}/git/blobs', { content, encoding: 'base64' });
    return { ...entry, sha: data.sha };
  }

  async function writeTree(base_tree: string, files: CommitFile[]): Promise<string> {
    // GitHub refuses a tree without entries.
    if (files.length === 0) return base_tree;
    const inline = createInliner();
    const tree = await mapConcurrently(files, UPLOADS_AT_ONCE, (file) => upload(file, inline));
    const { data } = await request('POST /repos/{owner}/{repo}/git/trees', {
      base_tree,
      tree: tree as never,
    });
    return data.sha;
  }

  const readCommit = async (commit_sha: string) =>
    (await request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', { commit_sha })).data;

  /** Finds the commit of an earlier attempt whose response was lost. */
  async function findTwin(head: string, wanted: Wanted) {
    const data = await readCommit(head);
    const parents = data.parents.map(({ sha }) => sha);
    return isSame({ ...data, tree: data.tree.sha, parents }, wanted)
      ? { sha: head, verified: data.verification.verified }
      : undefined;
  }

  /** The same for several commits, of which each is the parent of the next. Only the parent of the lowest one is known before. */
  async function findTwins(head: string, wanted: readonly Wanted[]): Promise<string[] | undefined> {
    const shas: string[] = [];
    let sha: string | undefined = head;
    for (const [index, one] of [...wanted.entries()].reverse()) {
      if (sha === undefined) return undefined;
      const { tree, message, parents: found } = await readCommit(sha);
      const parents = found.map((parent) => parent.sha);
      const expected = index === 0 ? one.parents : [...parents.slice(0, 1), ...one.parents.slice(1)];
      if (!isSame({ tree: tree.sha, message, parents }, { ...one, parents: expected })) return undefined;
      shas.unshift(sha);
      sha = parents[0];
    }
    return shas;
  }

  async function moveBranch(
    head: string | undefined,
    sha: string,
    { branch, force }: Pick<Options, 'branch' | 'force'>,
  ): Promise<void> {
    if (head === undefined) {
      try {
        await request('POST /repos/{owner}/{repo}/git/refs', { ref: `refs/heads/${branch}`, sha });
        return;
      } catch (error) {
        if (!isStatus(error, 422) || !/already exists/i.test(error.message)) throw error;
        // It was made by this request, whose response was lost, or by somebody else.
        if ((await readBranchHead(request, branch)) === sha) return;
        throw moved(branch);
      }
    }
    // GitHub cannot make a forced move depend on the present head, and the files may have taken minutes to upload.
    if (force && (await readBranchHead(request, branch)) !== head) throw moved(branch);
    await request('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { ref: `heads/${branch}`, sha, force });
  }

  return {
    async commitMessage(sha) {
      const route = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
      return (await orUndefined(request(route, { commit_sha: sha })))?.data.message;
    },

    async reword({ branch, commits, onCreated }) {
      const wanted = await mapConcurrently(commits, READS_AT_ONCE, async ({ sha, message }) => {
        const { tree, parents } = await readCommit(sha);
        return { message, tree: tree.sha, parents: parents.map((parent) => parent.sha) };
      });
      const head = await readBranchHead(request, branch);
      if (head === undefined || head !== commits.at(-1)?.sha) {
        const shas = head && (await findTwins(head, wanted));
        if (shas) return { shas };
        throw moved(branch);
      }
      const shas: string[] = [];
      let sha = head;
      for (const { parents, ...one } of wanted) {
        const onto = shas.length === 0 ? parents : [sha, ...parents.slice(1)];
        const { data } = await request('POST /repos/{owner}/{repo}/git/commits', { ...one, parents: onto });
        sha = data.sha;
        await onCreated(sha);
        shas.push(sha);
      }
      await moveBranch(head, sha, { branch, force: true });
      return { shas };
    },

    async commit(options) {
      const { branch, parent, merged, message, files, present } = options;
      for (const { path, content } of files) refuseLargeBlob(path, content);
      const parents = merged === undefined ? [parent] : [parent, merged];
      const base_tree = options.base_tree ?? (await readCommit(merged ?? parent)).tree.sha;
      const tree = await writeTree(base_tree, files);
      const head = present ? present.head : await readBranchHead(request, branch);
      const twin =
        head === undefined || head === parent || present?.isAnother
          ? undefined
          : await findTwin(head, { tree, parents, message: present?.isOurs ? undefined : message });
      if (twin) return { ...twin, base_tree };
      // Without author and committer, because GitHub would not sign the commit otherwise.
      const { data } = await request('POST /repos/{owner}/{repo}/git/commits', {
        message,
        tree,
        parents,
      });
      await options.onCreated?.(data.sha);
      await moveBranch(head, data.sha, options);
      return {
        sha: data.sha,
        base_tree,
        verified: data.verification.verified || (await readCommit(data.sha)).verification.verified,
      };
    },
  };
}

function moved(branch: string): GitHubError {
  return new GitHubError(`${branch} has moved meanwhile; nothing was changed.`, { status: 409 });
}

function decodeContent(path: string, content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64') === content) return bytes;
  throw new GitHubError(`The content of ${JSON.stringify(path)} is not base64; nothing was committed.`, {
    status: 422,
  });
}

function refuseLargeBlob(path: string, content: string | null): void {
  const bytes = Buffer.byteLength(content ?? '', 'base64');
  if (bytes <= MAX_BLOB_BYTES) return;
  throw new GitHubError(
    `${JSON.stringify(path)} has ${bytes} bytes; a blob sent to GitHub may have ${MAX_BLOB_BYTES} (40 MiB). Nothing was committed: leave it out or use Git LFS.`,
    { status: 422 },
  );
}
