import { expect, test } from 'vitest';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareAgent } from './prepare-agent.ts';

/** By name, in whatever the tools are described with: Codex lists those that scripts may call within one tool's text. */
const OTHER_AGENTS =
  /^(?:spawn_agent|send_message|followup_task|wait_agent|list_agents|read_agent|write_agent|invoke_agent|task)$/;
const A_PERSON = /^(?:request_user_input|ask_user|question|AskUserQuestion)$/;
const WITHIN_A_TEXT = /\b(?:spawn_agent|followup_task|wait_agent|request_user_input)\b/;

// What a sub-agent of Claude Code does is in its stream, and its edits are asked about: so it keeps them.
test.each(AGENT_CASES)(
  '$name is offered no agent whose work nobody sees, and nobody to ask',
  async (agentCase) => {
    const { start, model } = await prepareAgent(agentCase, [{ text: 'Done.' }]);
    await (await start()).finished();
    const tools = toolsOf(model.requests[0] ?? '{}');
    const names = namesIn(tools);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => OTHER_AGENTS.test(name) || A_PERSON.test(name))).toEqual([]);
    expect(JSON.stringify(tools)).not.toMatch(WITHIN_A_TEXT);
  },
);

/** At the request's top, or among what is said, as Codex does. */
function toolsOf(request: string): unknown[] {
  const { tools, input } = JSON.parse(request) as { tools?: unknown[]; input?: { tools?: unknown[] }[] };
  return [...(tools ?? []), ...(Array.isArray(input) ? input.flatMap((item) => item.tools ?? []) : [])];
}

/** Each provider nests them in its own way. */
function namesIn(tools: unknown): string[] {
  if (Array.isArray(tools)) return tools.flatMap(namesIn);
  if (typeof tools !== 'object' || tools === null) return [];
  const { name, functionDeclarations, function: called, tools: inner } = tools as Record<string, unknown>;
  return [...(typeof name === 'string' ? [name] : []), ...namesIn([functionDeclarations, called, inner])];
}
