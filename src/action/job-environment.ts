/** What opens the repository or the job, or lets a process speak to the steps after it: neither agent nor checks get it. */
const WITHHELD_PREFIXES = ['ACTIONS_', 'INPUT_', 'AUTOBUILD_', 'STATE_'];
const WITHHELD = new Set([
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

export function jobEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const known = name.toUpperCase();
    if (value === undefined || WITHHELD.has(known)) continue;
    if (!WITHHELD_PREFIXES.some((prefix) => known.startsWith(prefix))) kept[name] = value;
  }
  return kept;
}
