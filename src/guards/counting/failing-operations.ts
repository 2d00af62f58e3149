import type { GuardEvent } from '../../core/contracts/guard.ts';
import type { CheckResult, ErrorSighting } from '../../core/contracts/verification.ts';
import { clip, oneLine } from '../words/wording.ts';

const SIGHTINGS_READ = 100;
const OPERATIONS_READ = 20;
const NAME_CHARS = 500;
const MESSAGE_CHARS = 500;
const TITLE_CHARS = 120;

/** One error of a failing operation, with the commands that showed it. */
export interface Sighting {
  error: ErrorSighting;
  operations: string[];
}

export interface Failure {
  at: string;
  turn: number;
  operations: string[];
  sightings: Sighting[];
  /** Used as the error message where no error could be read. */
  label: string;
}

/** The result of one event for operations that failed before. */
interface Outcome {
  /** Operations that pass now. `all`: the whole verification passes. */
  passed: readonly string[] | 'all';
  failure?: Failure;
  /** An action between two failures. */
  tried?: string;
}

export function readOutcome(event: GuardEvent): Outcome | undefined {
  if (event.type === 'action_ended') return readAction(event);
  if (event.type === 'verified') return readVerified(event);
  return undefined;
}

function readAction(event: GuardEvent & { type: 'action_ended' }): Outcome | undefined {
  // An action that the gate refused did not happen, so it neither failed nor passed.
  if (event.refused) return undefined;
  const operation = clip(event.operation, NAME_CHARS);
  const title = oneLine(event.title || operation, TITLE_CHARS);
  if (event.ok) return { passed: [operation], tried: title };
  const explored = event.kind === 'read' || event.kind === 'search';
  // A search without a hit or a missing file is exploration, unless the tool itself reports an error.
  if (explored && event.errors.length === 0) return { passed: [], tried: title };
  const label = `${title} failed`;
  const errors =
    event.kind === 'edit' && event.errors.length === 0
      ? [{ message: label, signature: `failed:${operation}` }]
      : event.errors;
  const sightings = mergeSightings(errors.map((error) => ({ error, operations: [operation] })));
  return {
    passed: [],
    failure: { at: event.at, turn: event.turn, operations: [operation], sightings, label },
  };
}

function readVerified(event: GuardEvent & { type: 'verified' }): Outcome {
  const { ok, checks } = event.verification;
  if (ok) return { passed: 'all' };
  const failing = checks.filter((check) => !check.ok);
  const sightings = failing.flatMap((check) =>
    check.errors.map((error) => ({ error, operations: [clip(check.command, NAME_CHARS)] })),
  );
  const operations = failing.map((check) => clip(check.command, NAME_CHARS)).slice(0, OPERATIONS_READ);
  return {
    passed: checks.filter((check) => check.ok).map((check) => clip(check.command, NAME_CHARS)),
    failure: {
      at: event.at,
      turn: event.turn,
      operations: operations.length > 0 ? operations : ['verification'],
      sightings: mergeSightings(sightings),
      label: failing[0] ? describeCheck(failing[0]) : 'verification failed',
    },
  };
}

/** One sighting per signature, even if several checks show the error. */
function mergeSightings(sightings: readonly Sighting[]): Sighting[] {
  const bySignature = new Map<string, Sighting>();
  for (const { error, operations } of sightings) {
    const signature = clip(error.signature, NAME_CHARS);
    const before = bySignature.get(signature);
    if (!before && bySignature.size >= SIGHTINGS_READ) break;
    bySignature.set(signature, {
      error: before?.error ?? { ...error, signature, message: clip(error.message, MESSAGE_CHARS) },
      operations: [...new Set([...(before?.operations ?? []), ...operations])].slice(0, OPERATIONS_READ),
    });
  }
  return [...bySignature.values()];
}

function describeCheck({ command, exit_code, timed_out }: CheckResult): string {
  const name = oneLine(command);
  if (timed_out) return `${name} timed out`;
  return exit_code === null ? `${name} failed` : `${name} exited ${exit_code}`;
}
