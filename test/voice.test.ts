import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** A comment names its subject first, so neither it nor one of its sentences begins like this. */
const OPENER = /^(?:What|Whoever|One that|Of)\b/;

const SENTENCE = /(?<=^\s*|[.!?]["')]?\s+)\S[\s\S]*?(?=[.!?]["')]?\s|$)/g;

/** Words of our own making, and the ones that engineers use. */
const BANNED = [
  { pattern: /\banew\b/gi, better: 'again' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, better: 'fix' },
  { pattern: /\b(?:go|goes|went)\s+on\b/gi, better: 'continue' },
  { pattern: /\bputs?(?:\s+(?:it|them))?\s+back\b/gi, better: 'revert' },
];

interface Comment {
  /** Where it begins and ends in the source. */
  start: number;
  end: number;
  /** Its text, as long as the source and with the same line breaks, so that an offset into it tells the line. */
  prose: string;
}

/** The comments of a source, without their markers and without code in backticks. Strings are not comments. */
function findComments(source: string): Comment[] {
  const comments: Comment[] = [];
  for (const { type, start, end } of parseSync('source.ts', source).comments) {
    const prose = source
      .slice(start, end)
      .replaceAll(/^\s*(?:\/\/|\/?\*+(?!\/))|\*+\/$/gm, blank)
      .replaceAll(/`[^`]*`/g, blank);
    const above = comments.at(-1);
    const between = above && source.slice(above.end, start);
    // Lines that begin with `//` and follow each other are one comment, because a sentence may span them.
    if (type === 'Line' && above && between?.trim() === '' && !between.includes('\n\n')) {
      above.prose += between + prose;
      above.end = end;
    } else comments.push({ start, end, prose });
  }
  return comments;
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

function findOffences(source: string): string[] {
  return findComments(source).flatMap(({ start, prose }) => {
    const lineAt = (offset: number) =>
      source.slice(0, start).split('\n').length + prose.slice(0, offset).split('\n').length - 1;
    const openers = [...prose.matchAll(SENTENCE)].flatMap(({ 0: sentence, index }) => {
      const opener = OPENER.exec(sentence)?.[0];
      return opener ? [`${lineAt(index)} begins with "${opener}"`] : [];
    });
    const words = BANNED.flatMap(({ pattern, better }) =>
      [...prose.matchAll(pattern)].map(
        ({ 0: word, index }) => `${lineAt(index)} "${word.replaceAll(/\s+/g, ' ')}" instead of "${better}"`,
      ),
    );
    return [...openers, ...words];
  });
}

describe('comments are in the English that engineers write', () => {
  test.each([
    ['/** What it says. */', ['1 begins with "What"']],
    ['const a = 1;\n// Whoever asks.\n', ['2 begins with "Whoever"']],
    ['/**\n * Fine so far.\n * One that is not.\n */', ['3 begins with "One that"']],
    ['const a = [\n  // Fine. Of the rest nothing.\n];', ['2 begins with "Of"']],
    ['// It goes\n// on and\n// mends.', ['3 "mends" instead of "fix"', '1 "goes on" instead of "continue"']],
    ['/** Puts it\n * back. */', ['1 "Puts it back" instead of "revert"']],
    ['let a = 1; // made anew', ['1 "anew" instead of "again"']],
    ['/** Recommends what `What` and `put back` do. Offers, of course. Once on. */', []],
    ['const a = "// What"; const b = `/* anew */`; const c = /\\/\\* mend/;', []],
  ])('%j', (source, expected) => {
    expect(findOffences(source)).toEqual(expected);
  });

  test('no comment in src/ begins with a riddle or has a word of our own making', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const offences = files
      .filter((file) => file.endsWith('.ts'))
      .toSorted()
      .flatMap((file) =>
        findOffences(readFileSync(join(root, 'src', file), 'utf8')).map(
          (offence) => `src/${file}:${offence}`,
        ),
      );
    expect(offences).toEqual([]);
  });
});

describe('names are in the same English', () => {
  const wordsOf = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])|[_/-]/g, ' ');
  const isBanned = (name: string) => BANNED.some(({ pattern }) => wordsOf(name).search(pattern) !== -1);

  function namesIn(source: string): string[] {
    const declared = source.matchAll(/\b(?:const|let|function\*?|class|interface|type) (\w+)/g);
    return [...declared].map(([, name = '']) => name);
  }

  test.each(['putBackLines', 'PUT_BACK_SHOWN', 'left-put-back.ts', 'mendOwn', 'goOn', 'startAnew'])(
    '%s has a word of our own making',
    (name) => expect(isBanned(name)).toBe(true),
  );

  test('no file and nothing declared in src/ has a word of our own making', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const offences = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...(isBanned(file) ? [file] : []),
        ...namesIn(readFileSync(join(root, 'src', file), 'utf8'))
          .filter(isBanned)
          .map((name) => `${file}: ${name}`),
      ]);
    expect(offences).toEqual([]);
  });
});
