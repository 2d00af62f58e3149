import { isCommonValue } from '../core/secrets/common-value.ts';
import { createSecretHider } from '../core/secrets/hide-secrets.ts';
import { findSecretsInFiles } from '../core/secrets/secrets-in-changeset.ts';
import type { Changeset } from '../core/work/changeset.ts';

/**
 * The work without the files that contain a secret of the job's environment. The desk does not have those values, so it could not
 * find them later. Common words such as `development` stay, because files contain them by coincidence, unless a question asked
 * for this one as a secret: then it is treated as the desk treats a value that was given to it.
 */
export function leaveOutSecrets(
  changeset: Changeset,
  values: readonly string[],
  asked: readonly string[] = [],
): Changeset {
  const secrets = values.flatMap((value, index) =>
    isCommonValue(value) && !asked.includes(value) ? [] : [{ key: String(index), value }],
  );
  const found = new Set(findSecretsInFiles(changeset.files, secrets).map(({ path }) => path));
  if (found.size === 0) return changeset;
  const { hideValues } = createSecretHider(secrets.map(({ value }) => value));
  const leftOut = [...found].map((path) => ({
    path: hideValues(path),
    problem: 'it contains a secret of the job',
  }));
  return {
    ...changeset,
    files: changeset.files.filter(({ path }) => !found.has(path)),
    left_out: [...changeset.left_out, ...leftOut],
  };
}
