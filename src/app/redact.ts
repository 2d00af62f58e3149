import { cleanText } from '../comments/clean-text.ts';
import { createFormFinder, createSecretHider, replaceSpans } from '../core/hide-secrets.ts';
import { MIN_SECRET_LENGTH, secretForms } from '../core/secret-forms.ts';
import { openSecrets } from '../core/secrets-of-run.ts';
import type { AppParts } from './parts.ts';
import { dropAdded, readMarkdown } from './read-markdown.ts';

const MASK = '[redacted]';

/**
 * Nothing that people gave in secret leaves in a text, in any of the forms it could be printed in, nor as markdown shows it. The
 * last line of defence: what jobs say was freed of values when it came.
 */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const clean = createSecretHider(secrets, MASK).hide(text);
  const forms = secrets
    .flatMap((secret) => secretForms(secret))
    .map((form) => cleanText(form))
    // In code nothing is escaped, so what looks like a reference was one before.
    .flatMap((form) => [dropAdded(form), readMarkdown(form).text])
    .filter((form) => form.length >= MIN_SECRET_LENGTH);
  const shown = readMarkdown(clean);
  return replaceSpans(clean, createFormFinder(forms)(shown.text).map(shown.whereIs), MASK);
}

export async function redactFor(parts: AppParts, run: string, text: string): Promise<string> {
  const { state } = await parts.store.runs.load(run);
  const secrets = state ? await openSecrets(parts.store.vault, state) : [];
  return redact(
    text,
    secrets.map(({ value }) => value),
  );
}
