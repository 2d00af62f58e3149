import { inPieces, type Protocol, type StreamEvent, TOKENS, type ToolCall } from './scripted-model.ts';

type Item = { type?: string; role?: string; tools?: Tool[] };
type Tool = { type?: string; name?: string; tools?: Tool[] };

const OF_THE_MODEL = new Set(['function_call', 'custom_tool_call', 'reasoning']);

/** OpenAI's responses, streamed: what Codex speaks. */
export const openaiResponses: Protocol = {
  path: /\/responses(\?|$)/,
  answered(body) {
    if (offeredTools(body).length === 0) return undefined;
    const input = (body.input ?? []) as Item[];
    const byModel = (item: Item | undefined) =>
      item !== undefined && (OF_THE_MODEL.has(item.type ?? '') || item.role === 'assistant');
    // Text and calls of one answer are items of their own, one after the other.
    return input.filter((item, at) => byModel(item) && !byModel(input[at - 1])).length;
  },
  events({ text, calls }, { body, id }) {
    const response = { id: `resp_${id}`, object: 'response', model: body.model, output: [] };
    const inJavaScript = offeredTools(body).some(({ name }) => name === 'exec');
    const items = [
      ...(text ? [messageItem(text, id)] : []),
      ...calls.map((call, at) => callItem(call, `${id}x${at}`, inJavaScript)),
    ];
    const usage = {
      input_tokens: TOKENS.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: TOKENS.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: TOKENS.input + TOKENS.output,
    };
    return [
      event('response.created', { response: { ...response, status: 'in_progress' } }),
      ...items.flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
        ...(item.type === 'message' ? inPieces(text) : []).map((delta) => ({
          ...event('response.output_text.delta', { output_index, item_id: item.id, content_index: 0, delta }),
          piece: true,
        })),
        event('response.output_item.done', { output_index, item }),
      ]),
      event('response.completed', { response: { ...response, status: 'completed', output: items, usage } }),
    ];
  },
  refusal: ({ type, message }) => ({ error: { type, code: type, message } }),
};

function event(type: string, data: Record<string, unknown>): StreamEvent {
  return { event: type, data: { type, ...data } };
}

/** Newer models get their tools in the input, some of them in groups. */
function offeredTools(body: Record<string, unknown>): Tool[] {
  const input = (body.input ?? []) as Item[];
  const tools = [
    ...((body.tools ?? []) as Tool[]),
    ...input.filter(({ type }) => type === 'additional_tools').flatMap((item) => item.tools ?? []),
  ];
  return tools.flatMap((tool) => (tool.type === 'namespace' ? (tool.tools ?? []) : [tool]));
}

function messageItem(text: string, id: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${id}`, role: 'assistant', content };
}

/** Newer models call their tools from JavaScript; a patch is given as it is, not as JSON. */
function callItem({ name, input }: ToolCall, id: string, inJavaScript: boolean) {
  const ids = { id: `fc_${id}`, call_id: `call_${id}` };
  const given = name === 'apply_patch' ? String(input.patch) : input;
  if (inJavaScript) {
    const script = `text(JSON.stringify(await tools.${name}(${JSON.stringify(given)})));\n`;
    return { type: 'custom_tool_call', ...ids, name: 'exec', input: script };
  }
  return typeof given === 'string'
    ? { type: 'custom_tool_call', ...ids, name, input: given }
    : { type: 'function_call', ...ids, name, arguments: JSON.stringify(given) };
}
