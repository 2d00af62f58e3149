import * as z from 'zod';

/** An Actions secret that is used for a value (P-9). `unknown`: the App has no permission to look, so a person's word counts. */
export const ActionsSecret = z.object({
  name: z.string(),
  found: z.enum(['yes', 'no', 'unknown']),
  /** The value is a line of this secret, which has several. */
  shared: z.string().optional(),
});
export type ActionsSecret = z.infer<typeof ActionsSecret>;

/** The box by which people say that they added the values, as the record has it. Comments name the secret where it is one for all. */
export const ADDED_AS_SECRETS = 'I added them as Actions secrets';
/** The same for a question about one value. */
export const ADDED_AS_SECRET = 'I added it as an Actions secret';

/** The line under `env` by which the job's workflow passes the secret. */
export function passSecretLine(name: string): string {
  return `${name}: \${{ secrets.${name} }}`;
}
