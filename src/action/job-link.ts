import type { BlockedReport } from '../core/contracts/blocked-report.ts';
import { Claim, type Measured } from '../core/contracts/envelope.ts';
import type { Escalation } from '../core/contracts/escalation.ts';
import type { GuardLimits } from '../core/contracts/guard.ts';
import type { Orders } from '../core/contracts/orders.ts';
import type { TurnRecord } from '../core/contracts/run-event.ts';
import type { Verification } from '../core/contracts/verification.ts';
import { type MeasuredReport, measureReport } from '../core/measured-report.ts';
import type { Link } from '../core/ports/ports.ts';
import { hideInEnvelope, hideInReport } from '../core/secrets/hide-in-claims.ts';
import { isSecret } from '../core/secrets/secrets-of-run.ts';
import { RULES } from '../guards/rules.ts';
import { passedValue, secretsIn } from '../runner/job/actions-secrets.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';

const CREDENTIAL_NAME = /(^|_)(\w*key|\w*token|secrets?|passw(or)?d|credentials?|auth)(_|$)/i;

/** What the job said, kept for its summary. */
export interface Said {
  baseline?: Verification;
  turns: TurnRecord[];
}

/**
 * The link as the runner uses it: work is saved before the claim that speaks of it, so that the desk never acts on work it does
 * not have; no value reaches agent or log before the log hides it; and a job that stops for a person leaves a report of why.
 */
export function createJobLink(
  link: Link,
  parts: {
    log: Pick<ActionLog, 'group' | 'mask'>;
    said: Said;
    /** What the agent is given: Actions secrets that people named are in it. */
    env: Readonly<Record<string, string>>;
    limits: GuardLimits;
    /** Who works on the run from now on. */
    onAgent(name: string): void;
    saveChanges(): Promise<void>;
    saveCheckpoint(): Promise<void>;
    saveReport(report: BlockedReport): Promise<void>;
  },
): Link {
  const { log, said } = parts;
  /** What no file may show. */
  const values = new Set(credentialsIn(parts.env));
  /** What no claim may show. */
  const unsaid = new Set<string>();
  /** Undefined: the desk does not say which are secret, so all are. */
  let secretKeys: ReadonlySet<string> | undefined;
  let limits = parts.limits;
  /** The run's newest report of the agent, as the desk knows it. */
  let earlier: BlockedReport | undefined;
  /** The agent's own since the last question. */
  let own: BlockedReport | undefined;
  /** Of the open question; written when no agent runs that could lead it elsewhere. */
  let due: BlockedReport | undefined;

  const masked = new Set<string>();
  const hide = (value: string): void => {
    if (!masked.has(value)) log.mask(value);
    masked.add(value);
    values.add(value);
  };
  const learn = (orders: Orders): Orders => {
    for (const { name } of secretsIn(orders)) {
      const value = passedValue(parts.env, name);
      if (value === undefined) continue;
      hide(value);
      unsaid.add(value);
    }
    if (orders.do === 'work') {
      parts.onAgent(orders.agent);
      secretKeys = orders.secret_inputs && new Set(orders.secret_inputs);
      limits = orders.limits;
      earlier = orders.blocked_report;
      due = undefined;
    }
    return orders;
  };
  const saveDue = async () => {
    if (due) await parts.saveReport(hideInReport(due, [...values]));
  };

  return {
    ...link,
    orders: async () => learn(await link.orders()),
    ordersAfterWait: async (signal) => learn(await link.ordersAfterWait(signal)),
    async openInputs(refs) {
      const opened = await link.openInputs(refs);
      for (const [key, value] of Object.entries(opened)) {
        if (secretKeys && !isSecret(secretKeys, key, value)) continue;
        hide(value);
        unsaid.add(value);
      }
      return opened;
    },
    async report(given) {
      const envelope = hideInEnvelope(given, [...unsaid], RULES);
      const claim = Claim.safeParse({ type: envelope.type, data: envelope.data }).data;
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
          own = record.read?.report?.blocked_report ?? own;
          if (own) await parts.saveReport(hideInReport(own, [...values]));
          await parts.saveChanges();
          break;
        }
        case 'agent_frozen':
          await saveDue();
          break;
        case 'parked':
        case 'handed_over':
          await saveDue();
          await parts.saveChanges();
          await parts.saveCheckpoint();
          break;
        default:
          break;
      }
      const orders = learn(await link.report(envelope));
      const measured = claim && 'measured' in claim.data ? claim.data.measured : undefined;
      if (orders.do === 'wait' && claim && measured) {
        due = own ?? measuredReport(claim, measured, limits, earlier);
        own = undefined;
        if (claim.type !== 'tripped') await saveDue();
      }
      return orders;
    },
  };
}

/** B-7: the desk's own limits say what tripped. */
function measuredReport(
  claim: Claim,
  measured: Measured,
  limits: GuardLimits,
  earlier: BlockedReport | undefined,
): MeasuredReport {
  const { context } = measured;
  const tripped = RULES.tripped(measured.guards, limits);
  const progress = { turn: context.turn, max_turns: context.max_turns ?? 0 };
  const question = tripped.length > 0 ? RULES.describe(tripped, progress) : undefined;
  return measureReport({
    headline: question?.headline ?? 'the run stopped for a person to decide',
    category: question?.category,
    triggers: question?.triggers ?? [],
    context,
    missing: missingReport(claim, measured),
    earlier,
  });
}

function missingReport(claim: Claim, { exit }: Measured): Escalation['report_missing'] {
  const read = claim.type === 'turn_ended' ? claim.data.record.read : undefined;
  if (read && read.problems.length > 0) return { kind: 'invalid', problems: read.problems, raw: read.raw };
  if (claim.type === 'turn_ended' && !read && exit !== undefined && exit !== 'exit 0')
    return { kind: 'died', problems: [], exit };
  return { kind: 'none', problems: [] };
}

/** The values in an environment whose variable names are those of credentials. */
function credentialsIn(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name]) => CREDENTIAL_NAME.test(name))
    .map(([, value]) => value);
}
