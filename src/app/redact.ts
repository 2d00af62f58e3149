import { cleanText } from '../comments/text/clean-text.ts';
import { COMMAND_NAMES } from '../core/contracts/command.ts';
import { isCommonValue } from '../core/secrets/common-value.ts';
import { findCredentials } from '../core/secrets/find-credentials.ts';
import { createFormFinder, createSecretHider } from '../core/secrets/hide-secrets.ts';
import { MIN_SECRET_LENGTH, secretForms } from '../core/secrets/secret-forms.ts';
import { askedInputs, openSecrets } from '../core/secrets/secrets-of-run.ts';
import { replaceSpans } from '../core/secrets/spans.ts';
import { actionsSecretName } from '../core/variable-name.ts';
import type { AppDependencies } from './dependencies.ts';
import { dropAdded, readEscapes, readMarkdown } from './read-markdown.ts';

const MASK = '[redacted]';

/**
 * Removes secret values from a text, in every form they could be printed in and as markdown would show them, and all that has the
 * shape of a credential. This is the last line of defence: job messages were searched on receipt.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const hidden = createSecretHider(secrets, MASK).hide(text);
  const read = readEscapes(hidden);
  const clean = replaceSpans(hidden, findCredentials(read.text).map(read.whereIs), MASK);
  if (secrets.length === 0) return clean;
  const forms = secrets
    .flatMap((secret) => secretForms(secret))
    .map((form) => cleanText(form))
    // Code has no escapes, so a character reference there is literal.
    .flatMap((form) => [dropAdded(form), readMarkdown(form).text])
    .filter((form) => form.length >= MIN_SECRET_LENGTH);
  const shown = readMarkdown(clean);
  return replaceSpans(clean, createFormFinder(forms)(shown.text).map(shown.whereIs), MASK);
}

export async function redactFor(deps: AppDependencies, run: string, text: string): Promise<string> {
  const { state } = await deps.store.runs.load(run);
  const secrets = state ? (await openSecrets(deps.store.vault, state)).map(({ value }) => value) : [];
  const keys = state ? askedInputs(state).map(({ key }) => key) : [];
  const clean = redact(
    text,
    secrets.filter((secret) => !isCommonValue(secret)),
  );
  return redactAround(clean, secrets.filter(isCommonValue), [...keys, ...keys.map(actionsSecretName)]);
}

/** Leaves our marks, commands and keys alone when a secret is a common word, because nobody could answer without them. */
export function redactAround(text: string, secrets: readonly string[], names: readonly string[]): string {
  if (secrets.length === 0) return text;
  const words = [
    ...COMMAND_NAMES.map((name) => `/${name}`),
    ...names.map((name) => name.replaceAll('.', '\\.')),
  ];
  const ours = new RegExp(`(<!-- autobuild:[^<>]*-->|(?<![\\w.-])(?:${words.join('|')})(?![\\w.-]))`);
  return text
    .split(ours)
    .map((piece, index) => (index % 2 === 1 ? piece : redact(piece, secrets)))
    .join('');
}
