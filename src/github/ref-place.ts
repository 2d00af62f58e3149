const OWN = 'refs/autobuild/';
const BRANCH = 'refs/heads/autobuild-state/';

/** The branch that stands in for a ref, where GitHub takes no refs but branches and tags. */
export function branchFor(ref: string): string {
  return ref.replace(OWN, BRANCH);
}

/** The ref that a branch stands in for. */
export function refFor(name: string): string {
  return name.replace(BRANCH, OWN);
}

/** REST names refs without the beginning. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\//, '');
}

/** The issue whose state is on the ref. */
export function issueOfRef(ref: string): number | undefined {
  const number = /^refs\/autobuild\/issue-([1-9]\d{0,8})$/.exec(ref)?.[1];
  return number === undefined ? undefined : Number(number);
}
