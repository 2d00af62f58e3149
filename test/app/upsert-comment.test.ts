import { afterEach, expect, test } from 'vitest';
import { upsertComment } from '../../src/app/upsert-comment.ts';
import { type AppDesk, askingRun, openAppDesk } from './app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

test('R-10: a text that is back after an edit whose response was lost is written again', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const github = await desk.deps.github({ installation_id: 100, owner: 'olivia', repo: 'shop' });
  const op = 'r1.status';
  const write = (text: string, client = github) =>
    upsertComment(desk.deps, client, { op, issue, body: `<!-- autobuild:status op=${op} -->\n${text}` });
  await write('Paused');
  const lost = write('Building', {
    ...github,
    async updateComment(id, body) {
      await github.updateComment(id, body);
      throw new Error('the response was lost');
    },
  });
  await expect(lost).rejects.toThrow('lost');
  await write('Paused');
  const bodies = (await desk.olivia.comments(issue)).map(({ body }) => body);
  expect(bodies.filter((body) => body.includes(`op=${op} `))).toEqual([
    `<!-- autobuild:status op=${op} -->\nPaused`,
  ]);
});
