import { join } from 'node:path';
import type { AgentCase } from './agent-cases.ts';
import {
  type Hold,
  type ModelAnswer,
  type Refusal,
  type ScriptedModel,
  serveModel,
  type ToolCall,
} from './model-servers/scripted-model.ts';

/** What the scripted model says, in no provider's words. The n-th is said when the conversation holds n answers of its. */
export interface Said {
  text?: string;
  /** Files of the worktree to write, with the agent's own tool. */
  write?: string | string[];
  /** Commands for the agent's own shell. */
  run?: string | string[];
  /** Calls by the agent's own names. */
  calls?: ToolCall[];
  slowly?: number;
  hold?: Hold;
  cut?: boolean;
  refuse?: Refusal;
}

export interface SayingModel extends ScriptedModel {
  /** Changed while it runs, it goes on by the new words. */
  script: Said[];
}

export async function serveSaid(agent: AgentCase, script: Said[], worktree: string): Promise<SayingModel> {
  function answerAt(number: number): ModelAnswer | undefined {
    const said = script[number];
    if (!said) return undefined;
    const { write, run, calls = [], ...rest } = said;
    const writes = [write ?? []]
      .flat()
      .map((path) => agent.write({ absolute: join(worktree, path), relative: path }));
    return { ...rest, calls: [...writes, ...[run ?? []].flat().map(agent.run), ...calls] };
  }
  return { ...(await serveModel(agent.protocol, answerAt)), script };
}
