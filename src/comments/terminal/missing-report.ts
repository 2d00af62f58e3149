import type { TurnRecord } from '../../core/contracts/run-event.ts';
import type { RunState } from '../../core/contracts/run-state.ts';

/** Said after the first turn of the run that only lacks a report, because nothing else tells why it continues. */
export function missingReport({ turns }: Pick<RunState, 'turns'>): string | undefined {
  const isFirst = turns.findIndex(lacksOnlyReport) === turns.length - 1;
  return turns.length > 0 && isFirst
    ? '  ! all checks pass, but the agent left no report in $AUTOBUILD_REPORT, which counts as partial: docs/agents.md#the-report'
    : undefined;
}

function lacksOnlyReport({ kind, read, verification, failed }: TurnRecord): boolean {
  return kind === 'normal' && !read && !failed && verification?.ok === true;
}
