import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderChatLine } from '../../../src/comments/github/render-chat-line.ts';
import { hostile } from '../hostile-text.ts';
import { WHERE } from '../story.ts';

const PLACE = { owner: 'corner', repo: 'shop', issue: 42 };
const chat = (headline: string) => renderChatLine(PLACE, headline, WHERE);

test('P-10: a chat gets the place, the headline and the way to the question', () => {
  expect(chat('2 values needed')).toBe(
    'corner/shop#42: waiting for you: 2 values needed\nhttps://github.com/corner/shop/issues/42#issuecomment-1001',
  );
  const way = renderChatLine(PLACE, 'x', { links: { run_page: 'https://desk/runs/r1' } });
  expect(way).toBe('corner/shop#42: waiting for you: x\nhttps://desk/runs/r1');
});

test.each([
  [
    '<!channel> & <https://evil.example|Click>',
    '&lt;!channel&gt; &amp; &lt;https:\u200b//evil.example|Click&gt;',
  ],
  ['@here @all', '@\u200bhere @\u200ball'],
  ['[Click](evil.example)', '[Click] (evil.example)'],
  ['one\ntwo\u202e\u001b[31m', 'one two'],
])('P-10: %j is shown and calls nobody', (headline, shown) => {
  expect(chat(headline).split('\n')[0]).toBe(`corner/shop#42: waiting for you: ${shown}`);
});

test('P-10: whatever the headline is, it stays one line of bounded length without controls', () => {
  fc.assert(
    fc.property(hostile, (headline) => {
      const lines = chat(headline).split('\n');
      expect(lines).toHaveLength(2);
      const [line = ''] = lines;
      expect(line).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)|[@＠](?!\u200b)|:\/\/|\]\(/);
      expect(line.length).toBeLessThan(1_100);
    }),
  );
});
