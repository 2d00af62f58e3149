import { agentNamed } from '../../agents/registry.ts';
import { runHook } from '../../runner/gate/run-hook.ts';
import { type CliOptions, usage } from '../options.ts';

/** `autobuild hook AGENT` is called by an agent's own hook before an edit. People do not call it. */
export async function hookCommand(options: CliOptions, input: string, socket: string | undefined) {
  const agent = agentNamed(options.operands[0] ?? '');
  if (!agent) throw usage('autobuild hook needs the name of an agent.');
  return runHook(agent, input, socket);
}
