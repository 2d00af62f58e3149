import { startRun } from '../core/run-builder.ts';
import { tripsOfEveryGuard } from './every-guard.ts';
import { only } from './guard-events.ts';

/**
 * The journal of a run in which only this guard can trip, does so by its story in `every-guard.ts`, and is answered. For guards
 * that no agent trips at will.
 */
export function journalOfGuard(guard: string): string {
  const trip = tripsOfEveryGuard().find((each) => each.guard === guard);
  if (!trip) throw new Error(`test/guards/every-guard.ts has no story that trips ${guard}.`);
  const run = startRun({ guards: only({ [guard]: trip.limit }) });
  run.beginTurn().observe(...trip.events);
  run.trip();
  run.say('/continue');
  return run.commits.map((commit) => `${JSON.stringify({ v: 1, ...commit })}\n`).join('');
}
