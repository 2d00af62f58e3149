import * as z from 'zod';

/** Every command an operator can give, whatever the way: comment, ticked box, form or terminal. */
export const COMMAND_NAMES = [
  'provide',
  'continue',
  'guide',
  'override',
  'approve',
  'retry',
  'debug',
  'skip',
  'accept',
  'review',
  'pause',
  'cancel',
  'terminate',
  'status',
  'help',
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];

/** A value that was given, by reference: the value itself is in the vault and nowhere else (P-4). */
export const InputRef = z.object({
  ref: z.string(),
  length: z.number().int().nonnegative(),
  /** It is not in the vault but in the job's environment, under this name: an Actions secret that the workflow passes. */
  actions_secret: z.string().optional(),
});
export type InputRef = z.infer<typeof InputRef>;

const bare = (
  name:
    | 'retry'
    | 'debug'
    | 'skip'
    | 'accept'
    | 'review'
    | 'pause'
    | 'cancel'
    | 'terminate'
    | 'status'
    | 'help',
) => z.object({ name: z.literal(name) });

const others = [
  z.object({
    name: z.literal('continue'),
    turns: z.number().int().positive().optional(),
    minutes: z.number().int().positive().optional(),
    new_approach: z.boolean().default(false),
    agent: z.string().optional(),
  }),
  z.object({ name: z.literal('guide'), text: z.string().min(1) }),
  z.object({ name: z.literal('override'), text: z.string().min(1) }),
  z.object({
    name: z.literal('approve'),
    files: z.number().int().positive().optional(),
    paths: z.array(z.string()).optional(),
  }),
  bare('retry'),
  bare('debug'),
  bare('skip'),
  bare('accept'),
  bare('review'),
  bare('pause'),
  bare('cancel'),
  bare('terminate'),
  bare('status'),
  bare('help'),
] as const;

/** As the parser yields it: values in clear, not yet anywhere durable. */
export const Command = z.discriminatedUnion('name', [
  z.object({ name: z.literal('provide'), inputs: z.record(z.string(), z.string()) }),
  ...others,
]);
export type Command = z.infer<typeof Command>;

/** As the rules and the journal see it: values replaced by references. */
export const SealedCommand = z.discriminatedUnion('name', [
  z.object({ name: z.literal('provide'), inputs: z.record(z.string(), InputRef) }),
  ...others,
]);
export type SealedCommand = z.infer<typeof SealedCommand>;
