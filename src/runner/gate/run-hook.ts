import type { Agent } from '../../agents/agent.ts';
import { type GateAsk, MAX_GATE_LINE } from '../../core/contracts/gate.ts';
import { askGate } from './ask-gate.ts';

/** Answers an agent's hook in the agent's own format. Input that cannot be read is denied. */
export async function runHook(
  agent: Agent,
  input: string,
  socket: string | undefined,
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const { hook } = agent;
  if (!hook) return { stdout: '', stderr: `${agent.name} has no hook\n`, exitCode: 2 };
  const deny = (reason: string) => hook.answer({ decision: 'deny', reason });
  if (!socket) return deny('AUTOBUILD_GATE is not set: this was not started by Autobuild');
  const ask = hook.readAsk(parseJson(input));
  if (typeof ask === 'string') return deny(ask);
  if (ask === undefined) return hook.answer({ decision: 'allow', reason: 'nothing is written' });
  return hook.answer(await askGate(socket, fitting(ask)));
}

/** Without the edit, a person is asked about the file unseen. That is better than an edit that can never be made. */
function fitting(ask: GateAsk): GateAsk {
  const isTooLong = ask.edit !== undefined && Buffer.byteLength(JSON.stringify(ask)) > MAX_GATE_LINE;
  return isTooLong ? { ...ask, edit: undefined } : ask;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
