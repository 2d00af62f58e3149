import type { EarlierTurn } from '../../contracts/earlier-turn.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { oneLine } from './predecessor-of.ts';

const MAX_TURNS = 30;
const MAX_LENGTH = 200;

/** The newest turns, oldest first. Bounded, because a run may have no turn limit. */
export function earlierTurns({ turns, agent: now }: RunState): EarlierTurn[] {
  return turns.slice(-MAX_TURNS).map(({ turn, kind, agent = now, title, exit }) => {
    const said = kind === 'debug' ? `debugging: ${title ?? exit}` : (title ?? exit);
    return { turn, agent, said: oneLine(said, MAX_LENGTH) };
  });
}
