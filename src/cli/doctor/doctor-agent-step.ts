import { installCommand } from '../../agents/install-command.ts';
import { agentNamed } from '../../agents/registry.ts';
import type { Config } from '../../config/read-config.ts';
import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint, ok } from './doctor-finding.ts';

/** Machines of GitHub have no agent, so a step has to install it. Agents of the repository's own may be part of it. */
export function examineAgentStep(
  { jobs }: WorkflowFile,
  config: Pick<Config, 'agent' | 'agents'>,
): Finding[] {
  const name = config.agent ?? 'claude';
  const agent = Object.hasOwn(config.agents, name) ? undefined : agentNamed(name);
  if (!agent?.npmPackage) return [];
  const check = 'agent';
  const steps = jobs.filter(({ isVerify }) => !isVerify).flatMap((job) => job.steps);
  const runs = steps.flatMap(({ run }) => run ?? []);
  const found = runs.find((run) => run.includes(agent.npmPackage ?? ''));
  const install = `Add it before the action in ${WORKFLOW_PATH}: - run: ${installCommand(agent)}`;
  if (found === undefined) return [hint(check, `No step installs ${name} from npm.`, install)];
  if (found.includes(`${agent.npmPackage}@${agent.testedVersion}`))
    return [ok(check, `A step installs ${name} ${agent.testedVersion}, the version that was tested.`)];
  const message = `A step installs ${name} in another version than ${agent.testedVersion}, which was tested.`;
  return [hint(check, message, `Use the tested one: ${installCommand(agent)}`)];
}
