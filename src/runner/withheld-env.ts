/** What opens the repository, the job or a registry, and what lets a process speak to the steps after it. */
const PREFIXES = ['ACTIONS_', 'AUTOBUILD_', 'INPUT_', 'STATE_'];
const NAMES: ReadonlySet<string> = new Set([
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  // The ticket is in it.
  'GITHUB_EVENT_PATH',
]);

/** Neither an agent nor the checks, which run its code, get these. */
export function isWithheld(name: string): boolean {
  const known = name.toUpperCase();
  return NAMES.has(known) || PREFIXES.some((prefix) => known.startsWith(prefix));
}
