import type { RunState } from '../../core/contracts/run-state.ts';
import { ratesOf, withLimit } from '../text/figures.ts';
import { renderSparkline } from '../text/sparkline.ts';
import { minutes, money } from '../text/words.ts';
import { type RunLook, widthOf } from './style.ts';
import { cutCells, terminalLine } from './terminal-text.ts';

/** Measured between two events, so that the line is current. */
interface LiveFigures {
  active_ms: number;
  files?: number;
  cost_usd?: number | null;
  /** The agent's current action. */
  doing?: string;
}

/** One line that is rewritten in place. It ends with the agent's current action. */
export function renderLiveLine(state: RunState, live: LiveFigures, look: RunLook): string {
  const { limits } = look;
  const rates = ratesOf(state);
  const last = rates.at(-1);
  const cost = live.cost_usd ?? state.usage.cost_usd;
  const parts = [
    `▶ ${withLimit(state.turn, limits.turns)}`,
    last && `${last.unit} ${last.passed}/${last.total} ${renderSparkline(rates.slice(-10))}`,
    `files ${withLimit(live.files ?? state.changes.paths.length, limits.files)}`,
    `${withLimit(minutes(live.active_ms), limits.minutes)} min`,
    cost !== null && money(cost),
    live.doing && terminalLine(live.doing, widthOf(look)),
  ];
  return cutCells(
    parts.filter((part) => typeof part === 'string' && part !== '').join('  '),
    look.width ?? 80,
  );
}
