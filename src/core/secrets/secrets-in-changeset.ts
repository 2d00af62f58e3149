import { bufferBytes } from './decode-buffer.ts';
import { keepBase64 } from './keep-base64.ts';
import { keepHex } from './keep-hex.ts';
import { createFormMatcher } from './match-forms.ts';
import { BASES, numbersIn } from './numbers-in.ts';
import { base64Forms, hexForms, secretForms, unescapedForms, utf8Bytes } from './secret-forms.ts';
import { undoEscapes } from './undo-escapes.ts';

/** The most files a changeset may have. Larger ones are refused before they are searched. */
const MAX_FILES = 3_000;
const MAX_SECRETS = 200;
/** The limit for one file, in base64 characters. */
const MAX_CONTENT_CHARS = 54 * 1024 * 1024;

export interface SecretInFile {
  path: string;
  key: string;
}

/**
 * Finds files that contain a secret as it is written, with escapes undone, or in base64, hex or numbers with other characters in between.
 * Paths are searched too, because people see them. Content that is not valid base64 is skipped, because `checkChangeset` refuses it.
 */
export function findSecretsInFiles(
  files: { path: string; content: string | null }[],
  secrets: { key: string; value: string }[],
): SecretInFile[] {
  if (secrets.length === 0) return [];
  const matcherOf = (formsOf: (value: string) => string[]) =>
    createFormMatcher(
      secrets.slice(0, MAX_SECRETS).map(({ key, value }) => ({ key, forms: formsOf(value) })),
    );
  const matchWritten = matcherOf((value) => secretForms(value).map(utf8Bytes));
  const matchUnescaped = matcherOf(unescapedForms);
  const matchBase64 = matcherOf(base64Forms);
  const matchHex = matcherOf(hexForms);
  return files.slice(0, MAX_FILES).flatMap(({ path, content }) => {
    const found = new Set<string>();
    for (const bytes of [new TextEncoder().encode(path), decode(content)]) {
      const buffer = bufferBytes(bytes);
      matchWritten(buffer, found);
      undoEscapes(buffer);
      matchUnescaped(buffer, found);
      for (const base of BASES) {
        const numbers = numbersIn(buffer, base);
        undoEscapes(numbers);
        matchUnescaped(numbers, found);
      }
      keepBase64(buffer);
      matchBase64(buffer, found);
      keepHex(buffer);
      matchHex(buffer, found);
    }
    return secrets.filter(({ key }) => found.delete(key)).map(({ key }) => ({ path, key }));
  });
}

/** Returns bytes and not a string, because a file need not be text. */
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
