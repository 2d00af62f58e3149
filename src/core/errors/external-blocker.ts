import type { ExternalBlocker } from '../contracts/verification.ts';
import { findApiUnavailable } from './external-blocker/api-unavailable.ts';
import type { BlockerContext, BlockerFinder } from './external-blocker/blocker-finder.ts';
import { findMissingDependency } from './external-blocker/missing-dependency.ts';
import { findPermissionDenied } from './external-blocker/permission-denied.ts';
import { readFailureLines } from './plain-lines.ts';

const FINDERS: readonly BlockerFinder[] = [findApiUnavailable, findMissingDependency, findPermissionDenied];

/** Test names and quoted source. Their words describe what is tested and not what happened. */
const NAMED_OR_QUOTED =
  /^(?:[✓✔√×✗✖↓●○◌□⚠﹣▶] |❯ (?!.*:\d+:\d+$)|(?:not )?ok \d|(?:PASS|FAIL|PASSED|FAILED|SKIPPED)\s|--- (?:PASS|FAIL|SKIP):|=== (?:RUN|PAUSE|CONT|NAME)|# Subtest|test .{1,300} \.\.\. |[^\s:]{1,300}::\S.{0,300}(?:PASSED|FAILED)|\d+\) |describe\(|it\(|test\(|>?\s{0,8}\d{0,7}\s{0,8}[|│]|> {2,}|[-+] )/;

/** Assertions compare texts, so `expected 'Permission denied' to be …` does not mean that a permission is missing. */
const ASSERTION =
  /\bAssertion(?:Error|FailedError)\b|^\s*(?:E\s+)?(?:assert\b|[Ee]xpected\b|[Rr]eceived\b|[Aa]ctual\b|[-+?] )|\bexpect(?:ed)?\(|\bto(?:Throw|Be|Equal|Match|Contain)\w*\(|\bexpected ['"`\d].* to \w+|\bassertion (?:`|failed)|^\s*(?:left|right): /;

/**
 * The first problem in a failed operation's output that is outside the repository, so that the agent cannot fix it. Only for
 * operations that failed. A `transient` blocker counts only if the retry fails too.
 */
export function findExternalBlocker(
  output: string,
  context: BlockerContext = {},
): ExternalBlocker | undefined {
  const lines = readFailureLines(output);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || NAMED_OR_QUOTED.test(line.trimStart()) || ASSERTION.test(line)) continue;
    for (const find of FINDERS) {
      const found = find(lines, at, context);
      if (found) return found;
    }
  }
  return undefined;
}
