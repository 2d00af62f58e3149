import type { BaseVerification } from '../../../core/contracts/verification.ts';
import { code } from '../../text/harmless.ts';
import { count, list } from '../../text/words.ts';

const FILES_SHOWN = 5;
const FAILURES_SHOWN = 5;

/** Explains the second run: the files that had the versions of the default branch, and what fails with them. */
export function explainBaseRun({ verification, paths, files }: BaseVerification): string {
  const shown = paths.slice(0, FILES_SHOWN).map((path) => code(path, 120));
  const more = files > shown.length ? [count(files - shown.length, 'more file')] : [];
  const changed = `The work changes files that the checks depend on: ${list([...shown, ...more])}.`;
  if (verification.ok)
    return `${changed} With the default branch's versions of them all checks pass as well.`;
  return `${changed} With the default branch's versions of them these fail: ${list(failuresOf(verification), FAILURES_SHOWN)}.`;
}

/** Tests by their names where a check has them. */
function failuresOf({ checks }: BaseVerification['verification']): string[] {
  return checks
    .filter(({ ok }) => !ok)
    .flatMap(({ command, tests }) => (tests?.failing.length ? tests.failing : [command]))
    .map((name) => code(name, 120));
}
