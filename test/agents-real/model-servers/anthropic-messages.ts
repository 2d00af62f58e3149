import { inPieces, type Protocol, type StreamEvent, TOKENS, type ToolCall } from './scripted-model.ts';

/** Anthropic's messages, streamed. */
export const anthropicMessages: Protocol = {
  path: /\/messages(\?|$)/,
  answered(body) {
    if (!Array.isArray(body.tools) || body.tools.length === 0) return undefined;
    return (body.messages as { role: string }[]).filter(({ role }) => role === 'assistant').length;
  },
  events({ text, calls }, { body, id }) {
    const blocks = [
      ...(text ? [textBlock(text)] : []),
      ...calls.map((call, at) => toolBlock(call, `${id}x${at}`)),
    ];
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: TOKENS.input,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 1,
      },
    };
    const delta = { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
    return [
      event('message_start', { message }),
      ...blocks.flatMap(({ start, deltas, piece }, index) => [
        event('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => ({ ...event('content_block_delta', { index, delta }), piece })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta, usage: { output_tokens: TOKENS.output } }),
      event('message_stop', {}),
    ];
  },
  refusal: ({ type, message }) => ({ type: 'error', error: { type, message } }),
};

function event(type: string, data: Record<string, unknown>): StreamEvent {
  return { event: type, data: { type, ...data } };
}

function textBlock(text: string) {
  const deltas = inPieces(text).map((piece): unknown => ({ type: 'text_delta', text: piece }));
  return { start: { type: 'text', text: '' } as unknown, deltas, piece: true };
}

function toolBlock({ name, input }: ToolCall, id: string) {
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} } as unknown,
    deltas: inPieces(JSON.stringify(input)).map((part): unknown => ({
      type: 'input_json_delta',
      partial_json: part,
    })),
    piece: false,
  };
}
