/** Handles every run, also after one that fails. The failure is thrown at the end, so that the webhook is retried for that one. */
export async function forEachRun(runs: string[], work: (run: string) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const run of runs) {
    try {
      await work(run);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${runs.length} runs failed.`);
}
