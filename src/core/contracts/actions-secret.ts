import * as z from 'zod';

/** An Actions secret that stands in for a value (P-9). `unknown`: the App may not look, so a person's word counts. */
export const ActionsSecret = z.object({ name: z.string(), found: z.enum(['yes', 'no', 'unknown']) });
export type ActionsSecret = z.infer<typeof ActionsSecret>;

/** Keys may hold what names of secrets and variables may not. */
export function actionsSecretName(key: string): string {
  return key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** How the job's workflow passes it. */
export function passSecretLine(name: string): string {
  return `${name}: \${{ secrets.${name} }}`;
}
