import { showCommand } from '../contracts/command.ts';
import type { Escalation } from '../contracts/escalation.ts';
import type { ProposedWrite } from '../contracts/guard.ts';
import { isPlainPath } from './path-pattern.ts';
import { sensitivitiesOf } from './sensitive-path.ts';

const MOST_NAMED = 5;

/**
 * The line that approves these files. It names them, unless they are many or one of them would not be read as it is. R-8: a path
 * that is typed allows any content of the file, so for sensitive files it is the line that allows the content of the question.
 */
export function approvalLine(proposed: readonly Pick<ProposedWrite, 'path' | 'guarded_by'>[]): string {
  const paths = [...new Set(proposed.map(({ path }) => path))];
  const isOrdinary = proposed.every(
    ({ path, guarded_by = [] }) => guarded_by.length === 0 && sensitivitiesOf(path).length === 0,
  );
  const isNamed = isOrdinary && paths.length <= MOST_NAMED && paths.every(isPlainPath);
  return showCommand({ name: 'approve', ...(isNamed && { paths }) });
}

/**
 * The line for a command whose paths cannot be read. Only an open question knows which paths are meant; a made-up one would be
 * pasted as it is.
 */
export function suggestPaths(
  { suggestion, isAboutPaths }: { suggestion?: string; isAboutPaths?: true },
  pending: Escalation | undefined,
): string | undefined {
  const proposed = isAboutPaths ? pending?.triggers.flatMap(({ evidence }) => evidence.proposed ?? []) : [];
  return proposed?.length ? approvalLine(proposed) : suggestion;
}
