import type { CheckResult, ErrorSighting, Verification } from '../../core/contracts/verification.ts';
import { normalizeError, sightErrors } from '../../core/errors/error-signature.ts';
import { findExternalBlocker } from '../../core/errors/external-blocker.ts';
import { stripAnsi } from '../../core/errors/plain-lines.ts';
import type { Enter } from '../process/enter.ts';
import { describeHiddenService } from './hidden-service.ts';
import { findReports, readNewReports } from './junit-reports.ts';
import { type CommandEnd, runCheckCommand } from './run-check-command.ts';
import { scrubEnv } from './scrub-env.ts';
import { readJunitFiles } from './test-counts/junit-xml.ts';
import { readTestCounts } from './test-counts/read-test-counts.ts';
import { sumCounts } from './test-counts/test-count-reader.ts';

const OUTPUT_TAIL_CHARS = 8 * 1024;

export type VerificationOptions = {
  commands: readonly string[];
  cwd: string;
  /** The caller must have removed the operator's inputs (`scrubEnv`). Model keys and tokens are removed here in any case. */
  env: Record<string, string>;
  /** The limit for each single command. */
  timeoutMs: number;
  /** JUnit reports (paths or globs below `cwd`). A report that a command writes is preferred to its printed output. */
  junit?: readonly string[];
  signal?: AbortSignal;
  /** The box that the commands run in. Left out: none. */
  enter?: Enter;
  /** True if that box hides services of the machine. */
  hidesServices?: boolean;
  now(): Date;
  onProgress?(command: string, phase: 'started' | 'finished'): void;
};

/**
 * Runs every check, even after one has failed, because whether the build, the tests and the linter pass are separate facts.
 * A command that fails, hangs or does not exist is a result and not an exception. Without commands, or when aborted, `ok` is false.
 */
export async function runVerification(options: VerificationOptions): Promise<Verification> {
  const at = options.now().toISOString();
  const env = scrubEnv(options.env, []);
  const checks: CheckResult[] = [];
  for (const command of options.commands) {
    if (options.signal?.aborted) break;
    options.onProgress?.(command, 'started');
    checks.push(await runCheck(command, env, options));
    options.onProgress?.(command, 'finished');
  }
  const complete = checks.length > 0 && checks.length === options.commands.length;
  const tests = sumCounts(checks.flatMap((check) => check.tests ?? []));
  return { at, ok: complete && checks.every((check) => check.ok), checks, ...(tests ? { tests } : {}) };
}

async function runCheck(
  command: string,
  env: Record<string, string>,
  { cwd, timeoutMs, junit = [], signal, enter, hidesServices, now }: VerificationOptions,
): Promise<CheckResult> {
  const reports = await findReports(cwd, junit);
  const start = now().getTime();
  const end = await runCheckCommand({ command, cwd, env, timeoutMs, signal, enter });
  const duration = Math.max(0, now().getTime() - start);

  const ok = end.exitCode === 0 && !end.timedOut && !end.aborted;
  const written = readJunitFiles(await readNewReports(cwd, junit, reports));
  const tests = written ?? readTestCounts(end.output);
  const blocker = ok || end.aborted ? undefined : findExternalBlocker(end.output, { command, worktree: cwd });
  const problem = hidesServices ? describeHiddenService(command, end.output) : undefined;
  const hidden = problem === undefined ? [] : [sighting(problem)];
  return {
    command,
    ok,
    exit_code: end.exitCode,
    timed_out: end.timedOut,
    duration_ms: duration,
    output_tail: stripAnsi(end.output).slice(-OUTPUT_TAIL_CHARS),
    ...(tests ? { tests } : {}),
    errors: ok ? [] : [...hidden, ...listErrors(command, end, cwd, timeoutMs)],
    ...(blocker ? { blocker } : {}),
  };
}

function listErrors(command: string, end: CommandEnd, cwd: string, timeoutMs: number): ErrorSighting[] {
  // The output before a timeout or an abort is not searched, because the errors in it did not cause the failure.
  if (end.timedOut) return [sighting(`\`${command}\` did not finish within ${timeoutMs / 1_000} s`)];
  if (end.aborted) return [sighting(`\`${command}\` was stopped`)];
  if (end.output.trim() === '')
    return [sighting(`\`${command}\` exited with ${end.exitCode ?? 'a signal'} and printed nothing`)];
  const root = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return sightErrors(end.output).map((error) =>
    error.file?.startsWith(root) ? { ...error, file: error.file.slice(root.length) } : error,
  );
}

function sighting(message: string): ErrorSighting {
  return { message, signature: normalizeError(message) };
}
