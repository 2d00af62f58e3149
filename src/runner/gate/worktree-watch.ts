import type { Workspace } from '../workspace/workspace.ts';
import { WorktreeGoneError } from '../workspace/worktree-gone.ts';
import type { WriteVerdict } from './write-policy.ts';

/** Looking takes at most a tenth of the time, however large the worktree is. */
const COST_FACTOR = 10;

/** A write that was found in the worktree and is not allowed. */
export type Violation = Extract<WriteVerdict, { ok: false }>;

export type WatchOptions = {
  workspace: Pick<Workspace, 'changedPaths'>;
  /** `changed` has the paths accepted so far. It has the path itself only if that was accepted before. */
  judge(path: string, changed: ReadonlySet<string>): WriteVerdict;
  /** Called once for each violation, and again if it was reverted and came back. The next look waits for it. */
  onViolation(violations: Violation[]): void | Promise<void>;
  /** Called once when the worktree is gone, until it is back. */
  onGone?(): void | Promise<void>;
  /** Called when a look failed for another reason. The watch continues. */
  onProblem?(error: unknown): void;
  intervalMs?: number;
  setTimer?(work: () => void, ms: number): () => void;
  now?(): number;
};

type WorktreeWatch = {
  /** Looks now, or after the current look. */
  check(): Promise<void>;
  /** Runs the work when no look is running. */
  betweenLooks(work: () => Promise<void>): Promise<void>;
  /** Resolves after the current look. */
  stop(): Promise<void>;
};

/** Finds writes of agents without a gate soon after they are made, so that the caller can revert them. */
export function watchWorktree(options: WatchOptions): WorktreeWatch {
  const { intervalMs = 500, setTimer = startTimer, now = () => performance.now() } = options;
  const accepted = new Set<string>();
  const reported = new Set<string>();
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
    for (const known of [accepted, reported])
      for (const path of known) if (!present.has(path)) known.delete(path);
    const violations: Violation[] = [];
    for (const path of paths) {
      const verdict = options.judge(path, accepted);
      if (verdict.ok) {
        accepted.add(path);
        reported.delete(path);
      } else if (!reported.has(path)) {
        accepted.delete(path);
        reported.add(path);
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
    betweenLooks(work) {
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
  // The watch must not keep the process alive.
  timer.unref();
  return () => clearTimeout(timer);
}
