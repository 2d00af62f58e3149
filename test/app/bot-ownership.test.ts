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

test('C-6: what the App’s own bot did to an issue is ours, by its name as soon as GitHub has told it', () => {
  const didWe = (event: { actor?: string; actor_type?: string; app_id?: number }, slug?: string) =>
    createBotOwnership({ appId: 7, slug }).didWe(event);
  // An event of a webhook does not name the App.
  const told = { actor: 'robot[bot]', actor_type: 'Bot' };
  expect(didWe(told, 'robot')).toBe(true);
  expect(didWe(told)).toBe(false);
  expect(didWe({ ...told, app_id: 7 })).toBe(true);
  expect(didWe({ ...told, actor: 'stale[bot]' }, 'robot')).toBe(false);
  expect(didWe({ actor: 'rosa', actor_type: 'User', app_id: 7 })).toBe(false);
});
