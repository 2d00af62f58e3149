import type { PartialProgress } from '../../core/contracts/agent/player-report.ts';
import type { Brief } from '../../core/contracts/brief.ts';
import type { Measured } from '../../core/contracts/envelope.ts';
import type { EscalationContext } from '../../core/contracts/escalation.ts';
import type {
  ActionRecord,
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  Occurrence,
  PassRate,
  Trigger,
} from '../../core/contracts/guard.ts';
import { countedTokens, type Usage } from '../../core/contracts/run-event.ts';
import { score } from '../../core/contracts/verification.ts';
import { lastOutputOf } from '../../core/decide/last-output.ts';
import {
  initialStates,
  limitsInForce,
  metricsOf,
  observe,
  readStates,
  tripped,
} from '../../guards/observe.ts';

const ACTIONS_KEPT = 10;
const ERRORS_KEPT = 3;

/** Everything that is measured in a job: the guards' states, and the history that explains a question. */
export interface Meter {
  observe(event: GuardEvent): void;
  setLimits(limits: GuardLimits): void;
  tripped(): Trigger[];
  measured(exit?: string): Measured;
  states(): GuardStates;
  /** Guards that start counting from zero, because their stored state cannot be read, as after another version. */
  resetGuards: GuardId[];
}

export function createMeter(brief: Brief, usageSoFar: () => Usage): Meter {
  const kept = readStates(brief.guards);
  let states: GuardStates = { ...initialStates(), ...kept.states };
  let limits = brief.limits;
  let turn = brief.turn;
  let activeMs = brief.active_ms;
  let baseline: PassRate | undefined = brief.baseline && { turn: 0, ...score(brief.baseline) };
  const passRates: PassRate[] = [...brief.pass_rates];
  let failing: string[] = brief.baseline?.tests?.failing ?? [];
  let files = brief.changes.paths.length;
  let progress: PartialProgress | undefined;
  let lastOutput: EscalationContext['last_output'];
  const actions: ActionRecord[] = [];
  const errors: Occurrence[] = [];

  const remember = (event: GuardEvent): void => {
    switch (event.type) {
      case 'turn_started':
        turn = event.turn;
        break;
      case 'clock':
        activeMs = event.active_ms;
        break;
      case 'files_changed':
        files = event.paths.length;
        break;
      case 'baseline':
        baseline = { turn: 0, ...score(event.verification) };
        failing = event.verification.tests?.failing ?? [];
        lastOutput = lastOutputOf(event.at, event.verification) ?? lastOutput;
        break;
      case 'verified':
        passRates.push({ turn: event.turn, ...score(event.verification) });
        failing = event.verification.tests?.failing ?? [];
        lastOutput = lastOutputOf(event.at, event.verification) ?? lastOutput;
        for (const check of event.verification.checks) {
          keepAction({
            turn: event.turn,
            at: event.at,
            title: `${check.command}, run by Autobuild`,
            ok: check.ok,
            result: check.ok ? 'passed' : `exit ${check.exit_code ?? 'by a signal'}`,
          });
          for (const error of check.errors) keepError(event.turn, event.at, check.command, error);
        }
        break;
      case 'action_ended':
        if (event.kind === 'read' || event.kind === 'search') break;
        keepAction({
          turn: event.turn,
          at: event.at,
          title: event.title,
          ok: event.ok,
          result: event.ok ? 'ok' : event.refused ? 'refused' : (event.errors[0]?.message ?? 'failed'),
        });
        for (const error of event.errors) keepError(event.turn, event.at, event.operation, error);
        break;
      case 'report_received':
        progress = event.read.report.partial_progress ?? progress;
        break;
      default:
        break;
    }
  };
  const keepAction = (action: ActionRecord) => {
    actions.push(action);
    if (actions.length > ACTIONS_KEPT) actions.shift();
  };
  const keepError = (at: number, when: string, operation: string, error: Occurrence['error']) => {
    errors.unshift({ turn: at, at: when, operation, error, remediation: [] });
    if (errors.length > ERRORS_KEPT) errors.pop();
  };

  return {
    observe(event) {
      remember(event);
      states = observe(states, event);
    },
    setLimits(next) {
      limits = next;
    },
    tripped: () => tripped(states, limits),
    states: () => states,
    resetGuards: kept.unreadable,
    measured(exit) {
      const metrics = metricsOf(states);
      const inForce = limitsInForce(limits);
      const usage = usageSoFar();
      return {
        guards: states,
        metrics,
        exit,
        context: {
          turn,
          max_turns: inForce.turns,
          active_ms: activeMs,
          max_runtime_ms: inForce.minutes && inForce.minutes * 60_000,
          files,
          max_files: inForce.files,
          cost_usd: usage.cost_usd,
          tokens: countedTokens(usage),
          max_cost: inForce.cost ?? undefined,
          baseline,
          pass_rates: [...passRates],
          failing: failing.slice(0, 20),
          progress,
          last_output: lastOutput,
          errors: [...errors],
          recent_actions: [...actions],
          metrics,
        },
      };
    },
  };
}
