import { askGate } from '../../runner/gate/ask-gate.ts';
import { type CliOptions, usage } from '../options.ts';

/**
 * `autobuild gate PATH…` is called by an agent's hook. It waits for the answer, and anything but a clear yes is a no.
 */
export async function gateCommand(options: CliOptions, socket: string | undefined) {
  if (options.operands.length === 0) throw usage('autobuild gate needs at least one path.');
  if (!socket) {
    return {
      decision: 'deny' as const,
      reason: 'AUTOBUILD_GATE is not set: this was not started by Autobuild',
    };
  }
  return askGate(socket, { paths: options.operands });
}
