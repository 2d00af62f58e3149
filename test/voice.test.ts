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

/** Phrases that no person would say, and that comments, terminal and pages once had. */
const OLD_PHRASES = [
  /choose how to go on/i,
  /\b(?:go|goes|going)\s+on\b(?!\s+the\b)/i,
  /none better|no better test run/i,
  /(?<!is )told what turns? /i,
  /error history in hand/i,
  /nothing else changed/i,
  /no question until then/i,
  /the next one asks again/i,
  /marked as partial/i,
  /count again from 0/i,
  /held as it is/i,
  /took (?:it|the answer) in\b/i,
  /\bTaken: /,
  /nothing taken/i,
  /brings (?:this|the) question back/i,
  /\bEnded: (?:reviewing|cancelled)/,
  /done in part/i,
  /holds no command/i,
  /stands alone on its line/i,
  /needs a .{0,4}\+.{0,4} before it/i,
  /no matter of a limit/i,
  /\bmend\b/i,
  /did not end well/i,
  /gave no account/i,
  /past the gate/i,
  /\bputs? back\b/i,
  /someone should look/i,
  /no number of turns/i,
  /both cannot be/i,
  /stays stopped/i,
  /in (?:the agent's|its) words/i,
  /by how often they came/i,
  /titled by the agent/i,
  /before that: /i,
  /is not what was verified/i,
  /take the label off/i,
  /\bAsking @/,
  /they are in Actions secrets/i,
  /needs? the role \w/i,
  /measurably stuck/i,
  /\bswitched off: /i,
  /is inactive\b/i,
  /\banew\b/i,
  /has ended (?:by \w+ )?\((?:reviewing|cancelled)/,
  /\bUTC reviewing: /,
  /\b(?:at|on|since|before) (?:\$\{dateTime\(|\d{1,2} [A-Z][a-z]{2} \d{4} \d)/,
];

/** The record keeps the whole question; comments and panels leave its last sentence out. */
const NOT_SHOWN = /How to proceed\?/;

function findOldPhrases(text: string, phrases: readonly RegExp[] = OLD_PHRASES): string[] {
  const line = (index: number) => text.slice(0, index).split('\n').length;
  return phrases.flatMap((phrase) => {
    const found = phrase.exec(text);
    return found ? [`${line(found.index)} "${found[0]}"`] : [];
  });
}

function withoutComments(source: string): string {
  let code = source;
  for (const { start, end } of parseSync('source.ts', source).comments)
    code = code.slice(0, start) + blank(code.slice(start, end)) + code.slice(end);
  return code;
}

describe('what people read is in the English that engineers speak', () => {
  test('an old phrase is found in a string, and a comment is none', () => {
    expect(findOldPhrases(withoutComments("// goes on\nconst a = 'x goes on';"))).toEqual(['2 "goes on"']);
    expect(findOldPhrases('Turn 4 is going on the list.')).toEqual([]);
  });

  test('no string in src/ has an old phrase', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const offences = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('sandbox'))
      .toSorted()
      .flatMap((file) =>
        findOldPhrases(withoutComments(readFileSync(join(root, 'src', file), 'utf8'))).map(
          (offence) => `src/${file}:${offence}`,
        ),
      );
    expect(offences).toEqual([]);
  });

  test('no golden file, template or page for readers has an old phrase', () => {
    const golden = readdirSync(join(root, 'test/golden'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.\w+$/.test(file))
      .map((file) => `test/golden/${file}`);
    const offences = [
      ...golden,
      'README.md',
      'docs/use.md',
      'templates/workflow.yml',
      'templates/autobuild.yml',
    ].flatMap((file) => {
      const isShown = /golden\/(?:comments|terminal)\//.test(file);
      const phrases = isShown ? [...OLD_PHRASES, NOT_SHOWN] : OLD_PHRASES;
      return findOldPhrases(readFileSync(join(root, file), 'utf8'), phrases).map(
        (offence) => `${file}:${offence}`,
      );
    });
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
