import fc from 'fast-check';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { parseComment } from '../../src/commands/parse-comment.ts';
import { findCommandLines } from '../../src/commands/reading/find-command-lines.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { COMMAND_NAMES, Command } from '../../src/core/contracts/command.ts';
import { expectLinear } from '../expect-linear.ts';

const IGNORED = { kind: 'ignore' };
const CANCEL = { kind: 'command', command: { name: 'cancel' } };

function replyTo(text: string) {
  const parsed = parseComment(text);
  if (parsed.kind !== 'reply')
    throw new Error(`no reply to ${JSON.stringify(text)}: ${JSON.stringify(parsed)}`);
  return parsed;
}

describe('where a command is read', () => {
  it('C-4: every command of the registry resumes by its own example, also behind /autobuild', () => {
    for (const name of COMMAND_NAMES) {
      const { example } = COMMANDS[name];
      const parsed = parseComment(example);
      if (parsed.kind !== 'command') throw new Error(`${example} is not taken`);
      expect(parsed.command.name).toBe(name);
      expect(Command.parse(parsed.command)).toEqual(parsed.command);
      expect(parseComment(example.replace('/', '/autobuild '))).toEqual(parsed);
    }
  });

  it.each([
    ['alone', '/cancel'],
    ['in capitals', '/CANCEL'],
    ['after prose in the same paragraph', 'I have seen enough.\n/cancel'],
    [
      'after a paragraph, a list, a quote and code',
      'Hi\n\n- a\n- b\n\n> /retry\n\n```\n/skip\n```\n\n/cancel',
    ],
    ['with prose after it', '/cancel\nThank you!'],
    ['with CRLF line ends', 'Hello\r\n\r\n/cancel\r\n'],
    ['with punctuation', '/cancel.'],
    ['with an exclamation mark apart', '/cancel !'],
    ['indented a little', '   /cancel'],
    ['behind a zero-width space', '\u200b/cancel'],
    ['behind a byte order mark', '\ufeff/cancel'],
    ['with a non-breaking space behind', '/cancel\u00a0'],
    ['twice', '/cancel\n\n/cancel'],
    ['beside another bot’s command', '/lgtm\n/cancel'],
    ['below a list with a fenced block', '- a\n  ```\n  /retry\n  ```\n\n/cancel'],
    ['after a closed details element', '<details>\n\n/retry\n\n</details>\n\n/cancel'],
    ['between two pieces of inline code', 'I ran `npm test`.\n/cancel\nwith `x`'],
  ])('takes it %s', (_, text) => {
    expect(parseComment(text)).toEqual(CANCEL);
  });

  it.each([
    ['a quote', '> /cancel'],
    ['a lazy line of a quote', '> He said\n/cancel'],
    ['a nested quote', '> > /cancel'],
    ['a fenced block', '```\n/cancel\n```'],
    ['a fenced block with tildes', '~~~sh\n\n/cancel\n~~~'],
    ['a fenced block that is not closed', '```\n\n/cancel'],
    ['an indented block', '    /cancel'],
    ['inline code', '`/cancel`'],
    ['inline code over several lines', 'see `x\n/cancel\ny`'],
    ['a list item', '- /cancel'],
    ['a second paragraph of a list item', '- a\n\n  /cancel'],
    ['a numbered list', '1. /cancel'],
    ['a heading', '# /cancel'],
    ['an underlined heading', '/cancel\n==='],
    ['an HTML comment', '<!-- x\n\n/cancel\n\n-->'],
    ['an HTML comment inside a paragraph', 'x <!--\n/cancel\n-->'],
    ['an HTML block', '<div>\n/cancel\n</div>'],
    ['preformatted HTML', '<pre>\n\n/cancel\n\n</pre>'],
    ['a details element', '<details>\n\n/cancel\n\n</details>'],
    ['an HTML quote', '<blockquote>\n\n/cancel\n\n</blockquote>'],
    ['an attribute', 'x <a title="\n/cancel\n">y</a>'],
    ['the title of a link', '[x](u "\n/cancel\n")'],
    ['the description of an image', 'x ![\n/cancel\n](u)'],
    ['a table', '| a |\n|---|\n/cancel'],
    ['a link definition', '[a]:\n/cancel'],
    ['a footnote', '[^1]: x\n/cancel'],
    ['the middle of a line', 'please /cancel'],
    ['emphasis', '*/cancel*'],
    ['a path', '/usr/bin/env'],
    ['a path that begins like a command', '/cancel/thing and /cancelled/thing'],
    ['a longer word', '/cancellation'],
    ['nothing at all', ''],
    ['white space', ' \n\t\n'],
  ])('does nothing inside %s', (_, text) => {
    expect(parseComment(text)).toEqual(IGNORED);
  });

  it("ignores the bot's own comments whole", () => {
    expect(parseComment('<!-- autobuild:reply run=k7 -->\n\n/cancel')).toEqual(IGNORED);
    expect(parseComment('/cancel\n\n<!--autobuild:reply run=k7 -->')).toEqual(IGNORED);
  });
});

describe('what is replied to', () => {
  it('refuses words after a command that stands alone, and shows it', () => {
    expect(replyTo('/cancel please').suggestion).toBe('/cancel');
    expect(replyTo('/terminate?').suggestion).toBe('/terminate');
    expect(parseComment('/status?')).toEqual({ kind: 'command', command: { name: 'status' } });
  });

  it('wants one command at a time', () => {
    for (const text of [
      '/cancel\n/retry',
      '/retry\n\nor\n\n/cancel',
      '/pause\n/termnate',
      '/continue +5\n/continue +10min',
      '/guide look here\n\n/cancel',
      '/guide a\n\n/guide b',
      '/provide a=1\n/cancel',
      '/retry\n/autobuild cancel',
    ])
      expect(replyTo(text).problem).toContain('one at a time');
  });

  it.each([
    ['/contineu +5', '/contineu', '/continue +5'],
    ['/Retyr', '/Retyr', '/retry'],
    ['/hlep', '/hlep', '/help'],
    ['/aprove files=30', '/aprove', '/approve files=30'],
    ['/giude my password is hunter2', '/giude', '/guide <text>'],
    ['/provid stripe_key=sk_live_1 b="x y"', '/provid', '/provide stripe_key= b='],
    ['/autobiuld continue +5', '/autobiuld', '/continue +5'],
    ['/autobuild contineu', 'contineu', '/continue'],
    ['/autobuild frobnicate', 'frobnicate', '/help'],
  ])('asks back after %s', (text, word, suggestion) => {
    const reply = replyTo(text);
    expect(reply.problem).toContain(word);
    expect(reply.problem).toContain('is not a command');
    expect(reply.problem.includes('Did you mean this?')).toBe(word !== 'frobnicate');
    expect(reply.suggestion).toBe(suggestion);
  });

  it.each([
    '/lgtm',
    '/hold',
    '/ready',
    '/retest',
    '/assign @mona',
    '/merge',
    '/deploy prod',
    '/close',
    '/ok-to-test',
  ])('leaves %s to other bots', (text) => {
    expect(parseComment(text)).toEqual(IGNORED);
  });

  it('shows the plain slash to people who typed another one, and no value', () => {
    expect(replyTo('／continue +5').suggestion).toBe('/continue +5');
    const reply = replyTo('／provide key=hunter2');
    expect(reply.suggestion).toBe('/provide key=');
    expect(JSON.stringify(reply)).not.toContain('hunter2');
  });

  it('takes /autobuild alone as a call for help', () => {
    expect(parseComment('/autobuild')).toEqual({ kind: 'command', command: { name: 'help' } });
    expect(parseComment('/Autobuild /Continue +5')).toMatchObject({
      command: { name: 'continue', turns: 5 },
    });
  });
});

describe('whatever is written', () => {
  const markdown = unified().use(remarkParse).use(remarkGfm).freeze();
  const line = fc.oneof(
    fc.constantFrom(
      ...COMMAND_NAMES.map((name) => `/${name}`),
      '/provide a=1',
      '/continue +5',
      '',
      '```',
      '<!--',
      '- a',
    ),
    fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' ')),
  );

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(line).map((lines) => lines.join('\n')),
        ),
        (text) => {
          expect(['command', 'reply', 'ignore']).toContain(parseComment(text).kind);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never takes a command from text in which every line is quoted', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        expect(parseComment(lines.map((text) => `> ${text}`).join('\n'))).toEqual(IGNORED);
      }),
      { numRuns: 500 },
    );
  });

  it('never takes a command from text in which every line is fenced', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const text = `\`\`\`\`\n${lines.join('\n').replaceAll('````', '')}\n\`\`\`\``;
        expect(parseComment(text)).toEqual(IGNORED);
      }),
      { numRuns: 500 },
    );
  });

  it('never finds a command where remark does not see plain text in an outermost paragraph', () => {
    const piece = fc.constantFrom(
      ...'\n|\n|\n\n| |  |    |\t|> |- |* |1. |2. |```|~~~|````|`|``|<!--|-->|<div>|</div>|<b>|<pre>|</pre>|<a title="|">|[a]|](u "|")|![|[a]: |\n/cancel\n|\n/cancel\n|\n\n/cancel\n|foo|# |---|===|\\|*|[^1]: |<?|?>|"|<x:y>'.split(
        '|',
      ),
      '| a |',
      '|---|',
    );
    let commands = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        const plain = plainPlaces(text);
        for (const { end } of findCommandLines(text).lines) {
          commands += 1;
          expect(plain.has(text.lastIndexOf('/cancel', end))).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
    expect(commands).toBeGreaterThan(100);
  });

  function plainPlaces(text: string): Set<number> {
    const places = new Set<number>();
    const collect = (node: { type: string; position?: unknown; children?: unknown[] }) => {
      const position = node.position as { start: { offset: number }; end: { offset: number } };
      if (node.type === 'text')
        for (let at = position.start.offset; at < position.end.offset; at += 1) places.add(at);
      for (const child of node.children ?? []) collect(child as typeof node);
    };
    for (const block of markdown.parse(text).children) if (block.type === 'paragraph') collect(block);
    return places;
  }
});

describe('up to 64 KiB are read in linear time', () => {
  const fill = (text: string) => (size: number) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  const framed = (start: string, text: string, end = '') => {
    const rest = fill(text);
    return (size: number) => `${start}${rest(size)}${end}`;
  };
  const join = (count: (size: number) => number, separator: string, item: (n: number) => string) => {
    return (size: number) => Array.from({ length: count(size) }, (_, n) => item(n)).join(separator);
  };
  it.each([
    ['prose', fill('Hello *world*, see `x` and [y](https://example.com). ')],
    ['lines of prose', fill('Hello *world*.\n')],
    ['nested quotes', fill('>')],
    ['deep quotes', fill(`${'> '.repeat(500)}\n`)],
    ['nested lists', fill('- ')],
    ['backticks', fill('`')],
    ['pairs of backticks', fill('` `` ')],
    [
      'runs of backticks, each longer',
      join(
        (size) => Math.sqrt(2 * size),
        ' ',
        (n) => '`'.repeat(n),
      ),
    ],
    ['brackets', fill('[a](')],
    ['link tails', fill('](a "')],
    ['angles', fill('<a b="')],
    ['comments', fill('<!--')],
    ['tags', fill('<a b="" c=\'')],
    ['images', fill('![')],
    ['dashes', framed('', '-', 'x')],
    ['table dashes', framed('a\n', '-|', 'x')],
    ['spaces', fill(' ')],
    ['line breaks', fill('\n')],
    ['commands', fill('/continue +5\n')],
    ['near misses', fill('/contineu +5\n')],
    [
      'words of others',
      join(
        (size) => size / 8,
        '\n',
        (n) => `/x${n.toString(26).replace(/\d/g, 'y')}`,
      ),
    ],
    ['values', framed('/provide ', 'a=')],
    [
      'many values',
      join(
        (size) => size / 8,
        ' ',
        (n) => (n === 0 ? '/provide' : `k${n}=1`),
      ),
    ],
    ['an open quote', framed('/provide a="', '\\"')],
    ['paths', framed('/approve paths=', '{a,')],
    ['amounts', framed('/continue ', '+5 m ')],
    ['dots', framed('/continue ', '.', 'x')],
  ])('%s', (_, textOf) => {
    const parse = (size: number) => void parseComment(textOf(size));
    const parseWithCommand = (size: number) => {
      const text = textOf(size);
      parseComment(`/x ${text}\n/cancel\n\n${text.slice(0, 100)}`);
    };
    expectLinear(parse, 16_350);
    expectLinear(parseWithCommand, 6_000);
  });
});
