type Environment = Readonly<Record<string, string | undefined>>;

/** Withheld are credentials of the repository, the job or a registry, and files that let a process influence later steps. */
const PREFIX = 'AUTOBUILD_';
/** Withheld only in Actions, because elsewhere they are ordinary names such as `STATE_DIR` or `INPUT_FILE`. */
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
  // The event file contains the job's ticket.
  'GITHUB_EVENT_PATH',
]);

/** True for a variable that neither the agent nor the checks may see. The checks run the agent's code. */
export function isWithheld(name: string, { inActions }: { inActions: boolean }): boolean {
  const known = name.toUpperCase();
  if (NAMES.has(known) || known.startsWith(PREFIX)) return true;
  return inActions && PREFIXES_IN_ACTIONS.some((prefix) => known.startsWith(prefix));
}

/** Also true for the command line when a step of a workflow runs it. */
export function isInActions(env: Environment): boolean {
  return env.GITHUB_ACTIONS === 'true';
}
