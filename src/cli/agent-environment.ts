/** Tokens that open the repository or the job, not the model: an agent has no use for them that anyone would want. */
const WITHHELD =
  /^(?:GITHUB_TOKEN|GH_TOKEN|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|ACTIONS_.*|NPM_TOKEN|NODE_AUTH_TOKEN|AUTOBUILD_.*)$/;

export function agentEnvironment(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.test(name)));
}
