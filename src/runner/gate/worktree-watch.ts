import type { Workspace } from '../workspace/workspace.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import type { WriteVerdict } from './write-policy.ts';

/** Scanning takes at most a tenth of the time, however large the worktree is. */
const COST_FACTOR = 10;

/** A path that is written already and should not have been. */
export type Violation = Extract<WriteVerdict, { ok: false }>;

export type WatchOptions = {
  workspace: Pick<Workspace, 'changedPaths'>;
  /** `changed` holds the paths accepted so far, never the path itself unless it was accepted before. */
  judge(path: string, changed: ReadonlySet<string>): WriteVerdict;
  /** Each violation is told once, and again when it was put back and came back. The next look waits for this. */
  onViolation(violations: Violation[]): void | Promise<void>;
  /** The worktree is not there any more. Told once until it is back. */
  onGone?(): void | Promise<void>;
  /** A look that failed for another reason; the watch goes on. */
  onProblem?(error: unknown): void;
  intervalMs?: number;
  setTimer?(work: () => void, ms: number): () => void;
  now?(): number;
};

type WorktreeWatch = {
  /** Looks now, or as soon as the look under way has ended. */
  check(): Promise<void>;
  /** Does the work while nobody looks. */
  between(work: () => Promise<void>): Promise<void>;
  /** Resolves when the look under way, if any, has ended. */
  stop(): Promise<void>;
};

/** For agents without a gate: what they wrote is found soon after, so that the caller can put it back. */
export function watchWorktree(options: WatchOptions): WorktreeWatch {
  const { intervalMs = 500, setTimer = startTimer, now = () => performance.now() } = options;
  const accepted = new Set<string>();
  const told = new Set<string>();
  let gone = false;
  let stopped = false;
  let cost = 0;
  let cancelTimer: () => void = () => undefined;
  let looking: Promise<void> = Promise.resolve();

  const look = async (): Promise<void> => {
    const started = now();
    let paths: string[];
    try {
      paths = await options.workspace.changedPaths();
      gone = false;
    } catch (error) {
      if (!(error instanceof WorktreeGoneError)) throw error;
      if (!gone) {
        gone = true;
        await options.onGone?.();
      }
      return;
    } finally {
      cost = now() - started;
    }
    const present = new Set(paths);
    for (const known of [accepted, told])
      for (const path of known) if (!present.has(path)) known.delete(path);
    const violations: Violation[] = [];
    for (const path of paths) {
      const verdict = options.judge(path, accepted);
      if (verdict.ok) {
        accepted.add(path);
        told.delete(path);
      } else if (!told.has(path)) {
        accepted.delete(path);
        told.add(path);
        violations.push(verdict);
      }
    }
    if (violations.length > 0) await options.onViolation(violations);
  };
  const check = (): Promise<void> => {
    if (stopped) return looking;
    const next = looking.then(() => (stopped ? undefined : look()));
    looking = next.catch(() => undefined);
    return next;
  };
  const arm = (): void => {
    if (stopped) return;
    cancelTimer = setTimer(
      () => {
        check()
          .catch((error: unknown) => options.onProblem?.(error))
          .then(arm);
      },
      Math.max(intervalMs, cost * COST_FACTOR),
    );
  };
  arm();
  return {
    check,
    between(work) {
      const next = looking.then(work);
      looking = next.catch(() => undefined);
      return next;
    },
    stop: () => {
      stopped = true;
      cancelTimer();
      return looking;
    },
  };
}

function startTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms);
  // The run decides when the process ends, not the watch.
  timer.unref();
  return () => clearTimeout(timer);
}
