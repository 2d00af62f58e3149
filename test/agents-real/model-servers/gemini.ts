import { type Dialect, type ModelScript, type ModelServer, serveScript } from './play-script.ts';

/** The Gemini API, as far as its CLI uses it: `:streamGenerateContent` with server-sent events. */
const GEMINI: Dialect = {
  isModelCall: (path) => path.includes('enerateContent'),
  turnOf(body) {
    if (!Array.isArray(body.tools) || body.tools.length === 0) return undefined;
    const contents = body.contents as { role: string }[];
    // One turn may come back as several contents in a row.
    return contents.filter(({ role }, at) => role === 'model' && contents[at - 1]?.role !== 'model').length;
  },
  head: (_body, path) => ({ modelVersion: /models\/([^:]+)/.exec(path)?.[1] ?? 'scripted' }),
  piece: (text, head) => [candidate([{ text }], head)],
  finish(turn, tokens, head) {
    const calls = (turn.calls ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } }));
    const usageMetadata = {
      promptTokenCount: tokens.input,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.output,
    };
    return [
      ...(calls.length > 0 ? [candidate(calls, head)] : []),
      { ...candidate([{ text: '' }], head, 'STOP'), usageMetadata },
    ];
  },
  error: (code, message) => ({ error: { code, message, status: statusName(code) } }),
};

function candidate(parts: unknown[], head: Record<string, unknown>, finishReason?: string) {
  return { ...head, candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }] };
}

function statusName(code: number): string {
  const names: Record<number, string> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    429: 'RESOURCE_EXHAUSTED',
  };
  return names[code] ?? 'INTERNAL';
}

export function serveGemini(script: ModelScript): Promise<ModelServer> {
  return serveScript(script, GEMINI);
}
