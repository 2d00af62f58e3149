import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createLiveView } from '../../../src/cli/terminal/live-view.ts';

const typed = { characters: [...'/guide x'], cursor: 8 };

test('T-6: the lines are rewritten in place, also in a terminal that became narrower', () => {
  const out = Object.assign(new PassThrough(), { columns: 80 });
  const view = createLiveView(out);
  view.draw('▶ 1/10  0:01', typed);
  expect(String(out.read())).toBe('▶ 1/10  0:01\n> /guide x\r\x1b[10C');
  view.draw('a'.repeat(79), typed);
  expect(String(out.read())).toMatch(/^\r\x1b\[1A\x1b\[J/);
  out.columns = 40;
  view.print('✓ done');
  // The line of 79 cells has become two rows.
  expect(String(out.read())).toBe('\r\x1b[2A\x1b[J✓ done\n');
  view.print('more');
  expect(String(out.read())).toBe('more\n');
});

test('T-6: a long line shows the part around the cursor, and never wraps', () => {
  const out = Object.assign(new PassThrough(), { columns: 20 });
  createLiveView(out).draw('', { characters: [...'0123456789abcdefghijklmnop日本'], cursor: 28 });
  const [, shown = ''] = String(out.read()).split('\n');
  expect(shown).toBe(
    '> cdefghijklmnop日本\r\x1b[19C'.replace('cdefghijklmnop', 'efghijklmnop').replace('19', '18'),
  );
});
