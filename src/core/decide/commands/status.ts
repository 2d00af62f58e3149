import { pendingEscalation, type RunState, waitsOverClosedPull } from '../../contracts/run-state.ts';
import type { CommandRule } from './command-rule.ts';
import { informed } from './informed.ts';

export const statusRule: CommandRule = {
  listed: { asked: 'last', working: 'last', paused: 'last', resting: 'last', ended: 'last' },
  ...informed(describeStatus),
};

export function describeStatus(state: RunState): string {
  const pending = pendingEscalation(state);
  if (pending) return `Waiting for you: ${pending.headline}`;
  if (waitsOverClosedPull(state))
    return `Paused: the pull request was closed by ${state.closed_pull?.by}, /continue goes on with a new one`;
  if (state.paused) return `Paused in turn ${state.turn}: /continue goes on`;
  if (state.finished) return `Ended: ${state.status}, ${state.finished.reason}`;
  return state.turn === 0 ? 'Starting' : `Building: turn ${state.turn}, nothing needed from you`;
}
