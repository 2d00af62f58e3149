import { inPieces, type Protocol, type StreamEvent, TOKENS } from './scripted-model.ts';

/** The Gemini API, as far as its CLI uses it: `:streamGenerateContent` with server-sent events. */
export const geminiContents: Protocol = {
  path: /enerateContent/,
  answered(body) {
    if (!Array.isArray(body.tools) || body.tools.length === 0) return undefined;
    const contents = body.contents as { role: string }[];
    // One turn may come back as several contents in a row.
    return contents.filter(({ role }, at) => role === 'model' && contents[at - 1]?.role !== 'model').length;
  },
  events({ text, calls }, { path }) {
    const modelVersion = /models\/([^:]+)/.exec(path)?.[1] ?? 'scripted';
    const candidate = (parts: unknown[], more: Record<string, unknown> = {}): StreamEvent => ({
      data: { modelVersion, candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] },
    });
    const usageMetadata = {
      promptTokenCount: TOKENS.input,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    };
    const last = candidate([{ text: '' }], { finishReason: 'STOP' });
    return [
      ...inPieces(text).map((piece) => ({ ...candidate([{ text: piece }]), piece: true })),
      ...(calls.length > 0
        ? [candidate(calls.map(({ name, input }) => ({ functionCall: { name, args: input } })))]
        : []),
      { data: { ...last.data, usageMetadata } },
    ];
  },
  refusal: ({ status, type, message }) => ({ error: { code: status, message, status: type } }),
};
