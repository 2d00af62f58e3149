import type { Escalation } from '../../contracts/escalation.ts';

/** The last errors before the question, oldest first, for the agent's instruction. */
export function errorHistory(pending: Escalation): string[] {
  const seen = pending.triggers.flatMap((trigger) => trigger.evidence.occurrences ?? []);
  // The context lists the newest first.
  const errors = seen.length > 0 ? seen : pending.context.errors.toReversed();
  if (errors.length === 0) return [`- ${pending.question}`];
  return errors.slice(-5).map(({ turn, operation, error }) => {
    const where = error.file ? ` at ${error.file}${error.line ? `:${error.line}` : ''}` : '';
    return `- turn ${turn}, ${operation}: ${error.message}${where}`;
  });
}
