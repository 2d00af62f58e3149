import type { AppParts } from './parts.ts';

const SHORTEST = 6;

/** Nothing that people gave in secret leaves in a text, in any of the forms it could be printed in. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, '[redacted]');
  }
  return clean;
}

function formsOf(secret: string): string[] {
  const base64 = toBase64(secret);
  const forms = [
    secret,
    base64,
    base64.replace(/=+$/, ''),
    base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...secret.split('\n').filter((line) => line.trim().length >= SHORTEST * 2),
  ];
  // The longest first: a short form may be part of a long one.
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text.slice(0, 50_000))));
}

/** All values given in this run, whether they were marked as secret or not. */
export async function redactFor(parts: AppParts, run: string, text: string): Promise<string> {
  const { state } = await parts.store.runs.load(run);
  const refs = state?.escalations.flatMap((escalation) =>
    Object.values(escalation.resolution?.inputs ?? {}).map((input) => input.ref),
  );
  const given = Object.values(state?.given ?? {}).map((input) => input.ref);
  const all = [...(refs ?? []), ...given];
  return all.length > 0 ? redact(text, Object.values(await parts.store.vault.open(run, all))) : text;
}
