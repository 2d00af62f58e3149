import { secretForms, utf8Bytes } from './secret-forms.ts';

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
 * Which files hold a value that was given in secret, in any of the forms it could be written in. A path, too, is something people
 * read. What is no base64 holds nothing: the changeset's own check refuses it.
 */
export function findSecretsInFiles(
  files: { path: string; content: string | null }[],
  secrets: { key: string; value: string }[],
): SecretInFile[] {
  const sought = secrets
    .slice(0, MAX_SECRETS)
    .map(({ key, value }) => ({ key, forms: secretForms(value).map(utf8Bytes) }))
    .filter(({ forms }) => forms.length > 0);
  if (sought.length === 0) return [];
  return files.slice(0, MAX_FILES).flatMap(({ path, content }) => {
    const texts = [utf8Bytes(path), decode(content)];
    return sought
      .filter(({ forms }) => forms.some((form) => texts.some((text) => text.includes(form))))
      .map(({ key }) => ({ path, key }));
  });
}

/** The files need not be text, so bytes are compared. */
function decode(content: string | null): string {
  if (content === null || content.length > MAX_CONTENT_CHARS) return '';
  try {
    return atob(content);
  } catch {
    return '';
  }
}
