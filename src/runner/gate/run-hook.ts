import type { Agent } from '../../agents/agent.ts';
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
  return hook.answer(await askGate(socket, ask));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
