import type { Escalation } from '../core/contracts/escalation.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import { measureReport } from '../core/measured-report.ts';
import { repairStateDir, stateDirOf, writeStateFile } from '../runner/job/repair-state-dir.ts';
import type { RunFile } from './home.ts';

type Where = Pick<RunFile, 'worktree' | 'state_dir'>;

/** B-7: a run that stops for a person leaves a report. If the agent gave none, it is made of the measured facts. */
export async function saveReportOf(
  escalation: Escalation,
  state: RunState,
  where: Where,
): Promise<string | undefined> {
  const { blocked_report, report_missing: missing } = escalation;
  const report = blocked_report ?? measureReport({ ...escalation, missing, earlier: state.blocked_report });
  return saveBlockedReport(report, state, where);
}

/** A worktree that cannot be written to must not fail the run, because the report is in the journal already. Returns the problem. */
export async function saveBlockedReport(
  report: unknown,
  { task }: RunState,
  { worktree, state_dir }: Where,
): Promise<string | undefined> {
  const stateDir = stateDirOf(worktree, state_dir, task.id);
  const text = `${JSON.stringify(report, null, 2)}\n`;
  try {
    await repairStateDir(worktree, stateDir);
    await writeStateFile(worktree, stateDir, { name: 'blocked_report.json', text, mode: 0o600 });
  } catch (error) {
    return `The blocked report could not be saved in the worktree: ${(error as Error).message}`;
  }
}
