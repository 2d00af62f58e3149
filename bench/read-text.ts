import { readVisibleText } from '../src/commands/reading/visible-text.ts';
import type { Figure } from './figure.ts';

const LENGTH = 65_536;
const ROUNDS = 5;
/** Pieces that took longest among some sixty that are known to trouble parsers of markdown and HTML. */
const PIECES = [
  ...['Some words with *em* and `code` in [a](b). ', '# a\n', '1. a\n', 'a\n=\n', '~~a', 'a  \n', '<em>x'],
  ...[
    '[',
    '![',
    '[a](',
    '[^1]',
    '|',
    'a|b\n-|-\n',
    '*a ',
    '`',
    '<',
    '<a ',
    '<b>',
    '$$a',
    '&#8203;',
    '> > a\n',
    // Just below the number of paragraphs, items and marks that are read at all.
    '# aaaaaa\n',
    '- aaaaaaa\n',
    '*aaaaaa* ',
    '<a@b.cdefgh>',
    '- a\n',
    '*a* ',
    '<a@b.c>',
  ],
];
const WIDE_TABLE = `${'|a'.repeat(1000)}|\n${'|-'.repeat(1000)}|\n${'|\n'.repeat(30_000)}`;

/** A comment as long as GitHub accepts, made of the worst pieces: rendered and read as people see it. */
export const readText: Figure = {
  id: 'read-text',
  title: 'reading 64 kB of the worst text of an issue or comment',
  bar: 50,
  unit: 'ms',
  better: 'lower',
  async measure() {
    const texts = [...PIECES.map((piece) => piece.repeat(LENGTH / piece.length)), WIDE_TABLE];
    const times = texts.map((text) => ({ piece: text.slice(0, 12), ms: bestOf(text) }));
    const [worst, ...others] = times.toSorted((one, other) => other.ms - one.ms);
    const rest = others.slice(0, 3).map(({ piece, ms }) => `${JSON.stringify(piece)} ${ms.toFixed(0)} ms`);
    return {
      value: worst?.ms ?? Number.NaN,
      detail: { worst: JSON.stringify(worst?.piece), next: rest.join(', '), texts: texts.length },
    };
  },
};

/** The CPU time of this thread, so that other work on the machine matters little. */
function bestOf(text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.threadCpuUsage();
    readVisibleText(text);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
