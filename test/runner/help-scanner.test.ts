import { describe, expect, it } from 'vitest';
import { createHelpScanner, type HelpBlock } from '../../src/runner/help-scanner.ts';
import { createJsonUnescaper, unescapeJsonText } from '../../src/runner/json-unescape.ts';
import { growth } from '../growth.ts';

function scan(...pieces: string[]): HelpBlock[] {
  const blocks: HelpBlock[] = [];
  const scanner = createHelpScanner((block) => blocks.push(block));
  for (const piece of pieces) scanner.feed(piece);
  scanner.end();
  return blocks;
}

const stream =
  'a << b <<<NEED_HELP>>\n<<<<NEED_HELP>>>one<<<END<<<END_HELP>>>mid<<<NEED_HELP>>>two<<<END_HELP>>>end<<';
const both = [
  { text: 'one<<<END', closed: true },
  { text: 'two', closed: true },
];

describe('createHelpScanner', () => {
  it('P-1: finds every block, anywhere in the text', () => {
    expect(scan(stream)).toEqual(both);
    expect(scan('nothing < here', '')).toEqual([]);
  });

  it('P-1: finds blocks whose markers are split over pieces, at every place and into single characters', () => {
    for (let at = 0; at <= stream.length; at++)
      expect(scan(stream.slice(0, at), stream.slice(at))).toEqual(both);
    expect(scan(...stream)).toEqual(both);
  });

  it('P-1: delivers a block that the stream cuts off', () => {
    expect(scan('<<<NEED_HELP>>>what', '_i_need: x<<<END_HE')).toEqual([
      { text: 'what_i_need: x<<<END_HE', closed: false },
    ]);
  });

  it('P-1: delivers an unfinished block when another begins', () => {
    expect(scan('<<<NEED_HELP>>>one\n<<<NEED_HELP>>>two<<<END_HELP>>>')).toEqual([
      { text: 'one\n', closed: false },
      { text: 'two', closed: true },
    ]);
  });

  it('P-1: delivers the first 64 KiB of a block without an end, and finds the next one', () => {
    const pieces = Array.from({ length: 100 }, () => 'y'.repeat(1000));
    const blocks = scan('<<<NEED_HELP>>>', ...pieces, '<<<NEED_HELP>>>two<<<END_HELP>>>');
    expect(blocks.map((block) => [block.text.length, block.closed])).toEqual([
      [65536, false],
      [3, true],
    ]);
  });

  it.each([
    ['in a block', 15_000, 0],
    ['past the end of one', 70_000, 1],
  ])('takes single characters in linear time, %s', (_, small, delivered) => {
    const feed = (size: number) => {
      let blocks = 0;
      const scanner = createHelpScanner(() => blocks++);
      scanner.feed('<<<NEED_HELP>>>');
      for (let n = 0; n < size; n++) scanner.feed('<');
      expect(blocks).toBe(delivered);
    };
    expect(growth(feed, small)).toBeLessThan(10);
  });
});

describe('unescapeJsonText', () => {
  it('P-1: makes a block inside JSON text plain, its markers too', () => {
    const block = '<<<NEED_HELP>>>\nwhat_i_tried: "a\\b"\t/é\n<<<END_HELP>>>';
    const escaped = JSON.stringify({ text: block }).replaceAll('<', '\\u003c').replaceAll('/', '\\/');
    expect(scan(unescapeJsonText(escaped))).toEqual([{ text: '\nwhat_i_tried: "a\\b"\t/é\n', closed: true }]);
  });

  it('leaves what is no escape', () => {
    expect(unescapeJsonText('\\x \\u00g0 \\\\n \\')).toBe('\\x \\u00g0 \\n \\');
  });

  it('P-1: gives the same for pieces cut anywhere', () => {
    const raw = 'a\\\\\\n\\u003c\\"\\\\u003c\\u00e9 \\u12 \\\\';
    const whole = unescapeJsonText(raw);
    for (let at = 0; at <= raw.length; at++) {
      const unescaper = createJsonUnescaper();
      expect(unescaper.feed(raw.slice(0, at)) + unescaper.feed(raw.slice(at)) + unescaper.end()).toBe(whole);
    }
    const single = createJsonUnescaper();
    expect([...raw].map((char) => single.feed(char)).join('') + single.end()).toBe(whole);
  });
});
