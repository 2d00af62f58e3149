type Environment = Readonly<Record<string, string | undefined>>;

/** Also true for the command line when a step of a workflow runs it. */
export function isInActions(env: Environment): boolean {
  return env.GITHUB_ACTIONS === 'true';
}
