import type {
  GuardEvent,
  GuardId,
  GuardLimits,
  GuardStates,
  ProposedWrite,
  Trigger,
} from '../../src/core/contracts/guard.ts';
import type { CheckResult, ErrorSighting, Verification } from '../../src/core/contracts/verification.ts';
import { GuardConfig } from '../../src/guards/guard-config.ts';
import { initialStates, observe, tripped } from '../../src/guards/observe.ts';

/** Events as the runner would send them, with what a test does not care about filled in. */

type Of<Type extends GuardEvent['type']> = Extract<GuardEvent, { type: Type }>;

export const AT = '2026-11-16T14:00:00.000Z';

export function error(message: string, file = 'src/auth.ts', line = 7): ErrorSighting {
  return { message, signature: message, file, line };
}

export function action(parts: Partial<Of<'action_ended'>> = {}): GuardEvent {
  const operation = parts.operation ?? 'npm test';
  return {
    type: 'action_ended',
    at: AT,
    turn: 1,
    kind: 'command',
    title: operation,
    operation,
    ok: true,
    refused: false,
    is_check: false,
    errors: [],
    ...parts,
  };
}

export function check(parts: Partial<CheckResult> = {}): CheckResult {
  const ok = parts.ok ?? true;
  return {
    command: 'npm test',
    ok,
    exit_code: ok ? 0 : 1,
    timed_out: false,
    duration_ms: 5,
    output_tail: '',
    errors: [],
    ...parts,
  };
}

export function verification(parts: Partial<Verification> = {}): Verification {
  const checks = parts.checks ?? [check()];
  return { at: AT, ok: checks.every((each) => each.ok), checks, ...parts };
}

/** `passed` of `total` tests in one check, which passes when all of them do. */
export function testRun(passed: number, total: number): Verification {
  const tests = { passed, failed: total - passed, skipped: 0, failing: [] };
  return verification({ checks: [check({ ok: passed === total, tests })], tests });
}

export function verified(result: Verification, parts: Partial<Of<'verified'>> = {}): GuardEvent {
  return {
    type: 'verified',
    at: AT,
    turn: 1,
    verification: result,
    signature: result.ok ? 'pass' : 'fail',
    ...parts,
  };
}

/** A verification whose one check fails with these errors. */
export function failed(errors: ErrorSighting[], parts: Partial<Of<'verified'>> = {}): GuardEvent {
  return verified(verification({ checks: [check({ ok: false, errors })] }), parts);
}

export function baseline(result: Verification): GuardEvent {
  return { type: 'baseline', at: AT, verification: result };
}

export function turnStarted(turn: number, counted?: boolean): GuardEvent {
  return counted === undefined ? { type: 'turn_started', turn } : { type: 'turn_started', turn, counted };
}

export function turnEnded(turn: number, parts: Partial<Of<'turn_ended'>> = {}): GuardEvent {
  return { type: 'turn_ended', at: AT, turn, counted: true, title: `turn ${turn}`, ...parts };
}

export function changed(...paths: string[]): GuardEvent {
  return { type: 'files_changed', turn: 1, paths };
}

export function proposed(
  path: string,
  why: ProposedWrite['why'],
  files: string[] = [],
  scope: string[] = [],
): GuardEvent {
  return { type: 'write_proposed', turn: 1, proposed: { path, why, held: true }, files, scope };
}

export function usage(
  cost_usd: number,
  input_tokens = 0,
  output_tokens = 0,
  cached_tokens?: number,
): GuardEvent {
  return { type: 'usage', turn: 1, input_tokens, output_tokens, cached_tokens, cost_usd };
}

export function clock(minutes: number): GuardEvent {
  return { type: 'clock', active_ms: minutes * 60_000 };
}

export function rearmed(...guards: GuardId[]): GuardEvent {
  return { type: 'rearmed', guards };
}

export const agentChanged: GuardEvent = { type: 'agent_changed' };

/** Limits as the config section gives them. */
export function limits(config: Partial<Record<GuardId, unknown>> = {}): GuardLimits {
  return GuardConfig.parse(config);
}

/** Every guard off but these, for tests about one of them. */
export function only(config: Partial<Record<GuardId, unknown>>): GuardLimits {
  const off = Object.fromEntries(Object.keys(limits()).map((id) => [id, 'off']));
  return GuardConfig.parse({ ...off, ...config });
}

export function statesAfter(events: readonly GuardEvent[], from: GuardStates = initialStates()): GuardStates {
  return events.reduce(observe, from);
}

export function triggersAfter(events: readonly GuardEvent[], given: GuardLimits = limits()): Trigger[] {
  return tripped(statesAfter(events), given);
}

/** What one guard says after these events, or nothing. */
export function triggerOf(
  guard: GuardId,
  events: readonly GuardEvent[],
  given: GuardLimits = limits(),
): Trigger | undefined {
  return triggersAfter(events, given).find((trigger) => trigger.guard === guard);
}

export function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
