import { describe, expect, test } from 'vitest';
import { parseComment } from '../../src/commands/parse-comment.ts';
import { readTask } from '../../src/commands/reading/read-task.ts';
import { startRun } from '../core/run-builder.ts';
import { expectLinear } from '../expect-linear.ts';

const place = { id: 'issue-7', source: '#7' };

function read(body: string) {
  const task = readTask(body, { ...place, title: 'Fix it' });
  if (!task.ok) throw new Error(task.problem);
  return task.task;
}

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

/** Ways to write SECRET so that readers on GitHub do not see it. */
const HIDDEN: [string, string][] = [
  ['a comment', 'See <!-- SECRET -->'],
  ['a comment that never ends', 'See\n\n<!-- SECRET'],
  ['a comment that ends oddly', 'See <!-- SECRET --!> -->'],
  ['a bogus comment', 'See\n\n<div></ SECRET></div>'],
  ['a declaration', 'See <!SECRET x>'],
  ['CDATA', 'See <![CDATA[SECRET]]>'],
  ['a processing instruction', 'See <?SECRET?>'],
  ['a definition', 'See\n\n[//]: # (SECRET)'],
  ['a definition within a quote', '> See\n>\n> [x]: # "SECRET"'],
  ['the label of a reference', 'See [this][SECRET]\n\n[SECRET]: https://x.y'],
  ['the title of a link', 'See [this](https://x.y "SECRET")'],
  ['the description of an image', 'See ![SECRET](https://x.y/a.png)'],
  ['a footnote nobody refers to', 'See\n\n[^1]: SECRET'],
  ['a footnote mentioned only in code', 'See `[^1]`\n\n[^1]: SECRET'],
  ['the label of a footnote', 'See [^SECRET].\n\n[^SECRET]: this'],
  ['an attribute', 'See <p title="SECRET">this</p>'],
  ['an attribute over blocks', 'See\n\n<div title="\n\nSECRET\n\n<p>">this</p>'],
  ['an attribute over a list', 'See\n\n<div title="\n\n- SECRET\n\n<p>">this</p>'],
  ['the attribute of an unknown tag', 'See <Button label="SECRET">this</Button>'],
  ['an unknown closing tag', 'See this</SECRET>'],
  ['an unknown closing tag with words', 'See\n\n<div>this</x SECRET></div>'],
  ['the name of a long tag', `See <SECRET-${'and-so-on-'.repeat(8)}>`],
  ['the words of a tag', 'See <x do SECRET now and at once>'],
  ['a hidden element', 'See <span hidden>SECRET</span>'],
  ['a hidden element over blocks', 'See\n\n<div hidden>\n\n- SECRET\n\n</div>'],
  ['a hidden element with a decoy', 'See <b hidden><b>x</b>SECRET</b>'],
  ['an element that is not drawn', 'See <ruby>this<rp>SECRET</rp></ruby>'],
  ['a fallback', 'See <object>SECRET</object> <canvas>SECRET</canvas>'],
  ['a template', 'See\n\n<template>\n\nSECRET\n\n</template>'],
  ['a style', 'See\n\n<style>\n\nSECRET\n\n</style>'],
  ['colour', 'See <span style="color:transparent">SECRET</span>'],
  ['the words after a fence', '```js SECRET\nSee\n```'],
  ['the language of a fence', '```SECRET\nSee\n```'],
  ['the language of a nested fence', '- ~~~SECRET\n  See\n  ~~~'],
  ['a cell beyond the heading', '| See |\n|---|\n| a | SECRET |'],
  ['a comment of a formula', 'See $a % SECRET\nb$'],
  ['a comment of a displayed formula', 'See $$\na \\\\% SECRET\n$$'],
  ['a comment of a math block', '```math\na % SECRET\n```\n\nSee'],
  ['a phantom of a formula', 'See $a \\phantom{SECRET}$'],
  ['a comment of a diagram', '```mermaid\ngraph TD\n%% SECRET\nA-->B\n```\n\nSee'],
  ['a description of a diagram', '```mermaid\ngraph TD\naccDescr {\n  SECRET\n}\nA-->B\n```\n\nSee'],
  ...[
    '\\color{white} SECRET',
    '\\textcolor{#fff}{\\text{SECRET}}',
    '{\\tiny SECRET}',
    '\\rlap{SECRET}',
    '\\raise{-999px}{SECRET}',
    '\\hspace{999em} SECRET',
    '\\iffalse SECRET \\fi',
    '\\gdef\\x{SECRET}',
    '\\DeclareMathOperator{\\x}{SECRET}',
    '\\texttip{a}{SECRET}',
    '\\mathchoice{a}{SECRET}{SECRET}{SECRET}',
    '\\href{https://SECRET}{a}',
    '\\begin{SECRET}\\end{SECRET}',
  ].flatMap((formula): [string, string][] => [
    [`a formula that draws less than it says: ${formula}`, `See $a ${formula}$`],
    [`the same in a fence: ${formula}`, `See\n\n\`\`\`math\na ${formula}\n\`\`\``],
  ]),
  ...[
    '%%{init: {\n"theme": "SECRET"\n}}%%\ngraph TD\nA-->B',
    '---\nconfig:\n  x: SECRET\n---\ngraph TD\nA-->B',
    'graph TD\nA-->B %% SECRET',
    'graph TD\nA-->B\nclick A "https://x.y" "SECRET"',
    'graph TD; A[SECRET]; style A color:#fff,fill:#fff',
    'graph TD\nA[SECRET]:::w\nclassDef w color:#fff',
    'graph TD\nA[x]\nclass A SECRET',
    'graph TD\nA ~~~|SECRET| B',
    'graph TD\nA["<span style=\'color:white\'>SECRET</span>"]',
    'graph TD\nA["x<!-- SECRET -->"]',
    'graph TD\nSECRET-and-then-do-all-of-this[x]',
    'graph TD\nsubgraph SECRET and then do all of this [x]\nA\nend',
    'sequenceDiagram\nlinks A: {"SECRET": "https://x.y"}\nA->>B: hi',
    'unknownDiagram\nSECRET',
  ].map((diagram): [string, string] => [
    `a diagram that draws less than it says: ${diagram}`,
    `See\n\n\`\`\`mermaid\n${diagram}\n\`\`\``,
  ]),
  ['a second footnote of the same name', 'See[^a].\n\n[^a]: this\n[^a]: SECRET'],
  ['a map', '```geojson\n{"SECRET": 1}\n```\n\nSee'],
];

describe('S-2: only what a reader sees reaches the prompt', () => {
  test.each(HIDDEN)('S-2: %s', (_, body) => {
    const task = read(body);
    expect(JSON.stringify({ ...task, hidden: undefined })).not.toContain('SECRET');
    // A cell beyond the heading and the label of a reference are no parts of their own.
    if (!/\| SECRET|\[\^?SECRET\]/.test(body)) expect(task.hidden?.parts).toBeGreaterThan(0);
  });

  test.each(HIDDEN)('S-2: in the words of a command: %s', (_, body) => {
    const parsed = parseComment(`/guide Look.\n\n${body}`);
    expect(parsed).toMatchObject({ kind: 'command', command: { name: 'guide' } });
    expect(JSON.stringify(parsed)).not.toContain('SECRET');
  });

  test.each([
    ['tag characters', tags('SECRET'), 6],
    ['entities', '&#xe0041;&#917570;', 2],
    ['entities within HTML', '\n\n<p>x&#8203;&ZeroWidthSpace;</p>', 2],
    ['private use', '\ue000\u{f0000}', 2],
    ['fillers', '\u3164\uffa0\u115f\u2800', 4],
    ['ignorable ones that are not assigned', '\u2065\u{e0fff}', 2],
    ['variation selectors', 'a\ufe01\u{e0101}', 2],
    ['joiners one after the other', 'a\u200d\u200c\u200d', 3],
    ['direction', '\u202e\u2066', 2],
    ['code points that are no characters', '\ufdd0\u{1ffff}', 2],
  ])('S-2: %s are removed and counted', (_, text, characters) => {
    const task = read(`See ${text} this`);
    expect(task.body).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Co}\u2800]/u);
    expect(task.hidden?.characters).toBe(characters);
  });

  test('S-2: the person who gave a command is told that parts of its text are left out', () => {
    const parsed = parseComment('/guide Do <!-- not --> it.\u200b');
    expect(parsed).toEqual({ kind: 'command', command: { name: 'guide', text: 'Do it.', hidden: 2 } });
    const run = startRun().turns(1);
    run.say('/guide Do <!-- not --> it.\u200b');
    expect(run.reply).toMatchObject({
      tone: 'taken',
      detail:
        '2 hidden parts or characters were removed: GitHub does not show them, so the agent does not get them.',
    });
    run.say('/guide Do <!-- not --> it.');
    expect(run.reply).toMatchObject({
      detail:
        '1 hidden part or character was removed: GitHub does not show it, so the agent does not get it.',
    });
  });

  test('S-2: joiners that spell a word stay', () => {
    expect(read('می‌خواهم and क्‍ष and 👨‍👩‍👧').body).toBe('می‌خواهم and क्‍ष and 👨‍👩‍👧');
  });

  test.each([
    'A `List<String>` and List<String> and Map<K, V>',
    'Use <Button> and </Button> here',
    'function f<T extends Foo>(x: T)',
    'List<A> and Set<B>',
    'if a < b && c > d then $5, 50% of $10',
    'See[^1].\n\n[^1]: shown',
    '```html\n<!-- shown -->\n```',
    'The sum $\\sum_{i=1}^{n} \\frac{a_i}{2} \\leq \\text{limit}$ holds',
    '$$\n\\begin{cases} x & y \\\\ 1 & 2 \\end{cases}\n$$',
    '```mermaid\ngraph TD\n  A[Start] --> B{ok?}\n  B -->|yes| C[done<br>now]\n```',
    '```mermaid\nclassDiagram\n  class Animal\n  Animal <|-- Duck\n  <<interface>> Animal\n```',
    '```mermaid\nsequenceDiagram\n  participant A as Alice\n  A->>B: hello\n```',
    'src/*_a_*/** and `**/x`',
    'See [the page](https://x.y/a?b=c)',
  ])('S-2: text that people mean to write stays: %s', (body) => {
    expect(read(body).body).toBe(body);
  });

  test('S-2: names between angles, which GitHub does not show, are listed, and not without end', () => {
    expect(read('List<String> <Button> <T extends Foo>').hidden?.tags).toEqual([
      '<String>',
      '<Button>',
      '<T extends Foo>',
    ]);
    const sentence = Array.from({ length: 40 }, (_, index) => `<Word${index}>`).join(' ');
    const task = read(`See ${sentence}`);
    expect(task.hidden).toMatchObject({ parts: 20 });
    expect(task.hidden?.tags).toHaveLength(20);
    expect(task.body).not.toContain('Word20');
  });

  test('S-2: nothing is hidden from the author of a local file', () => {
    const body = 'See\n\n<!-- for the agent -->\n\n[//]: # (and this)';
    const task = readTask(body, { ...place, isOwn: true });
    expect(task).toMatchObject({ ok: true, task: { body } });
    expect(task.ok && task.task.hidden).toBe(undefined);
  });
});

describe('S-2: a command that readers do not see is none', () => {
  test.each([
    ['in an attribute over blocks', 'Hello\n\n<div title="\n\n/cancel\n\n<p>">x</p>'],
    ['in a hidden element', '<p hidden>\n\n/cancel\n\n</p>'],
    ['in a fallback', '<object>\n\n/cancel\n\n</object>'],
    ['in a formula', '$$\n/cancel\n$$'],
    ['in a definition', '[a]:\n/cancel'],
    ['below a mail reply', 'Thanks!\n\nOn Tue, 3 Mar 2026 at 10:01, Rita <rita@x.y> wrote:\n\n/cancel'],
    [
      'below a folded first line',
      'Thanks!\n\nOn Tue, 3 Mar 2026 at 10:01, Rita Longname\n<r@x.y> wrote:\n\n/cancel',
    ],
    [
      'below the header of the original',
      'Thanks!\n\nFrom: Rita <r@x.y>\nSent: Tuesday\nTo: Olivia\n\n/cancel',
    ],
    ['below one in another language', 'Thanks!\n\n2026年11月2日(月) 15:04 Rita <r@x.y>:\n\n/cancel'],
    ['below one without a verb', 'Thanks!\n\n2026-11-02 15:04 GMT+01:00 Rita <r@x.y>:\n\n/cancel'],
    [
      'below a header in another language',
      'Thanks!\n\nОт: Rita <r@x.y>\nОтправлено: 2 ноября 2026 г. 15:04\n\n/cancel',
    ],
    ['below "Original Message"', 'Thanks!\n\n-----Original Message-----\n\n/cancel'],
  ])('S-2: %s', (_, comment) => {
    expect(parseComment(comment)).toEqual({ kind: 'ignore' });
  });

  test('S-2: a time or an address above a command is no mail', () => {
    for (const words of ['At 15:04 it failed:', 'Ask Rita <r@x.y>:', 'Owner: r@x.y\nSince: Monday'])
      expect(parseComment(`${words}\n\n/cancel`)).toMatchObject({ kind: 'command' });
  });

  test('S-2: one that is written above the original counts, without the original', () => {
    expect(parseComment('/guide Do it.\n\nOn Tue, 3 Mar 2026, Rita <r@x.y> wrote:\n\nOther words')).toEqual({
      kind: 'command',
      command: { name: 'guide', text: 'Do it.' },
    });
  });
});

test.each([
  ['quotes in quotes', `${'> '.repeat(30)}x`, /nested more than 20 levels deep/],
  [
    'cells that a row leaves out',
    `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|\n'.repeat(100)}`,
    /cells/,
  ],
  ['many small tables', '|a|b|\n|-|-|\n|c|\n\n'.repeat(2000), /more than 10,000 cells/],
  ['brackets', '!['.repeat(20_000), /more than 10,000 square brackets/],
  ['tiny blocks', '# a\n'.repeat(16_000), /more paragraphs, items, marks and links than people write/],
  ['tiny marks', '*a* '.repeat(16_000), /more paragraphs, items, marks and links than people write/],
  ['addresses', '<a@b.c>'.repeat(9_000), /more paragraphs, items, marks and links than people write/],
])(
  'S-18: %s are refused with the remedy, and a command beside them is not lost in silence',
  (_, text, problem) => {
    expect(readTask(text, place)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
    expect(parseComment(`/cancel\n\n${text}`)).toMatchObject({
      kind: 'reply',
      problem: expect.stringMatching(problem),
    });
    expect(parseComment(`Hello\n\n${text}`)).toEqual({ kind: 'ignore' });
  },
);

test('S-18: brackets in code, a table of 1,000 rows and a list of 3,000 items are read', () => {
  expect(readTask('- [ ] One thing to do, `here`\n'.repeat(3000), place)).toMatchObject({ ok: true });
  expect(readTask(`\`\`\`json\n${'['.repeat(20_000)}\n\`\`\``, place)).toMatchObject({ ok: true });
  expect(readTask(`|a|b|c|\n|-|-|-|\n${'|1|2|3|\n'.repeat(1000)}`, place)).toMatchObject({ ok: true });
});

/**
 * Characters looked at: one by one, by a search, or by a regular expression on its way to its match. No other work on this
 * machine changes the number. Characters that one match tries again are not in it: `npm run bench -- linear` measures those.
 */
function stepsOf(work: () => void): number {
  const { charCodeAt, indexOf, lastIndexOf } = String.prototype;
  const { exec } = RegExp.prototype;
  let steps = 0;
  String.prototype.charCodeAt = function (this: string, at: number) {
    steps += 1;
    return charCodeAt.call(this, at);
  };
  String.prototype.indexOf = function (this: string, searched: string, from = 0) {
    const found = indexOf.call(this, searched, from);
    steps += (found < 0 ? this.length : found) - from + 1;
    return found;
  };
  String.prototype.lastIndexOf = function (this: string, searched: string, from = this.length) {
    const found = lastIndexOf.call(this, searched, from);
    steps += from - Math.max(0, found) + 1;
    return found;
  };
  // Once it is not the built-in, `test`, `replace`, `match` and `split` call it, too.
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const isAnchored = this.sticky || (this.source.startsWith('^') && !this.multiline);
    const match = exec.call(this, text);
    const unmatched = isAnchored ? 0 : text.length - from;
    steps += 1 + (match ? match.index + match[0].length - from : unmatched);
    return match;
  };
  try {
    work();
  } finally {
    Object.assign(String.prototype, { charCodeAt, indexOf, lastIndexOf });
    RegExp.prototype.exec = exec;
  }
  return steps;
}

test.each([
  ...['Some words with *em* and `code` in [a](b). ', '[', '![', '`', '*a ', '<', '<a ', '<!-- ', '<script>'],
  ...['[a](', '[a]: b\n', '[^1]', '[^1]: a\n\n', '|a', '<div>\n\n', '<a b="', '$a ', '$$a', '<b>', '&#8203;'],
  ...['<blockquote>\n\na\n\n', '<table><tr><td>', '<pre>', '# a\n', '1. a\n', '\u200b', '<x>', '- a\n'],
])('S-18: four times as much of %j takes about four times the steps', (piece) => {
  const work = (length: number) => void readTask(`x ${piece.repeat(length / piece.length)}`, place);
  const steps = (length: number) => stepsOf(() => work(length));
  expect(steps(16_384) / steps(4096)).toBeLessThan(6);
  expectLinear(work, 4096);
});
