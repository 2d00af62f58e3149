import { readPlayerReport } from '../../src/core/contracts/agent/player-report.ts';
import type { GuardEvent } from '../../src/core/contracts/guard.ts';
import { AT } from './guard-events.ts';

/** A player's report, read as the runner reads it. */
export function reported(report: object): GuardEvent {
  const read = readPlayerReport(JSON.stringify(report));
  if (!read.report) throw new Error(`not a report: ${JSON.stringify(read.problems)}`);
  return { type: 'report_received', at: AT, turn: 1, read: { ...read, report: read.report } };
}
