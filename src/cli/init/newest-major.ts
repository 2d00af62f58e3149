/** The majors of the long-term lines by the names that version files have for them. */
const LINES: Readonly<Record<string, number>> = {
  fermium: 14,
  gallium: 16,
  hydrogen: 18,
  iron: 20,
  jod: 22,
  krypton: 24,
};
const MAX_CHARS = 200;
const ANY = /^(?:\*|x|node|stable|latest|current|lts(?:\/\*)?|lts\/-\d)$/i;
const COMPARATOR =
  /^(?<sign>[\^~=<>]{0,2})v?(?<major>\d{1,4})(?<rest>(?:\.(?:\d{1,6}|x|\*)){0,2})(?:-[\w.]+)?$/i;

/** The newest major version of Node.js that a range of versions allows. Undefined if the range cannot be read. */
export function newestMajor(range: string): number | undefined {
  if (range.length > MAX_CHARS) return undefined;
  const newest = range.split('||').map(newestOfAll);
  return newest.some((major) => major === undefined) ? undefined : Math.max(...(newest as number[]));
}

/** Each word narrows what those before it allow. */
function newestOfAll(words: string): number | undefined {
  const parts = words
    .replaceAll(/([<>=~^])\s+/g, '$1')
    .replaceAll(/\S+\s+-\s+/g, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(newestOfOne);
  return parts.some((major) => major === undefined)
    ? undefined
    : Math.min(Number.POSITIVE_INFINITY, ...(parts as number[]));
}

function newestOfOne(word: string): number | undefined {
  if (ANY.test(word)) return Number.POSITIVE_INFINITY;
  const [, line] = /^lts\/([a-z]+)$/i.exec(word) ?? [];
  if (line !== undefined) return LINES[line.toLowerCase()];
  const { sign = '', major, rest = '' } = COMPARATOR.exec(word)?.groups ?? {};
  if (major === undefined) return undefined;
  if (sign.startsWith('>')) return Number.POSITIVE_INFINITY;
  const isBelow = sign === '<' && !/[1-9]/.test(rest);
  return isBelow ? Number(major) - 1 : Number(major);
}
