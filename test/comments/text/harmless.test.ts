import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, fenced, inlineText, quoted } from '../../../src/comments/text/harmless.ts';
import { renderTable } from '../../../src/comments/text/markdown.ts';
import { expectLinear } from '../../expect-linear.ts';
import { CLOSING, findActive, parseMarkdown, walk } from '../active-markdown.ts';
import { hostile, TRICKS } from '../hostile-text.ts';

function countNodes(markdown: string, type: string): number {
  let found = 0;
  walk(parseMarkdown(markdown), (node) => {
    if (node.type === type) found += 1;
  });
  return found;
}

function renderings(text: string): string[] {
  return [
    inlineText(text, 300),
    `${inlineText(text, 25)}`,
    `**Why:** ${inlineText(text, 300)} and ${code(text, 80)} end`,
    `before\n\n${quoted(text, 600)}\n\nafter`,
    `before\n\n${fenced(text, 600)}\n\nafter`,
    renderTable({ head: ['a', 'b'], rows: [[inlineText(text, 200), code(text, 200)]] }),
    `- ✗ ${code(text, 60)}: ${inlineText(text, 60)}`,
  ];
}

describe('agent text in markdown', () => {
  it.each(TRICKS)('S-14: a known trick stays text, number %#', (trick) => {
    expect(renderings(trick).flatMap((markdown) => findActive(markdown))).toEqual([]);
  });

  it('S-14: nothing active comes out of 3,000 random texts, whatever they stand in', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(renderings(text).flatMap((markdown) => findActive(markdown))).toEqual([]);
      }),
      { numRuns: 800 },
    );
  }, 120_000);

  it('S-14: a table keeps its two columns and a fence keeps its text, for 2,000 random texts', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const table = renderTable({ head: ['a', 'b'], rows: [[inlineText(text, 200), code(text, 200)]] });
        expect(countNodes(table, 'tableRow')).toBe(2);
        expect(countNodes(table, 'tableCell')).toBe(4);
        const block = parseMarkdown(`${fenced(text, 600)}\n\nafter`);
        expect(block.children.map((child) => child.type)).toEqual(['code', 'paragraph']);
        const quote = parseMarkdown(`before\n\n${quoted(text, 600)}\n\nafter`);
        expect(quote.children.map((child) => child.type)).toEqual(['paragraph', 'blockquote', 'paragraph']);
      }),
      { numRuns: 500 },
    );
  }, 120_000);

  it('S-14: no closing keyword stands before a reference, not even in the raw text of what a pull request may carry', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(inlineText(text, 300)).not.toMatch(CLOSING);
        expect(code(text, 300)).not.toMatch(CLOSING);
        expect(quoted(text, 300)).not.toMatch(CLOSING);
      }),
      { numRuns: 500 },
    );
    expect(code('fixes #12: handles null', 80)).toBe('`fixes` `#12: handles null`');
    expect(code('closes: acme/storefront#2', 80)).toBe('`closes:` `acme/storefront#2`');
    expect(inlineText('This fixes #12.', 80)).toBe('This fixes `#12`.');
  });

  it('shows what was written', () => {
    expect(inlineText('Ask (@mona), she knows `src/a_b.ts`', 80)).toBe(
      'Ask (`@mona`), she knows `src/a_b.ts`',
    );
    expect(inlineText('snake_case and *stars* <b>', 80)).toBe('snake_case and \\*stars\\* &lt;b&gt;');
    expect(inlineText('1. first', 80)).toBe('1\\. first');
    expect(quoted('one\n\ntwo', 80)).toBe('> one\n>\n> two');
    expect(code('a `b` c', 80)).toBe('``a `b` c``');
    expect(code('`', 80)).toBe('`` ` ``');
    expect(code('', 80)).toBe('');
    expect(fenced('a\n```\nb', 80, 'diff')).toBe('````diff\na\n```\nb\n````');
  });

  it.each(['`', '@', 'a', '<!-- ', '![', '\x1b[', '`a', 'fixes ', '\u0301', ')', '#1 ', '\n', ':a'])(
    'S-18: is bounded, and linear in time, on any amount of %j',
    (unit) => {
      const show = (size: number) => {
        const text = unit.repeat(Math.ceil(size / unit.length));
        expect(inlineText(text, 600).length).toBeLessThan(6_000);
        expect(quoted(text, 600).length).toBeLessThan(6_000);
        expect(code(text, 200).length).toBeLessThan(700);
        expect(fenced(text, 4_000).length).toBeLessThan(12_100);
      };
      expectLinear(show, 65_536);
    },
  );
});
