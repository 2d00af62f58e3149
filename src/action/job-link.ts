import type { BlockedReport } from '../core/contracts/agent/blocked-report.ts';
import { Claim, type Measured } from '../core/contracts/envelope.ts';
import type { Escalation } from '../core/contracts/escalation.ts';
import type { GuardLimits } from '../core/contracts/guard.ts';
import { keyWords } from '../core/contracts/key-custody.ts';
import type { Orders } from '../core/contracts/orders.ts';
import type { TurnRecord } from '../core/contracts/run-event.ts';
import type { Verification } from '../core/contracts/verification.ts';
import { type MeasuredReport, measureReport } from '../core/measured-report.ts';
import type { Link } from '../core/ports/ports.ts';
import { isCommonValue } from '../core/secrets/common-value.ts';
import { hideInEnvelope, hideInReport } from '../core/secrets/hide-in-claims.ts';
import { secretsInEnvironment } from '../core/secrets/secrets-in-environment.ts';
import { isSecret } from '../core/secrets/secrets-of-run.ts';
import { RULES } from '../guards/rules.ts';
import { passedValue, secretsIn } from '../runner/job/actions-secrets.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';

/** The job's claims that its summary shows. */
export interface JobHistory {
  baseline?: Verification;
  turns: TurnRecord[];
}

/**
 * The link as the runner uses it. Work is saved before the claim that mentions it, so that the desk never acts on work
 * it does not have. A value is masked in the log before the agent or the log gets it. A job that stops for a person
 * leaves a report that says why.
 */
export function createJobLink(
  link: Link,
  options: {
    log: Pick<ActionLog, 'group' | 'mask' | 'print'>;
    history: JobHistory;
    /** The agent's environment. It includes the Actions secrets that people named. */
    env: Readonly<Record<string, string>>;
    /** Values that are secret from the start, whether or not a question names them. */
    secrets?: readonly string[];
    limits: GuardLimits;
    /** Called with the agent that works on the run from now on. */
    onAgent(name: string): void;
    saveChanges(): Promise<void>;
    saveCheckpoint(): Promise<void>;
    saveReport(report: BlockedReport): Promise<void>;
  },
): Link {
  const { log, history } = options;
  const inEnvironment = secretsInEnvironment(options.env);
  /** Values that no file may contain. */
  const hiddenInFiles = new Set([...inEnvironment, ...(options.secrets ?? [])]);
  /** Values that no claim may contain. Common words of the environment stay, because they stand there by coincidence. */
  const hiddenInClaims = new Set([
    ...inEnvironment.filter((value) => !isCommonValue(value)),
    ...(options.secrets ?? []),
  ]);
  /** The keys of secret inputs. Undefined means that the desk does not tell, so all are treated as secret. */
  let secretKeys: ReadonlySet<string> | undefined;
  let limits = options.limits;
  /** The newest report of the agent that the desk has. */
  let earlier: BlockedReport | undefined;
  /** The agent's report since the last question. */
  let own: BlockedReport | undefined;
  /**
   * The report of the open question. It is written only while no agent runs, because an agent could replace the path by
   * a symlink.
   */
  let due: BlockedReport | undefined;

  const masked = new Set<string>();
  const hide = (value: string): void => {
    if (!masked.has(value)) log.mask(value);
    masked.add(value);
    hiddenInFiles.add(value);
  };
  const learn = (orders: Orders): Orders => {
    for (const { name } of secretsIn(orders)) {
      const value = passedValue(options.env, name);
      if (value === undefined) continue;
      hide(value);
      hiddenInClaims.add(value);
    }
    if (orders.do === 'work') {
      options.onAgent(orders.agent);
      secretKeys = orders.secret_inputs && new Set(orders.secret_inputs);
      limits = orders.limits;
      earlier = orders.blocked_report;
      due = undefined;
    }
    return orders;
  };
  const saveDue = async () => {
    if (due) await options.saveReport(hideInReport(due, [...hiddenInFiles]));
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
        hiddenInClaims.add(value);
      }
      return opened;
    },
    async report(given) {
      const envelope = hideInEnvelope(given, [...hiddenInClaims], RULES);
      const claim = Claim.safeParse({ type: envelope.type, data: envelope.data }).data;
      switch (claim?.type) {
        case 'baseline_recorded':
          history.baseline = claim.data.verification;
          break;
        case 'turn_started':
          log.group(`Turn ${envelope.turn}${claim.data.kind === 'debug' ? ', debugging' : ''}`);
          if (claim.data.keys) log.print(`In this turn ${keyWords(claim.data.keys)}.`);
          break;
        case 'turn_ended': {
          const { record } = claim.data;
          history.turns.push(record);
          own = record.read?.report?.blocked_report ?? own;
          if (own) await options.saveReport(hideInReport(own, [...hiddenInFiles]));
          await options.saveChanges();
          break;
        }
        case 'agent_frozen':
          await saveDue();
          break;
        case 'parked':
        case 'handed_over':
          await saveDue();
          await options.saveChanges();
          await options.saveCheckpoint();
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

/** B-7: the desk's own limits decide which guards tripped. */
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
