import { expect, test } from 'vitest';
import { createBotOwnership } from '../../src/app/bot-ownership.ts';

const BOT = { author: 'robot[bot]', author_type: 'Bot', app_id: 7, body: '' };

function judge(comment: typeof BOT, slug?: string): boolean {
  return createBotOwnership({ appId: 7, slug }).isOurs(comment, 1);
}

test('R-2: a comment of unknown id is ours if the App’s own bot wrote it', () => {
  expect(judge(BOT, 'robot')).toBe(true);
  expect(judge({ ...BOT, author: 'other[bot]' }, 'robot')).toBe(false);
  expect(judge({ ...BOT, author_type: 'User' }, 'robot')).toBe(false);
});

test('R-2: until GitHub has told the App’s name, its id decides, and a person who acts through the App is not the App', () => {
  expect(judge(BOT)).toBe(true);
  expect(judge({ ...BOT, app_id: 8 })).toBe(false);
  expect(judge({ ...BOT, author: 'rosa', author_type: 'User' })).toBe(false);
});
