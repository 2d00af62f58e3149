import type { LimitsInForce } from '../../core/contracts/guard.ts';

/** Colour adds no information, and the caller decides whether to use it. */
const CODES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' } as const;
type Style = keyof typeof CODES;

export interface TerminalLook {
  /** Columns; 80 when not given. */
  width?: number;
  colour?: boolean;
  /** The time zone of the person at the terminal; UTC when not given. */
  zone?: string;
  /** Where the copies of reverted edits are, by path. Only a terminal says places of the machine. */
  saved_edits?: Readonly<Record<string, string>>;
}

/** For renderers that show the run's figures beside their limits. */
export interface RunLook extends TerminalLook {
  limits: LimitsInForce;
}

export function paint(text: string, style: Style, { colour = false }: TerminalLook): string {
  return colour && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}

/** Yellow: waiting. Green: done. Red: failed or cancelled. */
export function paintState(line: string, look: TerminalLook): string {
  if (line.startsWith('⏸')) return paint(line, 'yellow', look);
  if (line.startsWith('✓')) return paint(line, 'green', look);
  return line.startsWith('✗') ? paint(line, 'red', look) : line;
}

// Narrower terminals wrap lines themselves, because columns would leave no room for words.
const NARROWEST = 60;
const WIDEST = 120;

export function widthOf({ width = 80 }: TerminalLook): number {
  return Math.min(WIDEST, Math.max(NARROWEST, Math.floor(width)));
}
