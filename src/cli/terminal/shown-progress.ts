import type { JobProgress } from '../../runner/job/job.ts';

/**
 * Without the output of an agent and its tools, which the screen does not show. It may be long, and all that is shown is searched
 * for secrets.
 */
export function shownProgress(progress: JobProgress): JobProgress | undefined {
  if (progress.type === 'stderr') return undefined;
  if (progress.type !== 'agent') return progress;
  switch (progress.event.type) {
    case 'action':
      return { ...progress, event: { ...progress.event, output: '' } };
    case 'tool_started':
    case 'retry':
      return progress;
    default:
      return undefined;
  }
}
