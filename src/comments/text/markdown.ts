/** Markdown of escaped parts. */

export interface Table {
  head: readonly string[];
  /** One of `l`, `c`, `r` per column. */
  align?: string;
  rows: readonly (readonly string[])[];
}

const RULES: Record<string, string> = { l: ':--', c: ':-:', r: '--:' };

export function renderTable({ head, align = '', rows }: Table): string {
  const rule = head.map((_, i) => RULES[align.charAt(i)] ?? ':--');
  return [
    `| ${head.map(cell).join(' | ')} |`,
    `|${rule.join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');
}

/** Only code spans contain bare pipes. GitHub reads `\|` in a cell before it reads the span, and `\\|` as the end of the cell. */
function cell(text: string): string {
  return text
    .replaceAll('\n', ' ')
    .replace(/\\(?=\|)/g, '\\ ')
    .replaceAll('|', '\\|');
}

export function blocks(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

/** Markers help to find comments. They are never trusted. */
export function marker(kind: string, values: Record<string, string | undefined>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${(value ?? '').replace(/[^A-Za-z0-9._-]/g, '_')}`);
  return `<!-- autobuild:${kind}${pairs.join('')} -->`;
}

/** A link. Only the text if the address is not a web address. */
export function link(text: string, url: string | undefined): string {
  if (!url || !/^https?:\/\//.test(url)) return text;
  return `[${text}](${url.replace(/[\s()<>|\\"`]/g, encodeURIComponent).replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29'))})`;
}

export function small(parts: (string | undefined | false)[]): string {
  return `<sub>${parts.filter(Boolean).join(' · ')}</sub>`;
}
