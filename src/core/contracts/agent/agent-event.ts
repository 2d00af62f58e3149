import * as z from 'zod';

/**
 * The actions of an agent, in one vocabulary for all agents. The adapters translate into it; the `command` agent may print
 * these events itself, one JSON object per line.
 */
const toolKind = z.enum(['edit', 'command', 'read', 'search', 'other']);
export type ToolKind = z.infer<typeof toolKind>;

export const AgentEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session'), id: z.string() }),
  z.object({ type: z.literal('text'), text: z.string(), delta: z.boolean().optional() }),
  z.object({
    type: z.literal('tool_started'),
    id: z.string(),
    kind: toolKind,
    title: z.string().optional(),
    command: z.string().optional(),
    paths: z.array(z.string()).default([]),
  }),
  z.object({
    type: z.literal('tool_ended'),
    id: z.string(),
    ok: z.boolean(),
    exit_code: z.number().int().nullish(),
    /** The gate refused the call, so it did not happen. */
    refused: z.boolean().default(false),
    output: z.string().default(''),
    paths: z.array(z.string()).default([]),
  }),
  /** A whole tool call in one line, for scripts: `tool_started` and `tool_ended` at once. */
  z.object({
    type: z.literal('action'),
    kind: toolKind,
    title: z.string().optional(),
    command: z.string().optional(),
    ok: z.boolean().optional(),
    exit_code: z.number().int().nullish(),
    refused: z.boolean().default(false),
    output: z.string().default(''),
    paths: z.array(z.string()).default([]),
  }),
  z.object({
    type: z.literal('usage'),
    /** `step`: this step alone, to be added up; `run`: this invocation so far; `session`: all resumed invocations so far. */
    scope: z.enum(['step', 'run', 'session']).default('step'),
    input_tokens: z.number().nonnegative().default(0),
    output_tokens: z.number().nonnegative().default(0),
    /** The part of `input_tokens` that was read from the provider's cache. */
    cached_tokens: z.number().nonnegative().optional(),
    cost_usd: z.number().nonnegative().optional(),
  }),
  /** A failure that the agent handles itself, such as an API retry: shown, never counted. */
  z.object({ type: z.literal('retry'), message: z.string() }),
  z.object({
    type: z.literal('ended'),
    ok: z.boolean(),
    reason: z.string(),
    message: z.string().optional(),
    /** With the reason `rate_limit`: when the provider takes requests again. */
    retry_after_s: z.number().nonnegative().optional(),
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
