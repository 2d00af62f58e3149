import type { DeskParts, IssueState } from './desk-parts.ts';
import { type OpenDesk, openDesk } from './open-desk.ts';
import { tellUnusable } from './tell-unusable.ts';

/** Another desk may take the state over once or twice; more often means that something is wrong. */
const TRIES = 3;
/** The log says this often that the desk waits. */
const WAIT_MS = 60_000;
/** A desk needs this much of its job's time once it has the state. */
const WORK_MS = 150_000;

/**
 * Opens an issue and works on it. A desk that another one was faster than begins again with what that one left. The first try
 * takes the lease only when it saves, because desks of one issue seldom meet; then nothing was written to GitHub before.
 * `canShrink`: the caller tries again with less if the state becomes too large.
 */
export async function workOnIssue<Result>(
  parts: DeskParts,
  issue: number,
  work: (desk: OpenDesk) => Promise<Result>,
  { canShrink = false }: { canShrink?: boolean } = {},
): Promise<Result> {
  const { log } = parts.job;
  for (let attempt = 1; ; attempt += 1) {
    const desk = await openDesk(parts, issue, await takeState(parts, issue, attempt));
    try {
      return await work(desk);
    } catch (error) {
      await desk.state.abandon();
      if (!parts.isTakenOver(error) || attempt >= TRIES) {
        if (!canShrink || !parts.isTooLarge(error)) await tellUnusable(parts, issue, error);
        throw error;
      }
      const fields = { issue, attempt, error: String(error) };
      log.warn(fields, 'another desk has the state, so this one begins again');
    }
  }
}

/** Waits for another desk for as long as this job has the time. The daily round has other issues to look after. */
async function takeState(parts: DeskParts, issue: number, attempt: number): Promise<IssueState> {
  const { job, openState, isBusy } = parts;
  const lease = attempt === 1 ? 'at first save' : 'now';
  for (;;) {
    const left = job.endsAt.getTime() - job.now().getTime() - WORK_MS;
    try {
      return await openState(issue, { lease, waitMs: Math.max(0, Math.min(WAIT_MS, left)) });
    } catch (error) {
      await tellUnusable(parts, issue, error);
      if (!isBusy(error) || left <= WAIT_MS || job.part === 'remind') throw error;
      const fields = { issue, minutesLeft: Math.floor((left - WAIT_MS) / 60_000) };
      job.log.warn(fields, `this job waits for the state: ${(error as Error).message}`);
    }
  }
}
