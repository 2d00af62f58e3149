import * as z from 'zod';

/** The longest help block that is parsed. A longer one is shown to people unparsed. */
export const MAX_HELP_CHARS = 64 * 1024;
export const MAX_HELP_INPUTS = 20;

export const INPUT_KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** One value the agent asks a person for. The key is what `/provide key=value` names. */
export const HelpInput = z.object({
  key: z
    .string()
    .regex(INPUT_KEY)
    // Keys become property names of plain objects, where `__proto__`, `constructor` and others exist already.
    .refine((key) => !(key in {})),
  label: z.string().min(1).max(500),
  secret: z.boolean().default(false),
});
export type HelpInput = z.infer<typeof HelpInput>;

/** The agent's text between the help markers, parsed (P-1, P-11). */
export const HelpRequest = z.object({
  what_i_tried: z.string().min(1),
  what_i_need: z.string().min(1),
  inputs: z
    .array(HelpInput)
    .max(MAX_HELP_INPUTS)
    .refine((inputs) => new Set(inputs.map((input) => input.key)).size === inputs.length)
    .default([]),
});
export type HelpRequest = z.infer<typeof HelpRequest>;
