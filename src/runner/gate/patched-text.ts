/** Lines that may be compared or moved for one file. The agent chose patch and file, and the runner's clock waits meanwhile. */
const MAX_STEPS = 2_000_000;

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.*)$/;

/** The text of one file after a `*** Begin Patch` text was applied. Null: it is deleted. Undefined: it cannot be told, as for a moved file, or takes too long. */
export function patchedText(patch: string, path: string, before: string): string | null | undefined {
  const lines = patch.split('\n');
  const named = lines.map((line) => HEADER.exec(line.trimEnd())?.[2]?.trim() ?? '');
  const exact = named.indexOf(path);
  // The patch may name the file relative to another directory than the ask does.
  const start = exact === -1 ? named.findIndex((name) => name !== '' && path.endsWith(`/${name}`)) : exact;
  const kind = HEADER.exec(lines[start]?.trimEnd() ?? '')?.[1];
  if (kind === undefined) return undefined;
  if (kind === 'Delete') return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('*** ') && !line.startsWith('*** End of File'));
  const body = end === -1 ? rest : rest.slice(0, end);
  if (rest[end]?.startsWith('*** Move to:')) return undefined;
  if (kind === 'Add') return body.map((line) => `${line.slice(1)}\n`).join('');
  return applyHunks(body, before);
}

function applyHunks(body: readonly string[], before: string): string | undefined {
  let text = before.split('\n');
  if (text.at(-1) === '') text.pop();
  let from = 0;
  const steps = { left: MAX_STEPS };
  for (const hunk of hunksIn(body)) {
    const old = hunk.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const now = hunk.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const at = old.length === 0 ? text.length : findLines(text, old, from, steps);
    steps.left -= text.length + now.length;
    if (at === -1 || steps.left < 0) return undefined;
    text = [...text.slice(0, at), ...now, ...text.slice(at + old.length)];
    from = at + now.length;
  }
  return text.map((line) => `${line}\n`).join('');
}

function hunksIn(body: readonly string[]): string[][] {
  const hunks: string[][] = [];
  let current: string[] = [];
  for (const line of [...body, '@@']) {
    if (!line.startsWith('@@') && !line.startsWith('*** End of File')) {
      current.push(line === '' ? ' ' : line);
      continue;
    }
    if (current.length > 0) hunks.push(current);
    current = [];
  }
  return hunks;
}

function findLines(
  text: readonly string[],
  wanted: readonly string[],
  from: number,
  steps: { left: number },
): number {
  const isSame = (line: string, offset: number, at: number): boolean => {
    steps.left -= 1;
    return steps.left >= 0 && text[at + offset] === line;
  };
  for (let at = from; at + wanted.length <= text.length && steps.left >= 0; at += 1)
    if (wanted.every((line, offset) => isSame(line, offset, at))) return at;
  return -1;
}
