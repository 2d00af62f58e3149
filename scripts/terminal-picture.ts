/** Sizes of one character and one line, in pixels, at a font size of 13. */
const CHARACTER = 7.8;
const LINE = 18;
const PADDING = 18;
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace';
const COLOURS: Record<string, string> = { 32: '#4ade80', 33: '#facc15', 31: '#f87171', 2: '#94a3b8' };

interface Piece {
  text: string;
  codes: string[];
}

/** The lines that stay on a terminal: what the live line showed before it was cleared is gone. */
export function linesThatStay(output: string): string[] {
  return output.split(/\r*\n/).map((line) => line.slice(line.lastIndexOf('\x1b[J') + 1).replace(/^\[J/, ''));
}

/** An SVG of the lines, with their colours. Each piece is as wide as its characters, whatever font the reader has. */
export function drawTerminal(title: string, lines: readonly string[], columns: number): string {
  const width = Math.ceil(columns * CHARACTER + 2 * PADDING);
  const height = lines.length * LINE + 2 * PADDING;
  const rows = lines.map((line, index) => drawLine(line, PADDING + index * LINE + 13)).filter(Boolean);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${FONT}" font-size="13" fill="#e2e8f0">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="#0f172a"/>
${rows.join('\n')}
</svg>
`;
}

function drawLine(line: string, y: number): string {
  let column = 0;
  return piecesOf(line)
    .flatMap(({ text, codes }) => {
      const from = column + (text.length - text.trimStart().length);
      column += text.length;
      const shown = text.trim();
      if (!shown) return [];
      const colour = codes.flatMap((code) => COLOURS[code] ?? [])[0];
      const style = `${codes.includes('1') ? ' font-weight="bold"' : ''}${colour ? ` fill="${colour}"` : ''}`;
      const [x, length] = [PADDING + from * CHARACTER, shown.length * CHARACTER].map((size) =>
        size.toFixed(1),
      );
      return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${style}>${escapeXml(shown)}</text>`;
    })
    .join('');
}

/** Cuts a line where its style changes, and at wide gaps, so that columns stay below each other. */
function piecesOf(line: string): Piece[] {
  let codes: string[] = [];
  return line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
    const style = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (style === undefined)
      return (part.match(/\s*\S+(?: \S+)*|\s+$/g) ?? []).map((text) => ({ text, codes }));
    codes = style === '' || style === '0' ? [] : [...codes, ...style.split(';')];
    return [];
  });
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
