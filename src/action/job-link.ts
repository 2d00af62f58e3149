import type { BlockedReport } from '../core/blocked-report.ts';
import { Claim } from '../core/envelope.ts';
import type { Link } from '../core/ports.ts';
import type { TurnRecord } from '../core/run-event.ts';
import type { Verification } from '../core/verification.ts';
import type { ActionLog } from '../runner/workflow-commands.ts';

/** What the job said, kept for its summary. */
export interface Said {
  baseline?: Verification;
  turns: TurnRecord[];
  blockedReport?: BlockedReport;
}

/**
 * The link as the runner uses it: work is saved before the claim that speaks of it, so that the desk never acts on work it does
 * not have; and no value reaches agent or log before the log hides it.
 */
export function createJobLink(
  link: Link,
  parts: {
    log: Pick<ActionLog, 'group' | 'mask'>;
    said: Said;
    saveChanges(): Promise<void>;
    saveCheckpoint(): Promise<void>;
    onBlockedReport(report: BlockedReport): Promise<void>;
  },
): Link {
  const { log, said } = parts;
  return {
    ...link,
    async openInputs(refs) {
      const values = await link.openInputs(refs);
      for (const value of Object.values(values)) log.mask(value);
      return values;
    },
    async report(envelope) {
      const parsed = Claim.safeParse({ type: envelope.type, data: envelope.data });
      const claim = parsed.data;
      switch (claim?.type) {
        case 'baseline_recorded':
          said.baseline = claim.data.verification;
          break;
        case 'turn_started':
          log.group(`Turn ${envelope.turn}${claim.data.kind === 'debug' ? ', debugging' : ''}`);
          break;
        case 'turn_ended': {
          const { record } = claim.data;
          said.turns.push(record);
          const report = record.read?.report?.blocked_report;
          if (report) await parts.onBlockedReport(report);
          await parts.saveChanges();
          break;
        }
        case 'parked':
        case 'handed_over':
          await parts.saveChanges();
          await parts.saveCheckpoint();
          break;
        default:
          break;
      }
      return link.report(envelope);
    },
  };
}
