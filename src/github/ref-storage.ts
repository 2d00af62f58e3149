import { GitHubError } from '../core/ports/github-port.ts';
import type { RefStorage } from '../core/ports/ref-storage.ts';
import { createClient, isStatus, type OctokitLike } from './client/client.ts';
import type { Tell } from './client/remember-reads.ts';
import { moveByRest, moveByUpdateRefs } from './move-ref.ts';
import { type FoundTip, type Learned, readRef, readRefOid } from './read-ref.ts';
import { branchFor, refFor, shortRef } from './ref-place.ts';
import { createInliner } from './tree-entry.ts';

type Entries = Parameters<RefStorage['swap']>[2]['entries'];

/**
 * Refs of one repository. A desk without a server has few calls per hour, so what one answer told is remembered for the next
 * call: content that came with the ref, and trees that did not change.
 */
export function createRefStorage(
  octokit: OctokitLike,
  { owner, repo }: { owner: string; repo: string },
  /** Told what comes along with a ref, if the token may read issues. */
  tell?: Tell,
): RefStorage {
  // Without an App there are no check runs to recognise.
  const client = createClient(octokit, { owner, repo, appId: 0 });
  const { request } = client;
  const learned: Learned = { blobs: new Map(), tell };
  const commits = new Map<string, FoundTip>();
  let hasUpdateRefs: boolean | undefined;

  async function writeTree(entries: Entries): Promise<{ tree: string; entries: Record<string, string> }> {
    const inline = createInliner();
    const tree = [];
    for (const [path, entry] of Object.entries(entries)) {
      const file = { path, mode: '100644', type: 'blob' } as const;
      if (!(entry instanceof Uint8Array)) {
        tree.push({ ...file, sha: entry.oid });
        continue;
      }
      const bytes = Buffer.from(entry);
      const content = inline(bytes);
      if (content !== undefined) tree.push({ ...file, content });
      else tree.push({ ...file, sha: await upload(bytes) });
    }
    const { data } = await request('POST /repos/{owner}/{repo}/git/trees', { tree });
    const oids = data.tree.map(({ path, sha }) => [path, sha]);
    return { tree: data.sha, entries: Object.fromEntries(oids) };
  }

  async function upload(bytes: Buffer): Promise<string> {
    const route = 'POST /repos/{owner}/{repo}/git/blobs';
    return (await request(route, { content: bytes.toString('base64'), encoding: 'base64' })).data.sha;
  }

  async function writeCommit(message: string, tree: string, parents: string[]): Promise<string> {
    return (await request('POST /repos/{owner}/{repo}/git/commits', { message, tree, parents })).data.sha;
  }

  /** The ref itself, or the branch that it was found on. */
  const placeOf = (ref: string, before: string | undefined): string =>
    (before !== undefined && commits.get(before)?.at) || ref;

  return {
    async read(ref) {
      const tip = await readRef(client, ref, learned);
      if (!tip) return undefined;
      commits.set(tip.oid, tip);
      return { oid: tip.oid, message: tip.message, entries: { ...tip.entries } };
    },

    async blob(oid) {
      const known = learned.blobs.get(oid);
      if (known) return Uint8Array.from(known);
      const { data } = await request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { file_sha: oid });
      if (data.encoding !== 'base64')
        throw new GitHubError(`GitHub gives the blob ${oid} as ${data.encoding}, not as base64.`, {
          status: 502,
        });
      return Buffer.from(data.content, 'base64');
    },

    async swap(ref, before, { message, entries, withoutHistory = false }) {
      const known = before === undefined ? undefined : commits.get(before);
      const written =
        known && isSameTree(known.entries, entries)
          ? { tree: known.tree, entries: known.entries }
          : await writeTree(entries);
      const at = placeOf(ref, before);
      const parents = before === undefined ? [] : [before];
      const moved = (oid: string, place: string) => {
        commits.set(oid, { at: place, oid, message, ...written });
        return { oid, entries: { ...written.entries } };
      };

      // A commit without history cannot be moved to by the other way, so it is only made where this one has worked.
      const isRoot = withoutHistory && hasUpdateRefs === true;
      let after = await writeCommit(message, written.tree, isRoot ? [] : parents);
      if (hasUpdateRefs !== false) {
        const move = { repository: learned.repository, ref: at, before, after, force: isRoot };
        const result = await moveByUpdateRefs(client, move);
        if (result === 'moved') return undefined;
        hasUpdateRefs = result === 'done';
        if (hasUpdateRefs) return moved(after, at);
      }
      if (isRoot) after = await writeCommit(message, written.tree, parents);
      const place = await moveByRest(client, { ref: at, before, after });
      return place === undefined ? undefined : moved(after, place);
    },

    async list(prefix) {
      const names: string[] = [];
      for (const beginning of [prefix, branchFor(prefix)]) {
        const route = 'GET /repos/{owner}/{repo}/git/matching-refs/{ref}';
        const { data } = await request(route, { ref: shortRef(beginning) });
        names.push(...data.map((found) => refFor(found.ref)));
      }
      return [...new Set(names)];
    },

    async remove(ref, before) {
      const at = placeOf(ref, before);
      const move = { repository: learned.repository, ref: at, before, after: undefined };
      const result = await moveByUpdateRefs(client, move);
      if (result !== 'refused') return result === 'done';
      const found = await readRefOid(request, at);
      if (found !== undefined && found !== before) return false;
      await request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { ref: shortRef(at) }).catch((error) => {
        // It is gone already.
        if (!isStatus(error, 404, 422)) throw error;
      });
      return true;
    },
  };
}

function isSameTree(old: Record<string, string>, entries: Entries): boolean {
  const names = Object.keys(entries);
  return (
    names.length === Object.keys(old).length &&
    names.every((name) => (entries[name] as { oid?: string }).oid === old[name])
  );
}
