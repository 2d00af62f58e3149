import * as z from 'zod';
import { type Guard, ProposedWrite } from '../core/contracts/guard.ts';
import { countLimit } from './counting/limit-schema.ts';
import { addProposed } from './counting/proposed-writes.ts';
import { acceptCurrent, approveFiles, orderOptions, review, stayWithin, terminate } from './words/options.ts';
import { joinHeadline, oneLine, withArticle } from './words/wording.ts';

const PATHS_KEPT = 10_000;

const FilesState = z.object({
  /** Paths that differ from the snapshot at the start of the run. */
  paths: z.array(z.string()),
  proposed: z.array(ProposedWrite),
});
type FilesState = z.infer<typeof FilesState>;

/** E-5. Trips before the write that would exceed the limit. */
export const filesModifiedExceeds: Guard<FilesState, number> = {
  id: 'files_modified_exceeds',
  trips: 'the agent wants to change one file more than this.',
  names: 'cause',
  header: 'File Limit',
  counter: 'Files',
  category: 'architectural',
  type: 'scope_drift',
  kind: 'file_count',
  runLimit: 'files',
  ...countLimit(20, PATHS_KEPT),
  initial: { paths: [], proposed: [] },
  state: FilesState,
  reduce(state, event) {
    switch (event.type) {
      case 'files_changed':
        return { ...state, paths: [...new Set([...state.paths, ...event.paths])].slice(0, PATHS_KEPT) };
      case 'write_proposed':
        if (event.proposed.why !== 'file_limit') return state;
        return {
          paths: [...new Set(event.files)].slice(0, PATHS_KEPT),
          proposed: addProposed(state.proposed, event.proposed),
        };
      case 'rearmed':
        return event.guards.includes('files_modified_exceeds') ? { ...state, proposed: [] } : state;
      case 'agent_changed':
        return { ...state, proposed: [] };
      default:
        return state;
    }
  },
  check({ paths, proposed }, limit) {
    if (proposed.length === 0) return undefined;
    return {
      guard: 'files_modified_exceeds',
      kind: 'file_count',
      threshold: limit,
      observed: paths.length,
      evidence: { files: paths, proposed },
    };
  },
  examine({ files, proposed }, limit) {
    const beyond = proposed.filter(({ why }) => why === 'file_limit');
    if (limit === 'off' || beyond.length === 0 || files <= limit) return undefined;
    return {
      guard: 'files_modified_exceeds',
      kind: 'file_count',
      threshold: limit,
      observed: limit,
      evidence: { proposed: beyond },
    };
  },
  /** `/approve files=30` names the new limit itself. */
  grow(limit, { files }) {
    return files ?? limit;
  },
  headline({ observed, threshold, evidence }) {
    const more = evidence.proposed?.length ?? 1;
    if (evidence.proposed?.every((write) => write.finished)) {
      return joinHeadline(
        `the finished work changes ${observed + more} files, the limit is ${threshold}`,
        undefined,
        'approve them?',
      );
    }
    const next = more > 1 ? `${more} more` : withArticle(observed + 1);
    return joinHeadline(`${observed} of ${threshold} files changed`, undefined, `approve ${next}?`);
  },
  question({ observed, threshold, evidence }) {
    const paths = (evidence.proposed ?? []).map((write) => write.path).join(', ');
    if (evidence.proposed?.every((write) => write.finished)) {
      const all = observed + evidence.proposed.length;
      return `The work is finished, but it changes ${all} files; the limit is ${threshold}. How to proceed?`;
    }
    return `File limit (${threshold}) reached: ${observed} files are changed, and the agent wants to change ${oneLine(paths)} as well. How to proceed?`;
  },
  options({ observed, threshold, evidence }, progress) {
    const proposed = evidence.proposed?.length ?? 1;
    return orderOptions([
      ...approveFiles(Math.max(observed + proposed, threshold ?? 0), proposed),
      stayWithin(`the ${observed}`),
      acceptCurrent(progress),
      review,
      terminate,
    ]);
  },
};

export function countFilesModified(state: FilesState): number {
  return state.paths.length;
}
