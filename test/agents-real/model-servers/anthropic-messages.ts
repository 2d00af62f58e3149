import { join } from 'node:path';
import { inPieces, type ModelCall, type Protocol } from './scripted-model.ts';

const USAGE = { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropicMessages: Protocol = {
  path: /\/messages(\?|$)/,
  read(body) {
    const messages = body.messages as { role: string }[];
    const tools = (body.tools ?? []) as { name: string }[];
    return {
      answered: messages.filter(({ role }) => role === 'assistant').length,
      tools: tools.map(({ name }) => name),
    };
  },
  events({ text, call }, { body, worktree, id }) {
    const blocks = [
      ...(text ? [{ start: { type: 'text', text: '' }, deltas: inPieces(text).map(textDelta) }] : []),
      ...(call ? [toolBlock(call, worktree, id)] : []),
    ];
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 1 },
    };
    return [
      { event: 'message_start', data: { message } },
      ...blocks.flatMap(({ start, deltas }, index) => [
        { event: 'content_block_start', data: { index, content_block: start } },
        ...deltas.map((delta) => ({ event: 'content_block_delta', data: { index, delta } })),
        { event: 'content_block_stop', data: { index } },
      ]),
      {
        event: 'message_delta',
        data: {
          delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage: { output_tokens: 50 },
        },
      },
      { event: 'message_stop', data: {} },
    ];
  },
  refusal: ({ type, message }) => ({ type: 'error', error: { type, message } }),
};

const textDelta = (text: string) => ({ type: 'text_delta', text });

function toolBlock(call: ModelCall, worktree: string, id: string) {
  const [name, input] =
    'write' in call
      ? ['Write', { file_path: join(worktree, call.write), content: call.content }]
      : ['Bash', { command: call.run, description: 'a scripted command' }];
  return {
    start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
    deltas: inPieces(JSON.stringify(input)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
  };
}
