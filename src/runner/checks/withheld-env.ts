type Environment = Readonly<Record<string, string | undefined>>;

/** What opens the repository, the job or a registry, and what lets a process speak to the steps after it. */
const PREFIX = 'AUTOBUILD_';
/** Elsewhere these are anybody's names: `STATE_DIR`, `INPUT_FILE`. */
const PREFIXES_IN_ACTIONS = ['ACTIONS_', 'INPUT_', 'STATE_'];
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
export function isWithheld(name: string, { inActions }: { inActions: boolean }): boolean {
  const known = name.toUpperCase();
  if (NAMES.has(known) || known.startsWith(PREFIX)) return true;
  return inActions && PREFIXES_IN_ACTIONS.some((prefix) => known.startsWith(prefix));
}

/** A command line that a workflow's step started is in Actions as well. */
export function isInActions(env: Environment): boolean {
  return env.GITHUB_ACTIONS === 'true';
}
