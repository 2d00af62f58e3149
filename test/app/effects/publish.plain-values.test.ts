import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

const PLAIN = {
  greeting: 'Good morning! Welcome (open 9-17)',
  address: 'https://api.example.com/v2/items?limit=10',
  mail: 'olivia+shop@example.com',
  version: 'v1.2.3-beta4',
};

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

test('S-13: values that are no secrets are published in the files they were given for', async () => {
  const run = startRun({ startMs: Date.now() - 60_000 }).beginTurn();
  run.askForHelp(Object.keys(PLAIN).map((key) => ({ key, label: key })));
  const { issue } = await desk.seed(run);
  const given = Object.entries(PLAIN).map(([key, value]) => `${key}="${value}"`);
  await desk.olivia.comment(issue, `/provide ${given.join(' ')}`);
  await desk.settle();
  expect((await desk.state()).given).toEqual({});
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const text = `${JSON.stringify(PLAIN)}\n`;
  const file = { path: 'src/texts.json', mode: '100644', status: 'added' };
  const files = [{ ...file, content: Buffer.from(text).toString('base64') }];
  const base_sha = (body as { object: { sha: string } }).object.sha;
  const changeset = new TextEncoder().encode(JSON.stringify({ base_sha, files, left_out: [] }));
  await desk.store.blobs.put('r1', 'changeset', changeset);
  await desk.olivia.comment(issue, '/accept');
  await desk.settle();
  expect(await desk.olivia.file('src/texts.json', `autobuild/issue-${issue}`)).toBe(text);
  expect(await desk.olivia.pullRequests()).toHaveLength(1);
});
