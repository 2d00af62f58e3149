import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { clockIn, count } from '../text/words.ts';
import { type PanelLook, renderPanel } from './render-panel.ts';
import { renderTurnLine } from './render-turn-line.ts';
import { section } from './sections.ts';
import { type TerminalLook, widthOf } from './style.ts';
import { terminalLine } from './terminal-text.ts';

const ROWS = 40;

/** G-10 in the terminal: iteration history, error history, loop signatures, then the question again. */
export function renderTerminalReview(
  state: RunState,
  escalation: Escalation | undefined,
  look: PanelLook,
): string {
  const room = widthOf(look) - 16;
  const turns = state.turns
    .slice(-ROWS)
    .map((record) => renderTurnLine(record, { ...look, width: widthOf(look) - 3 }));
  const history = [
    ...section(`Iteration history: ${count(state.turns.length, 'turn')}`, turns, look),
    ...section('Error history', tally(errorsOf(state), room), look),
    ...section(
      'Loop signatures',
      tally(
        state.turns.flatMap(({ turn, signature }) => (signature ? [{ turn, text: signature }] : [])),
        room,
      ),
      look,
    ),
    ...section('Answers so far', answersSoFar(state, look), look),
  ];
  return [history.join('\n'), escalation ? renderPanel(state, escalation, look) : '']
    .filter(Boolean)
    .join('\n\n');
}

function errorsOf(state: RunState): { turn: number; text: string }[] {
  return state.turns.flatMap(({ turn, verification }) =>
    (verification?.checks ?? []).flatMap((check) =>
      check.errors.map((error) => ({ turn, text: error.signature })),
    ),
  );
}

function tally(sightings: readonly { turn: number; text: string }[], room: number): string[] {
  const counts = new Map<string, { times: number; last: number }>();
  for (const { turn, text } of sightings)
    counts.set(text, { times: (counts.get(text)?.times ?? 0) + 1, last: turn });
  return [...counts]
    .sort((a, b) => b[1].times - a[1].times)
    .slice(0, ROWS)
    .map(
      ([text, { times, last }]) =>
        `  ${String(times).padStart(3)}×  ${terminalLine(text, room - 14)}  (last: turn ${last})`,
    );
}

function answersSoFar(state: RunState, look: TerminalLook): string[] {
  return state.escalations
    .flatMap((escalation) => escalation.responses)
    .slice(-ROWS)
    .map(({ timestamp, by, command, content }) => {
      const what = command.name === 'provide' ? `gave ${Object.keys(command.inputs).join(', ')}` : content;
      return `  ${clockIn(timestamp, look.zone)}  ${terminalLine(`${by}: ${what}`, widthOf(look) - 18)}`;
    });
}
