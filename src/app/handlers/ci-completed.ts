import { issueOfBranch } from '../../core/our-branch.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { readCi } from '../revise/read-ci.ts';

interface CompletedCi {
  repo_id: number;
  sha: string;
  /** Branches at this commit. One of ours names its issue. */
  branches: string[];
}

/** V-7: something of CI is over. Whether all of it is, GitHub is asked: events come in any order, one for each part. */
export async function onCiCompleted(
  deps: AppDependencies,
  github: () => Promise<GitHub>,
  { repo_id, sha, branches }: CompletedCi,
): Promise<void> {
  const issues = new Set(branches.flatMap((branch) => issueOfBranch(branch) ?? []));
  for (const issue of issues) {
    const run = await deps.store.runs.ofIssue(repo_id, issue);
    if (run) await readCi(deps, await github(), run, sha);
  }
}
