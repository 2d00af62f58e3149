import { mergeSpans, type Span } from './spans.ts';

/**
 * A token begins where no letter or digit stands before it. Escaped line ends, URL escapes and colour codes end with a letter or a
 * digit and count as none.
 */
const AFTER_ESCAPE = /(?<=\\[bfnrt]|%[\dA-Fa-f]{2}|\[[\d;]{0,20}m)/.source;
const START = `(?:(?<![A-Za-z0-9])|${AFTER_ESCAPE})`;
/** For a token of several parts. A start inside of another token would make the search quadratic. */
const START_OF_PARTS = `(?:(?<![\\w-])|${AFTER_ESCAPE})`;

/** Behind a prefix, as in `glpat-is-for-tokens`. No key has a hyphen and small letters alone. Bounded, because a prefix may repeat. */
const NO_WORDS = '(?![a-z]{1,20}[-_][a-z_-]{0,60}(?![\\w-]))';

/**
 * The part of an address between colon and @. A placeholder, as in `https://me:<password>@host`, is no password, nor is a port
 * that something follows, as in `["http://localhost:80","me@host"]`. Quotes and line ends, escaped or not, end an address.
 */
const PASSWORD =
  "(?![$<{*\\u2022[]|\\d{1,5}[?#,;)\\]}|&])(?:[^\\s/@\"'`<>\\\\]|'(?=[A-Za-z0-9])|\\\\(?![bfnrt\"'])){6,500}";

/**
 * Formats of secret keys. Publishable keys, such as Stripe's `pk_`, are not among them. Names in words, such as
 * `sk-1234-fix-the-login`, match none, because the text around them would be ruined.
 */
const SHAPES = [
  `${START}[sr]k_(?:live|test)_(?:(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{10,}|[A-Za-z0-9]{24,})`,
  `${START}sk-ant-${NO_WORDS}[\\w-]{16,}`,
  `${START}sk-(?:proj|svcacct|admin|or-v\\d)-(?=[A-Za-z_-]{0,60}\\d)[\\w-]{20,}`,
  `${START}sk-(?=[A-Za-z]{0,60}\\d)[A-Za-z0-9]{20,}`,
  `${START}gh[pousr]_(?:[A-Za-z0-9]{20,}|\\d{1,12}_eyJ[\\w.-]{20,})`,
  `${START}github_pat_[A-Za-z0-9]{20,}(?:_[A-Za-z0-9]+)?`,
  `${START}glpat-${NO_WORDS}[\\w-]{16,}(?:\\.\\w{2,20}){0,2}`,
  `${START}gl(?:oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-(?=[a-z\\d_-]{0,40}[A-Z])[\\w-]{16,}(?:\\.\\w{2,20}){0,2}`,
  `${START}xox[abeprs]-${NO_WORDS}[A-Za-z0-9-]{10,}`,
  `${START}xapp-\\d-[A-Z0-9]{6,}-\\d+-[a-f0-9]{20,}`,
  `${START}hooks\\.slack\\.com\\/[a-z]{1,20}\\/(?![A-Z0-9/]{0,40}X{8})[A-Z0-9]{8,}\\/[A-Za-z0-9/]{20,}`,
  `${START}A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])`,
  `${START}AIza[\\w-]{30,}`,
  `${START}(?:AQ\\.(?=[A-Z])|ya29\\.)(?=[A-Za-z_-]{0,40}\\d)[\\w-]{30,}`,
  `${START}GOCSPX-${NO_WORDS}[\\w-]{20,}`,
  `${START}npm_[A-Za-z0-9]{30,}`,
  `${START_OF_PARTS}eyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]{5,}`,
  // Address, name, which may be empty, and password.
  `(?:(?<![A-Za-z0-9\\\\])|${AFTER_ESCAPE})[A-Za-z][A-Za-z0-9+.-]{0,30}:\\/\\/[^\\s/:@]{0,200}:${PASSWORD}@(?!sha\\d)`,
].map((shape) => new RegExp(shape, 'g'));

/** A quick look, because hardly any text has a credential. */
const HINT =
  /[sr]k[-_]|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[abeprs]-|xapp-|hooks\.slack|A[KS]IA|AIza|AQ\.|ya29|GOCSPX|npm_|eyJ|:\/\/[^\s/:@]{0,200}:|PRIVATE KEY/;

const KEY_FRAME = /-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_KEY_CHARS = 20_000;
/** Between the lines of a key stand line ends, also escaped ones, quotes, and the marks of quoted lines. */
const GAP = /(?:[\s"',>|\u2502]|\\[nr"])/.source;
const KEY_LINE = /[A-Za-z0-9+/]{16}/;
const KEY_LINES_AFTER = new RegExp(`(?:${GAP}*[A-Za-z0-9+/]{16,}={0,2})*`, 'y');
const KEY_LINES_BEFORE = new RegExp(
  `$(?<=((?:[A-Za-z0-9+/]{16,}${GAP}+)+[A-Za-z0-9+/]{0,64}={0,2}${GAP}*|[A-Za-z0-9+/]{16,64}={0,2}${GAP}*))`,
);

/** The pieces of a text that have the shape of a credential, in their order. */
export function findCredentials(text: string): Span[] {
  if (!HINT.test(text)) return [];
  const found = findPrivateKeys(text);
  for (const shape of SHAPES)
    for (const { index, 0: piece } of text.matchAll(shape))
      found.push({ from: index, to: index + piece.length });
  return mergeSpans(found);
}

/**
 * The lines of private keys with their frames, also if the text was cut before the end or after the beginning of a key. A frame
 * alone is no secret, because it is the same for every key.
 */
function findPrivateKeys(text: string): Span[] {
  const found: Span[] = [];
  let begin: Span | undefined;
  let before = 0;
  const endWithoutFrame = (frame: Span) => {
    KEY_LINES_AFTER.lastIndex = frame.to;
    const [lines = ''] = KEY_LINES_AFTER.exec(text) ?? [];
    if (lines !== '') found.push({ from: frame.from, to: frame.to + lines.length });
  };
  for (const { index: from, 0: frame, 1: kind } of text.matchAll(KEY_FRAME)) {
    const to = from + frame.length;
    if (kind === 'END' && begin && from - begin.to <= MAX_KEY_CHARS) {
      if (KEY_LINE.test(text.slice(begin.to, from))) found.push({ from: begin.from, to });
    } else if (begin) endWithoutFrame(begin);
    else if (kind === 'END') {
      const above = text.slice(Math.max(before, from - MAX_KEY_CHARS), from);
      const [, lines = ''] = KEY_LINES_BEFORE.exec(above) ?? [];
      if (lines !== '') found.push({ from: from - lines.length, to });
    }
    begin = kind === 'BEGIN' ? { from, to } : undefined;
    before = to;
  }
  if (begin) endWithoutFrame(begin);
  return found;
}
