import type { TurnRecord } from '../../core/contracts/run-event.ts';
import { testsOf, turnLabel } from '../github/sections/turn-history.ts';
import { lineChange, minutes, money } from '../text/words.ts';
import { paint, type TerminalLook, widthOf } from './style.ts';
import { padCells, terminalLine } from './terminal-text.ts';

/** A finished turn: number, title, tests, lines, time, cost. */
export function renderTurnLine(record: TurnRecord, look: TerminalLook): string {
  const cost = record.turn_cost_usd === null ? '' : money(record.turn_cost_usd);
  const figures = [
    testsOf(record).padStart(6),
    lineChange(record.turn_added, record.turn_removed).padStart(10),
    `${minutes(record.turn_ms)} min`.padStart(7),
    cost.padStart(6),
  ].join(' ');
  const room = widthOf(look) - figures.length - 9;
  const title = padCells(
    terminalLine(record.title ?? (record.failed ? record.exit : 'no title'), room),
    room,
  );
  const ended = !record.failed && (record.verification !== undefined || record.kind === 'debug');
  return `${paint(ended ? '✓' : '✗', ended ? 'green' : 'red', look)} ${padCells(turnLabel(record), 3)} ${title} ${figures}`.trimEnd();
}
