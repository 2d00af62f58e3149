import { type Dialect, type ModelScript, type ModelServer, serveScript } from './play-script.ts';

/** OpenAI's chat completions, streamed: what OpenCode's compatible providers and Copilot's own-key mode speak. */
const OPENAI_CHAT: Dialect = {
  isModelCall: (path) => path.includes('/chat/completions'),
  turnOf(body) {
    if (!Array.isArray(body.tools) || body.tools.length === 0) return undefined;
    const messages = body.messages as { role: string }[];
    return messages.filter(({ role }, at) => role === 'assistant' && messages[at - 1]?.role !== 'assistant')
      .length;
  },
  head: (body) => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 1,
    model: body.model,
  }),
  piece: (content, head) => [chunk({ role: 'assistant', content }, head)],
  finish(turn, tokens, head) {
    const at = `${JSON.stringify(turn).length}`;
    const calls = (turn.calls ?? []).map(({ name, input }, index) => ({
      index,
      id: `call_${name}_${at}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const usage = {
      prompt_tokens: tokens.input,
      completion_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
    };
    return [
      ...calls.map((call) => chunk({ role: 'assistant', tool_calls: [call] }, head)),
      chunk({}, head, calls.length > 0 ? 'tool_calls' : 'stop'),
      { ...head, choices: [], usage },
    ];
  },
  error: (code, message) => ({ error: { message, type: 'scripted', code } }),
  lastLine: 'data: [DONE]\n\n',
};

function chunk(delta: unknown, head: Record<string, unknown>, finish_reason: string | null = null) {
  return { ...head, choices: [{ index: 0, delta, finish_reason }] };
}

export function serveOpenAiChat(script: ModelScript): Promise<ModelServer> {
  return serveScript(script, OPENAI_CHAT);
}
