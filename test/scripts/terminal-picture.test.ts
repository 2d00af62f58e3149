import { expect, test } from 'vitest';
import { drawTerminal, linesThatStay } from '../../scripts/terminal-picture.ts';

test('what the live line showed before it was cleared is not in the picture', () => {
  const output = 'first\r\n▶ 1/10  0:00 ⠏\r\x1b[J▶ 1/10  0:01 ⠋\r\x1b[J\x1b[32m✓\x1b[0m done\r\n';
  expect(linesThatStay(output)).toEqual(['first', '\x1b[32m✓\x1b[0m done', '']);
});

test('each piece has its column, its width and its style, and text is text', () => {
  const svg = drawTerminal('A title', ['  \x1b[1mAnswer\x1b[0m', '/guide <text>   a & b'], 30);
  const drawn = [
    ...svg.matchAll(
      /<text x="([\d.]+)" y="(\d+)" textLength="([\d.]+)"[^>]*?( font-weight="bold")?>(.*?)<\/text>/g,
    ),
  ];
  expect(
    drawn.map(([, x, y, length, bold, text]) => [Number(x), Number(y), Number(length), Boolean(bold), text]),
  ).toEqual([
    [18 + 2 * 7.8, 31, 46.8, true, 'Answer'],
    [18, 49, 101.4, false, '/guide &lt;text&gt;'],
    [18 + 16 * 7.8, 49, 39, false, 'a &amp; b'],
  ]);
});
