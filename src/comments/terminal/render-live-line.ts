import { countedTokens } from '../../core/contracts/run-event.ts';
import { filesOfRun, type RunState } from '../../core/contracts/run-state.ts';
import { costFigure } from '../text/cost-figure.ts';
import { ratesOf, withLimit } from '../text/figures.ts';
import { presentFigures } from '../text/present-figures.ts';
import { renderSparkline } from '../text/sparkline.ts';
import { type RunLook, widthOf } from './style.ts';
import { cutCells, terminalLine } from './terminal-text.ts';

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/** Measured between two events, so that the line is current. */
interface LiveFigures {
  /** How long the turn, or the checks, have been running. */
  elapsed_ms: number;
  /** Counts up with every drawing. */
  frame: number;
  /** The checks are running, not the agent. */
  checking?: boolean;
  cost_usd?: number | null;
  /** The current action of the agent, or the command of the check. */
  doing?: string;
}

/** One line that is rewritten in place: the turn, how long, what is being done, and the figures so far. */
export function renderLiveLine(state: RunState, live: LiveFigures, look: RunLook): string {
  const { limits } = look;
  const rates = ratesOf(state);
  const last = rates.at(-1);
  const cost = live.cost_usd ?? state.usage.cost_usd;
  const isBegun = state.baseline || (state.turn > 0 && !state.revision);
  const { turn, max_turns, number } = presentFigures(state, limits);
  const stage = isBegun ? `${number ? `round ${number}, ` : ''}${withLimit(turn, max_turns)}` : 'baseline';
  const doing = live.doing && terminalLine(live.doing, Math.floor(widthOf(look) / 2));
  const clock = `${stopwatch(live.elapsed_ms)} ${FRAMES[live.frame % FRAMES.length]}`;
  const parts = [
    `▶ ${stage}${live.checking && stage !== 'baseline' ? ' checks' : ''}  ${clock}`,
    doing,
    last && `${last.unit} ${last.passed}/${last.total} ${renderSparkline(rates.slice(-10))}`,
    state.turn > 0 && `files ${withLimit(filesOfRun(state), limits.files)}`,
    costFigure({ cost_usd: cost, tokens: countedTokens(state.usage) }, limits.cost),
  ];
  return cutCells(
    parts.filter((part) => typeof part === 'string' && part !== '').join('   '),
    Math.max(1, (look.width ?? 80) - 1),
  );
}

/** `0:07`, `12:41`, `1:02:07` */
function stopwatch(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const rest = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? `${hours}:${rest.join(':')}` : `${Number(rest[0])}:${rest[1]}`;
}
