import type { WorkflowJob } from './ports/github/workflow-port.ts';

/**
 * How long the job worked that Actions cancelled, in milliseconds. Both times are GitHub's, so that it does not matter how late
 * the job claimed. Undefined if GitHub does not say.
 */
export function workedFor(jobs: readonly WorkflowJob[]): number | undefined {
  const times = jobs.flatMap(({ conclusion, began_at, ended_at }) =>
    conclusion === 'cancelled' && began_at !== undefined && ended_at !== undefined
      ? [Date.parse(ended_at) - Date.parse(began_at)]
      : [],
  );
  return times.length > 0 ? Math.max(...times) : undefined;
}
