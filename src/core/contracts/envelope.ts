import * as z from 'zod';
import { AgentMetrics, EscalationContext } from './escalation.ts';
import { GuardId, type GuardStates } from './guard.ts';
import { IsolationLevel } from './isolation.ts';
import { KeyCustody } from './key-custody.ts';
import { ChangeSummary, TurnKind, TurnRecord, Usage } from './run-event.ts';
import { Verification } from './verification.ts';

export const PROTOCOL = 1;

const guards = z.partialRecord(GuardId, z.unknown());
/** Figures of a turn that has not ended. Missing from jobs of older versions. */
const soFar = { usage: Usage.optional(), changes: ChangeSummary.optional() };

/** The job's guard states and measurements. The desk recomputes the triggers from the states with its own limits. */
export const Measured = z.object({
  guards,
  metrics: AgentMetrics,
  context: EscalationContext,
  exit: z.string().optional(),
});
export type Measured = z.infer<typeof Measured>;

/** A message of a job as the desk sees it: a claim, whose meaning the desk decides. */
export const Claim = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('job_started'),
    data: z.object({ isolation: IsolationLevel.optional().catch(undefined) }),
  }),
  z.object({
    type: z.literal('baseline_recorded'),
    data: z.object({ verification: Verification, measured: Measured }),
  }),
  z.object({
    type: z.literal('turn_started'),
    data: z.object({
      kind: TurnKind,
      resumed: z.boolean(),
      keys: KeyCustody.optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('turn_ended'),
    data: z.object({ record: TurnRecord, usage: Usage, measured: Measured }),
  }),
  z.object({ type: z.literal('tripped'), data: z.object({ usage: Usage, measured: Measured }) }),
  z.object({
    type: z.literal('agent_frozen'),
    data: z.object({
      escalation: z.string(),
      processes: z.number().int(),
      ms: z.number(),
      changes: soFar.changes,
    }),
  }),
  z.object({ type: z.literal('answer_delivered'), data: z.object({ answer: z.string() }) }),
  z.object({ type: z.literal('acknowledged'), data: z.object({ escalation: z.string(), text: z.string() }) }),
  z.object({ type: z.literal('agent_died'), data: z.object({ reason: z.string() }) }),
  z.object({ type: z.literal('parked'), data: z.object({ guards, ...soFar }) }),
  z.object({
    type: z.literal('handed_over'),
    data: z.object({ handoff_path: z.string().optional(), guards, ...soFar }),
  }),
]);
export type Claim = z.infer<typeof Claim>;

/** Claims after which the job is over. */
const FINAL: ReadonlySet<string> = new Set<Claim['type']>(['parked', 'handed_over']);

export function isFinal(type: string): boolean {
  return FINAL.has(type);
}

/** The guard states that a claim carries. */
export function guardsIn({ data }: Claim): GuardStates {
  if ('measured' in data) return data.measured.guards;
  return 'guards' in data ? data.guards : {};
}

/** The same claim with other guard states. */
export function withGuards(claim: Claim, guards: GuardStates): Claim {
  switch (claim.type) {
    case 'baseline_recorded':
      return { ...claim, data: { ...claim.data, measured: { ...claim.data.measured, guards } } };
    case 'turn_ended':
      return { ...claim, data: { ...claim.data, measured: { ...claim.data.measured, guards } } };
    case 'tripped':
      return { ...claim, data: { ...claim.data, measured: { ...claim.data.measured, guards } } };
    case 'parked':
      return { ...claim, data: { ...claim.data, guards } };
    case 'handed_over':
      return { ...claim, data: { ...claim.data, guards } };
    default:
      return claim;
  }
}

/** Every message from a job to the desk. Unknown types are stored and not acted on; users pin the job's version. */
export const Envelope = z.object({
  protocol: z.number().int(),
  run: z.string(),
  /** Incremented for each successor job, so that claims of a replaced job are refused. */
  fence: z.number().int(),
  seq: z.number().int().positive(),
  turn: z.number().int().nonnegative(),
  at: z.iso.datetime(),
  active_ms: z.number().nonnegative(),
  limits_rev: z.number().int().positive(),
  type: z.string(),
  data: z.unknown(),
});
export type Envelope = z.infer<typeof Envelope>;
