/** Our branches: `autobuild/issue-N`, or `autobuild/issue-N-RUN` if others work on that one. */
const OUR_BRANCH = /^autobuild\/issue-([1-9]\d{0,9})(?:-[\w-]{1,60})?$/;

/** The issue that a branch of ours is for. Only a branch of the repository itself can be ours: a fork may use the same name. */
export function issueOfBranch(branch: string): number | undefined {
  const [, issue] = OUR_BRANCH.exec(branch) ?? [];
  return issue === undefined ? undefined : Number(issue);
}
