import { readBytes } from './decode-buffer.ts';
import { keepBase64 } from './keep-base64.ts';
import { base64Forms, secretForms, unescapedForms, utf8Bytes } from './secret-forms.ts';
import { createSeeker } from './seek-forms.ts';
import { undoEscapes } from './undo-escapes.ts';

/** As many as a changeset may have: what is larger is refused before anybody looks for secrets in it. */
const MAX_FILES = 3_000;
const MAX_SECRETS = 200;
/** Of one file, in base64. */
const MAX_CONTENT_CHARS = 54 * 1024 * 1024;

export interface SecretInFile {
  path: string;
  key: string;
}

/**
 * Which files hold a secret: as it is written there, with escapes undone, or in base64 whatever stands between its letters. A path,
 * too, is something people read. What is no base64 holds nothing: the changeset's own check refuses it.
 */
export function findSecretsInFiles(
  files: { path: string; content: string | null }[],
  secrets: { key: string; value: string }[],
): SecretInFile[] {
  if (secrets.length === 0) return [];
  const seekerOf = (formsOf: (value: string) => string[]) =>
    createSeeker(secrets.slice(0, MAX_SECRETS).map(({ key, value }) => ({ key, forms: formsOf(value) })));
  const seekWritten = seekerOf((value) => secretForms(value).map(utf8Bytes));
  const seekUnescaped = seekerOf(unescapedForms);
  const seekBase64 = seekerOf(base64Forms);
  return files.slice(0, MAX_FILES).flatMap(({ path, content }) => {
    const found = new Set<string>();
    for (const bytes of [new TextEncoder().encode(path), decode(content)]) {
      const reading = readBytes(bytes);
      seekWritten(reading, found);
      undoEscapes(reading);
      seekUnescaped(reading, found);
      keepBase64(reading);
      seekBase64(reading, found);
    }
    return secrets.filter(({ key }) => found.delete(key)).map(({ key }) => ({ path, key }));
  });
}

/** The files need not be text, so bytes are compared. */
function decode(content: string | null): Uint8Array {
  if (content === null || content.length > MAX_CONTENT_CHARS) return new Uint8Array();
  try {
    const letters = atob(content);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    return bytes;
  } catch {
    return new Uint8Array();
  }
}
