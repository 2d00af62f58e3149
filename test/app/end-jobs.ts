import { until } from '../e2e-github/until.ts';
import type { AppDesk } from './app-desk.ts';

/** Cancels what was dispatched and waits until GitHub has said so: nothing of it comes after the end of a test. */
export async function endJobs({ github }: AppDesk): Promise<void> {
  await github.workflows.close();
  const started = github.workflows.runs.filter(({ status }) => status !== 'queued').length;
  await until('the jobs ended', () => {
    const told = github.webhooks.deliveries.filter(
      ({ event, payload }) =>
        event === 'workflow_run' && (payload as { action?: string }).action === 'completed',
    );
    return told.length >= started;
  });
}
