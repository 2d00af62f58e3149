import { inPieces, type Protocol, type StreamEvent, TOKENS } from './scripted-model.ts';

/** OpenAI's chat completions, streamed: what OpenCode's compatible providers and Copilot's own-key mode speak. */
export const openaiChat: Protocol = {
  path: /\/chat\/completions/,
  answered(body) {
    if (!Array.isArray(body.tools) || body.tools.length === 0) return undefined;
    const messages = body.messages as { role: string }[];
    return messages.filter(({ role }, at) => role === 'assistant' && messages[at - 1]?.role !== 'assistant')
      .length;
  },
  events({ text, calls }, { body, id }) {
    const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 1, model: body.model };
    const chunk = (delta: unknown, finish_reason: string | null = null): StreamEvent => ({
      data: { ...head, choices: [{ index: 0, delta, finish_reason }] },
    });
    const usage = {
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
    };
    return [
      ...inPieces(text).map((content) => ({ ...chunk({ role: 'assistant', content }), piece: true })),
      ...calls.map(({ name, input }, index) => {
        const called = { name, arguments: JSON.stringify(input) };
        const call = { index, id: `call_${name}_${id}_${index}`, type: 'function', function: called };
        return chunk({ role: 'assistant', tool_calls: [call] });
      }),
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      { data: { ...head, choices: [], usage } },
    ];
  },
  refusal: ({ status, type, message }) => ({ error: { message, type, code: status } }),
  lastLine: 'data: [DONE]\n\n',
};
