const FOUND_SHOWN = 80;
const KEY_SHOWN = 120;

/**
 * One mistake in the file: its line and key, the value that was found, and the values that are allowed. Without
 * `found`, `allowed` is a sentence about the key.
 */
export interface ConfigProblem {
  line?: number;
  key: string;
  found?: string;
  allowed: string;
}

export function describeProblem({ line, key, found, allowed }: ConfigProblem): string {
  const where = line ? `line ${line}, ` : '';
  return `${where}${key}: ${found === undefined ? allowed : `found ${found}, allowed: ${allowed}`}`;
}

/** The empty path is the file itself. */
export function showKey(path: readonly PropertyKey[]): string {
  return clip(path.map(String).join('.'), KEY_SHOWN) || 'the file';
}

export function showValue(value: unknown): string {
  return clip(value === undefined ? 'nothing' : printJson(value), FOUND_SHOWN);
}

function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** JSON would print the numbers `.inf` and `.nan` as null. */
function printJson(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
