import { GitHubError } from '../../core/ports/github-port.ts';

const UNNAMED = /resource not accessible|not found/i;
const HAS_SECRET = /secret/i;

/**
 * For workflow files, GitHub does not name the missing permission: it responds that they do not exist, or asks for both
 * permissions. A commit that was created and may not be put on a branch misses it too, even if the work has no such file: those
 * of the default branch have changed since the run began.
 */
export function explainCommit(
  error: unknown,
  { created, workflows }: { created: boolean; workflows: readonly string[] },
): unknown {
  if (!(error instanceof GitHubError) || error.retryAfter !== undefined || error.unreachable) return error;
  const { status, message, missingPermission, cause } = error;
  // Push protection. It is not a conflict that goes away with time.
  if (status === 409 && HAS_SECRET.test(message)) return new GitHubError(message, { status: 422 }, { cause });
  if ((status !== 403 && status !== 404) || !UNNAMED.test(message)) return error;
  const isNamed = missingPermission === undefined || missingPermission.includes('workflows');
  if (!created && !(workflows.length > 0 && isNamed)) return error;
  const details = { status: 403, missingPermission: 'workflows=write', files: workflows };
  return new GitHubError(message, details, { cause });
}
