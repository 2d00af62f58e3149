import type { DeskStore } from '../core/ports/hosted-store.ts';
import type { IssueState } from './desk-parts.ts';

/**
 * The store as handlers and effects see it. The checkpoint is an entry of its own beside the state, because it is large and
 * only builds read it. A commit of ours is saved at once: if this desk is killed, the next one must not take it for somebody
 * else's.
 */
export function createDeskStore({ store, save, putEntry, dropEntry, getEntry }: IssueState): DeskStore {
  const { blobs, publications, runs } = store;
  return {
    ...store,
    blobs: {
      ...blobs,
      async put(run, name, bytes, atVersion) {
        if (name !== 'checkpoint') return blobs.put(run, name, bytes, atVersion);
        if (atVersion !== undefined && (await runs.load(run)).version !== atVersion) return false;
        if (bytes.length > 0) putEntry(name, bytes);
        else dropEntry(name);
        return true;
      },
      get: (run, name) => (name === 'checkpoint' ? getEntry(name) : blobs.get(run, name)),
    },
    publications: {
      ...publications,
      async addOwnCommit(repoId, issue, sha) {
        const isKnown = (await publications.ownCommits(repoId, issue)).includes(sha);
        await publications.addOwnCommit(repoId, issue, sha);
        if (!isKnown) await save();
      },
    },
  };
}
