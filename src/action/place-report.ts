import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The directory below RUNNER_TEMP that the workflow uploads as `autobuild-report`. */
const UPLOADED = 'autobuild-report';

/**
 * Leaves the blocked report where the workflow uploads it, or nothing. It is outside the worktree, because an upload follows the
 * links that an agent made there, and waits for ever at a pipe.
 */
export async function placeReport(temporary: string, text: string | undefined): Promise<void> {
  const directory = join(temporary, UPLOADED);
  // Without a box the agent can write here, so whatever is in the place of the directory goes. A link is not followed.
  await rm(directory, { recursive: true, force: true });
  if (text === undefined) return;
  await mkdir(directory, { mode: 0o700 });
  await writeFile(join(directory, 'blocked_report.json'), text, { flag: 'wx', mode: 0o600 });
}
