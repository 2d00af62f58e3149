import type { LeftOut } from '../comments/github/branch-standing.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { AppDependencies } from './dependencies.ts';

const MOST_LEFT_OUT = 20;
const MOST_CHARS = 300;
const MOST_OWN = 20;

/** A person's request to run CI. It is a commit on top of the one they saw. */
interface CiRequest {
  of: string;
  sha: string;
  by: string;
  at: string;
}

interface PublishedBranch {
  /**
   * The issue's branch, which later runs of the issue continue; or the run's own branch, once others have commits on the issue's.
   */
  name(): Promise<string>;
  moveToOwn(): Promise<string>;
  /** Whether this run or an earlier one of the issue made the commit. */
  isOurs(sha: string): Promise<boolean>;
  addOurs(sha: string): Promise<void>;
  /** Our newest commit. */
  head(): Promise<string | undefined>;
  setHead(sha: string): Promise<void>;
  ciRequest(): Promise<CiRequest | undefined>;
  setCiRequest(request: CiRequest): Promise<void>;
  leftOut(): Promise<LeftOut | undefined>;
  setLeftOut(files: LeftOut['files']): Promise<void>;
}

/** The branch of a run, as recorded in the marks. */
export function publishedBranch(
  { store: { marks } }: AppDependencies,
  run: string,
  { repo_id, issue }: Pick<RunTarget, 'repo_id' | 'issue'>,
): PublishedBranch {
  const ofIssue = `autobuild/issue-${issue}`;
  const ours = `own-commits:${repo_id}#${issue}`;
  const read = async <Value>(key: string): Promise<Value | undefined> => {
    const text = await marks.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as Value);
  };
  const ownCommits = async () => (await read<string[]>(ours)) ?? [];
  return {
    name: async () => (await marks.get(`branch:${run}`)) ?? ofIssue,
    async moveToOwn() {
      const name = `${ofIssue}-${run}`;
      await marks.set(`branch:${run}`, name);
      return name;
    },
    isOurs: async (sha) => (await ownCommits()).includes(sha),
    async addOurs(sha) {
      const others = (await ownCommits()).filter((known) => known !== sha);
      await marks.set(ours, JSON.stringify([...others, sha].slice(-MOST_OWN)));
    },
    head: () => marks.get(`head:${run}`),
    setHead: (sha) => marks.set(`head:${run}`, sha),
    ciRequest: () => read(`ci:${run}`),
    setCiRequest: (request) => marks.set(`ci:${run}`, JSON.stringify(request)),
    leftOut: () => read(`left-out:${run}`),
    setLeftOut(files) {
      const shown = files.slice(0, MOST_LEFT_OUT).map(({ path, problem }) => ({
        path: path.slice(0, MOST_CHARS),
        problem: problem.slice(0, MOST_CHARS),
      }));
      return marks.set(`left-out:${run}`, JSON.stringify({ files: shown, total: files.length }));
    },
  };
}
