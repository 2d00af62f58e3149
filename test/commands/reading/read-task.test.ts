import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTask } from '../../../src/commands/reading/read-task.ts';

const place = { id: 'issue-7', source: 'https://example.com/issues/7' };

function taskOf(text: string, title?: string) {
  const read = readTask(text, { ...place, title });
  if (!read.ok) throw new Error(read.problem);
  return { ...read.task, hidden: read.task.hidden?.characters ?? 0 };
}

function problemOf(text: string): string {
  const read = readTask(text, place);
  if (read.ok) throw new Error('it was taken');
  return read.problem;
}

describe('the parts of a task', () => {
  it('reads title, body, acceptance criteria and scope', () => {
    const text = [
      '# Accept card payments',
      'People pay by card.',
      '## Acceptance Criteria:',
      '- [ ] a **card** is charged\n- [x] `npm test` passes\n  - on Windows too',
      '### More\n\n1. receipts are sent',
      '## Scope\n\n- `src/payments/**` and `test/payments/**`\n- src/*_a_*/**\n- checkout\n- docs/** for the guide\n- please be careful here',
      '## Notes\n\n- not a criterion',
    ].join('\n\n');
    expect(taskOf(text)).toEqual({
      ...place,
      title: 'Accept card payments',
      body: text,
      acceptance_criteria: [
        'a **card** is charged',
        '`npm test` passes',
        'on Windows too',
        'receipts are sent',
      ],
      scope: ['src/payments/**', 'test/payments/**', 'src/*_a_*/**', 'checkout', 'docs/**'],
      hidden: 0,
    });
  });

  it('takes title and scope from the front matter and ignores its other keys', () => {
    const task = taskOf(
      '---\ntitle: Pay by card\nscope: [src/**, "docs"]\nlabels: [a]\n---\n# Other\n\n## Scope\n- lib',
    );
    expect(task).toMatchObject({
      title: 'Pay by card',
      scope: ['src/**', 'docs'],
      body: '# Other\n\n## Scope\n\n- lib',
    });
    expect(taskOf('---\nscope: src/**\n---\nDo it').scope).toEqual(['src/**']);
    expect(taskOf('---\ntitle: 12\n---\nDo it').title).toBe('12');
  });

  it('takes the first line as title when there is no other, cut to 100 characters', () => {
    expect(taskOf('\n\n## Do it\n\nnow')).toMatchObject({
      title: 'Do it',
      scope: undefined,
      acceptance_criteria: [],
    });
    expect(taskOf('😀'.repeat(150)).title).toBe('😀'.repeat(100));
  });

  it('does not take two rulers for front matter', () => {
    expect(taskOf('---\nJust a sentence\n---\nand more').body).toBe('---\n\n## Just a sentence\n\nand more');
    expect(taskOf('---\n\n# Build it').title).toBe('Build it');
  });

  it('reads CRLF like LF', () => {
    expect(taskOf('---\r\ntitle: A\r\n---\r\n## Acceptance criteria\r\n- x\r\n')).toMatchObject({
      title: 'A',
      acceptance_criteria: ['x'],
      body: '## Acceptance criteria\n\n- x',
    });
  });
});

describe('only what people see is in the task', () => {
  it.each([
    ['a comment', 'See <!-- SECRET --> this', 'See this'],
    ['a comment over paragraphs', 'See\n\n<!--\n\nSECRET\n\n-->\n\nthis', 'See\n\nthis'],
    ['a comment that never ends', 'See\n\n<!-- SECRET\n\nSECRET', 'See'],
    ['a comment in a quote', '> See\n>\n> <!-- SECRET -->', '> See'],
    ['a link definition', 'See\n\n[//]: # (SECRET)\n[a]: b "SECRET"', 'See'],
    ['the title of a link', '[See](https://x.y "SECRET")', '[See](https://x.y)'],
    [
      'the description of an image',
      'See ![SECRET](https://x.y/a.png "SECRET")',
      'See ![image](https://x.y/a.png)',
    ],
    ['attributes', '<p title="SECRET">See</p>', 'See'],
    ['an image tag', 'See <img alt="SECRET" src="x">', 'See ![image](x)'],
    ['a hidden element', 'See <span hidden>SECRET</span> this', 'See this'],
    [
      'a hidden element over blocks',
      'See\n\n<div style="display:none">\n\nSECRET\n\n- SECRET\n\n</div>\n\nthis',
      'See\n\nthis',
    ],
    ['a script', 'See\n\n<script>\nif (a < b) SECRET\n</script>', 'See'],
    ['words after a fence’s language', '```js SECRET\nSee\n```', '```js\nSee\n```'],
    ['words after a nested fence’s language', '- ```js SECRET\n  See\n  ```', '- ```js\n  See\n  ```'],
    ['cells beyond the heading', '| See |\n|---|\n| a | SECRET |', '| See |\n|---|\n| a |'],
    ['a footnote nobody refers to', 'See\n\n[^1]: SECRET', 'See'],
    ['a processing instruction', 'See <?SECRET?>', 'See'],
  ])('takes out %s', (_, text, body) => {
    expect(taskOf(text).body).toBe(body);
  });

  it('keeps what is shown: code, folded text, footnotes, plain angles', () => {
    for (const text of [
      '```html\n<!-- shown -->\n```',
      '- a\n\n  ```\n  <!-- shown -->\n  ```',
      'Use `<!-- shown -->` and `[a]: b`',
      'See[^1].\n\n[^1]: shown',
      'a < b and c > d, https://example.com/x',
    ])
      expect(taskOf(text).body).toBe(text);
    expect(taskOf('<details><summary>Log</summary>\n\nshown\n\n</details>').body).toBe('Log\n\nshown');
  });

  it('keeps hidden items out of criteria, scope and title', () => {
    const task = taskOf(
      '<div hidden>\n\n# SECRET\n\n## Scope\n- SECRET\n\n</div>\n\n## Acceptance criteria\n- a <!-- SECRET -->\n- <span hidden>SECRET</span>\n- <!-- SECRET -->',
    );
    expect(task.acceptance_criteria).toEqual(['a']);
    expect(JSON.stringify(task)).not.toContain('SECRET');
  });

  it('counts and removes invisible characters, and leaves emoji alone', () => {
    const tags = Array.from('evil', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(
      '',
    );
    expect(taskOf(`a\u200bb\u202ec${tags}\u{e0101}\u00ad`)).toMatchObject({
      body: 'abc',
      title: 'abc',
      hidden: 8,
    });
    expect(taskOf('👨‍👩‍👧 ❤️')).toMatchObject({ body: '👨‍👩‍👧 ❤', hidden: 0 });
    expect(taskOf('---\ntitle: a\u200bb\n---\nx')).toMatchObject({ title: 'ab', hidden: 1 });
  });
});

describe('R-8: the title beside a body', () => {
  const tags = Array.from('evil', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

  it.each([
    ['zero-width', 'Fix\u200b the\u2060 typo\ufeff', 3],
    ['bidirectional', '\u202eFix the\u2066 typo\u2069', 3],
    ['tag', `Fix the typo${tags}`, 4],
    ['control', 'Fix\u001b the typo\u0085', 2],
    ['no', 'Fix  the\r\n typo ', 0],
  ])('%s characters are taken out of it and counted', (_, title, hidden) => {
    expect(taskOf('Where it says teh.', title)).toMatchObject({ title: 'Fix the typo', hidden });
    expect(taskOf('Where it\u200b says teh.', title)).toMatchObject({
      title: 'Fix the typo',
      body: 'Where it says teh.',
      hidden: hidden + 1,
    });
    expect(taskOf('', title)).toMatchObject({ title: 'Fix the typo', hidden });
  });

  it('is taken before titles in the body, unless it shows nothing', () => {
    expect(taskOf('# Inner\n\ntext', 'Outer <!-- shown -->').title).toBe('Outer <!-- shown -->');
    expect(taskOf('# Inner\n\ntext', '\u200b\u200b')).toMatchObject({ title: 'Inner', hidden: 2 });
    expect(readTask('', { ...place, title: '\u200b' })).toMatchObject({ ok: false });
    expect(readTask('<!-- template -->', { ...place, title: 'Outer' })).toMatchObject({ ok: false });
  });

  it('is clean also where a task file spells the characters out', () => {
    expect(taskOf('---\ntitle: "a\\u200bb\\u202e"\n---\nx')).toMatchObject({ title: 'ab', hidden: 2 });
    expect(taskOf('# a&#8203;b&#x202e;\n\nx')).toMatchObject({ title: 'ab', hidden: 2 });
    expect(taskOf('---\ntitle: "\\u200b"\n---\nx')).toMatchObject({ title: 'x', hidden: 1 });
  });
});

describe('a text that is no task', () => {
  it.each([
    ['empty', '', 'write what to build'],
    ['white space', ' \n\t ', 'write what to build'],
    ['only a comment', '<!-- template -->', 'Write what to build'],
    ['only invisible characters', '\u200b\u200b', 'Write what to build'],
    ['with a NUL', 'a\u0000b', 'binary'],
    ['full of control characters', 'abc\u0001\u0002', 'binary'],
    ['of undecodable bytes', 'ab\ufffd\ufffd', 'binary'],
    ['too long', 'x'.repeat(262_145), '256 KiB'],
    ['too long in bytes', '€'.repeat(100_000), '256 KiB'],
    ['nested too deep', '> '.repeat(30), 'nested'],
    ['with bad YAML', '---\ntitle: a\nscope: [a\n---\nx', 'line 3'],
    ['with a YAML alias', '---\ntitle: &a x\nscope: *a\n---\nx', 'alias'],
    ['with a map as title', '---\ntitle:\n  a: b\n---\nx', '`title`'],
    ['with a map in scope', '---\nscope:\n  - a: b\n---\nx', '`scope`'],
    ['with too much front matter', `---\na: ${'b'.repeat(20_000)}\n---\nx`, '16 KiB'],
    ['with bottomless YAML', `---\na: ${'['.repeat(16_000)}\n---\nx`, 'front matter'],
  ])('%s: a problem with a remedy', (_, text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  it('names an id that cannot be one', () => {
    expect(readTask('x', { id: '../x', source: 's' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('id'),
    });
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      ...'\n,\n\n,---\n,title: a,> ,- ,```,<!--,-->,<div hidden>,</div>,[a]: b,[^1]:,|a|b|,`,# ,a'.split(','),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(readTask(pieces.join(''), place)).toHaveProperty('ok');
      }),
      { numRuns: 500 },
    );
  });
});
