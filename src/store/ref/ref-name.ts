export const REF_PREFIX = 'refs/autobuild/issue-';

/** Where the state of an issue is. Neither a branch nor a tag, so that nobody's list of branches shows it. */
export function refOf(issue: number): string {
  return `${REF_PREFIX}${issue}`;
}
