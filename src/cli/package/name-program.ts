import { ALLOWED } from '../allowed-options.ts';

const HINT = new RegExp(
  `(?<![\\w./@-])autobuild(?= (?:${Object.keys(ALLOWED).join('|')}|--help)(?![\\w-]))`,
  'g',
);

/** Comments of a file that is shown are left as the file has them. */
const LINE = /^(?![-+ \t]*#).+$/gm;

/**
 * Texts call the program `autobuild`. Where that would start nothing, their hints get the words that do, so that each can be
 * pasted.
 */
export function nameProgram(text: string, start: string): string {
  if (start === 'autobuild') return text;
  return text.replaceAll(LINE, (line) => line.replaceAll(HINT, () => start));
}
