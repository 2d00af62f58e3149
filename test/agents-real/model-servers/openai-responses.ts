import { inPieces, type ModelAnswer, type ModelCall, type Protocol } from './scripted-model.ts';

type Item = { type?: string; role?: string; tools?: Tool[] };
type Tool = { type?: string; name?: string; tools?: Tool[] };

const OF_THE_MODEL = new Set(['function_call', 'custom_tool_call', 'reasoning']);

export const openaiResponses: Protocol = {
  path: /\/responses(\?|$)/,
  read(body) {
    const input = (body.input ?? []) as Item[];
    const byModel = (item: Item | undefined) =>
      item !== undefined && (OF_THE_MODEL.has(item.type ?? '') || item.role === 'assistant');
    return {
      // Text and calls of one answer are items of their own, one after the other.
      answered: input.filter((item, at) => byModel(item) && !byModel(input[at - 1])).length,
      tools: offeredTools(body).map(({ name, type }) => name ?? type ?? ''),
    };
  },
  events(answer, { body, id }) {
    const response = { id: `resp_${id}`, object: 'response', model: body.model, output: [] };
    const items = itemsOf(answer, offeredTools(body), id);
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 1050,
    };
    return [
      { event: 'response.created', data: { response: { ...response, status: 'in_progress' } } },
      ...items.flatMap((item, output_index) => [
        {
          event: 'response.output_item.added',
          data: { output_index, item: { ...item, status: 'in_progress' } },
        },
        ...(item.type === 'message'
          ? inPieces(answer.text ?? '').map((delta) => ({
              event: 'response.output_text.delta',
              data: { output_index, item_id: item.id, content_index: 0, delta },
            }))
          : []),
        { event: 'response.output_item.done', data: { output_index, item } },
      ]),
      {
        event: 'response.completed',
        data: { response: { ...response, status: 'completed', output: items, usage } },
      },
    ];
  },
  refusal: ({ type, message }) => ({ error: { type, code: type, message } }),
};

/** Newer models get their tools in the input, some of them in groups. */
function offeredTools(body: Record<string, unknown>): Tool[] {
  const input = (body.input ?? []) as Item[];
  const tools = [
    ...((body.tools ?? []) as Tool[]),
    ...input.filter(({ type }) => type === 'additional_tools').flatMap((item) => item.tools ?? []),
  ];
  return tools.flatMap((tool) => (tool.type === 'namespace' ? (tool.tools ?? []) : [tool]));
}

function itemsOf({ text, call }: ModelAnswer, tools: Tool[], id: string) {
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    content: [{ type: 'output_text', text: text ?? '', annotations: [] }],
  };
  return [...(text ? [message] : []), ...(call ? [callItem(call, tools, id)] : [])];
}

function callItem(call: ModelCall, tools: Tool[], id: string) {
  const ids = { id: `fc_${id}`, call_id: `call_${id}` };
  const inJavaScript = tools.some(({ name }) => name === 'exec');
  if ('run' in call) {
    const words = { cmd: call.run };
    return inJavaScript
      ? script(ids, `await tools.exec_command(${JSON.stringify(words)})`)
      : { type: 'function_call', ...ids, name: 'exec_command', arguments: JSON.stringify(words) };
  }
  const lines = call.content
    .trimEnd()
    .split('\n')
    .map((line) => `+${line}`);
  const patch = ['*** Begin Patch', `*** Add File: ${call.write}`, ...lines, '*** End Patch', ''].join('\n');
  return inJavaScript
    ? script(ids, `await tools.apply_patch(${JSON.stringify(patch)})`)
    : { type: 'custom_tool_call', ...ids, name: 'apply_patch', input: patch };
}

/** Newer models call their tools from JavaScript. */
function script(ids: { id: string; call_id: string }, expression: string) {
  return { type: 'custom_tool_call', ...ids, name: 'exec', input: `text(JSON.stringify(${expression}));\n` };
}
