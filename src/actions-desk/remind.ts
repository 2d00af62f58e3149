import { GitHubError } from '../core/ports/github-port.ts';
import type { DeskParts } from './desk-parts.ts';
import { hearEvent } from './hear-event.ts';
import { closeDesk } from './open-desk.ts';
import { workOnIssue } from './work-on-issue.ts';

/**
 * The daily round: what is due for the open runs of the repository, such as reminders and the expiry of questions. One machine
 * for all of them. The state of an issue that cannot be used keeps no other one waiting, and fails the job at the end, so that a
 * person sees it.
 */
export async function remind(given: DeskParts): Promise<void> {
  // No job follows in this Actions run, so a job that is needed is a run of its own.
  const parts: DeskParts = { ...given, job: { ...given.job, part: 'remind' } };
  const failed: string[] = [];
  for (const issue of await parts.openIssues()) {
    try {
      await lookAfter(parts, issue);
    } catch (error) {
      if (error instanceof GitHubError && error.retryAfter !== undefined) throw error;
      // The desk that took it over does what is due.
      if (parts.isTakenOver(error)) continue;
      failed.push(`#${issue}: ${(error as Error).message}`);
    }
  }
  if (failed.length > 0) throw new Error(`Nothing was done for ${failed.join('\n')}`);
}

async function lookAfter(parts: DeskParts, issue: number): Promise<void> {
  await workOnIssue(parts, issue, async (desk) => {
    // An answer whose event was lost has to be read before its question expires.
    await hearEvent(parts, desk, undefined);
    await closeDesk(parts, desk, async () => undefined);
  });
}
