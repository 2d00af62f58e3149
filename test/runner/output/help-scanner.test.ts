import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_HELP_CHARS } from '../../../src/core/contracts/agent/help-request.ts';
import { createHelpScanner, type HelpBlock } from '../../../src/runner/output/help-scanner.ts';
import { createJsonUnescaper, unescapeJsonText } from '../../../src/runner/output/json-unescape.ts';
import { plainWords } from '../../../src/runner/output/unread-line.ts';
import { expectLinear } from '../../expect-linear.ts';

function scan(...pieces: string[]): HelpBlock[] {
  const blocks: HelpBlock[] = [];
  const scanner = createHelpScanner((block) => blocks.push(block));
  for (const piece of pieces) scanner.feed(piece);
  scanner.end();
  return blocks;
}

/** All of the text at once, the obvious way: cut at the markers that begin a line, then cut what is too long. */
function scanWhole(text: string): HelpBlock[] {
  const [, ...parts] = text.split(/(?<=^[ \t]*)<<<NEED_HELP>>>/m);
  return parts.map((part) => {
    const end = part.indexOf('<<<END_HELP>>>');
    const body = end === -1 ? part : part.slice(0, end);
    if (body.length > MAX_HELP_CHARS) return { text: body.slice(0, MAX_HELP_CHARS), closed: false };
    return { text: body, closed: end !== -1 };
  });
}

const stream =
  'a << b <<<NEED_HELP>>\n<<<NEED_HELP>>>one<<<END<<<END_HELP>>>mid\n \t<<<NEED_HELP>>>two<<<END_HELP>>>end<<';
const both = [
  { text: 'one<<<END', closed: true },
  { text: 'two', closed: true },
];

describe('createHelpScanner', () => {
  it('P-1: finds every block that begins its line', () => {
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
    const blocks = scan('<<<NEED_HELP>>>', ...pieces, '\n<<<NEED_HELP>>>two<<<END_HELP>>>');
    expect(blocks.map((block) => [block.text.length, block.closed])).toEqual([
      [65536, false],
      [3, true],
    ]);
  });

  it('P-1: finds in random texts, cut anywhere, what a look at the whole text finds', () => {
    const word = fc.constantFrom(
      '<<<NEED_HELP>>>',
      '\n<<<NEED_HELP>>>',
      '\n \t<<<NEED_HELP>>>',
      '<<<END_HELP>>>',
      '<<<NEED',
      '<<<END_',
      '<',
      '>>>',
      'what_i_need: x\n',
      'y'.repeat(40_000),
    );
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 });
    fc.assert(
      fc.property(text, cuts, (whole, places) => {
        const at = [0, ...places.map((place) => Math.round(place * whole.length)), whole.length];
        at.sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(scan(...pieces)).toEqual(scanWhole(whole));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['openers', '<<<NEED_HELP>>>'],
    ['blocks', '<<<NEED_HELP>>>x<<<END_HELP>>>'],
    ['blocks on lines', '\n<<<NEED_HELP>>>x<<<END_HELP>>>'],
    ['ends', '<<<END_HELP>>>'],
  ])('P-1: searches a line of a million characters in linear time, made of %s', (_, word) => {
    const line = `<<<NEED_HELP>>>${word.repeat(1_000_000 / word.length)}`;
    let searched = 0;
    const scanner = createHelpScanner(() => undefined, {
      find: (text, marker, from) => {
        const index = text.indexOf(marker, from);
        searched += (index === -1 ? text.length : index + marker.length) - from;
        return index;
      },
    });
    scanner.feed(line);
    scanner.end();
    expect(searched).toBeGreaterThan(0);
    // Once for either marker, and a marker that was found may be read again.
    expect(searched).toBeLessThanOrEqual(4 * line.length);
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
    expectLinear(feed, small, small);
  });
});

describe('unescapeJsonText', () => {
  it('P-1: makes a block inside JSON text plain, its markers too', () => {
    const block = '<<<NEED_HELP>>>\nwhat_i_tried: "a\\b"\t/é\n<<<END_HELP>>>';
    const escaped = JSON.stringify({ text: block }).replaceAll('<', '\\u003c').replaceAll('/', '\\/');
    expect(scan(plainWords(escaped))).toEqual([{ text: '\nwhat_i_tried: "a\\b"\t/é\n', closed: true }]);
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
