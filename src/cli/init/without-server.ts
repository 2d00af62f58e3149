/** The reusable workflow by which a repository needs no server. */
const REUSABLE = /^\s*uses:\s*['"]?[\w.-]+\/autobuild\/\.github\/workflows\/run\.yml@/m;

/** Whether a workflow file runs the desk itself, in GitHub Actions. */
export function isWithoutServer(workflow: string): boolean {
  return REUSABLE.test(workflow);
}
