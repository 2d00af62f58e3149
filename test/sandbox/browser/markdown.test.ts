import { expect, test } from 'vitest';
import { renderMarkdown, tickBox } from '../../../src/sandbox/browser/markdown.ts';

const render = (text: string) => renderMarkdown(text, '/olivia/shop');

test('C-1: a task list has boxes with numbers, and a marker beside them is not shown', () => {
  const shown = render('- [ ] <!-- autobuild:option id=e1.a --> **One**\n- [x] Two\n- Three');
  expect(shown).toContain('<input type="checkbox" data-box="0" aria-label="One">');
  expect(shown).toContain('<input type="checkbox" data-box="1" aria-label="Two" checked="">');
  expect(shown).not.toContain('autobuild:option');
  expect(shown).not.toContain('data-box="2"');
});

test('C-1: folds, tables, alerts and numbers of issues', () => {
  expect(render('<details><summary>More</summary>\n\ntext\n\n</details>')).toContain(
    '<details><summary>More</summary>',
  );
  expect(render('| a |\n|:--|\n| b |')).toContain('<td>b</td>');
  expect(render('> [!WARNING]\n> careful')).toContain('<blockquote class="alert warning">');
  expect(render('see #4, not `#5` and not a#6')).toContain(
    '<a href="/olivia/shop/issues/4">#4</a>, not <code>#5</code> and not a#6',
  );
});

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<svg><script>alert(1)</script></svg>',
  '<p style="color:red" onclick="x()">y</p>',
  '<iframe src="//evil.example"></iframe>',
])('S-1: %s is harmless', (text) => {
  expect(render(text)).not.toMatch(/script|onerror|onclick|style|iframe|javascript|<img/i);
});

test('C-1: a click ticks its own box, and none in code', () => {
  const text = '```\n- [ ] code\n```\n- [ ] one\n- [ ] two';
  expect(tickBox(text, 1, true)).toBe('```\n- [ ] code\n```\n- [ ] one\n- [x] two');
  expect(tickBox(tickBox(text, 0, true), 0, false)).toBe(text);
});
