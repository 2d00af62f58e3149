/** How programs say that they do not reach a container engine. */
const NO_ENGINE =
  /Cannot connect to the Docker daemon|failed to connect to the docker API|Is the docker daemon running|\bdocker\.sock\b|\bpodman\.sock\b|Cannot connect to Podman|Could not find a (?:valid Docker environment|working container runtime)/i;

/** A check that fails because a box hides the service it needs. The agent's code may print the same, so the risk is named too. */
export function describeHiddenService(command: string, output: string): string | undefined {
  if (!NO_ENGINE.test(output)) return undefined;
  return `\`${command}\` does not reach Docker, which the box of agent and checks hides. With \`check_isolation: host\` in .github/autobuild.yml the checks run outside the box, and the agent's code in them with all rights of the job`;
}
