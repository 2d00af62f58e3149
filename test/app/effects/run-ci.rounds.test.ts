import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published } from '../published-run.ts';
import { finishRound, restOnPull, takeRound } from '../revise-desk.ts';

let desk: AppDesk;
let work: Published & { number: number };
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
});
afterEach(() => desk?.close());

async function begin(): Promise<void> {
  await desk.person('walter').comment(work.number, '/guide Use a constant');
  await desk.settle();
}

test('V-8: Run CI is refused in a round, which builds on this head; afterwards it runs, and the round kept its branch', async () => {
  const seen = await work.pull();
  const head = await work.head();
  await begin();
  await actAndSettle(desk, 'pull_request', () => desk.person('walter').tickRunCi(seen));
  const said = (await desk.olivia.comments(work.number)).map(({ body }) => body).join('\n');
  expect(said).toContain('CI was not started: round 2 is running.');
  expect(await work.head()).toBe(head);
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  const [newest = '', before = ''] = await work.messages();
  expect(newest).toContain('[skip ci]');
  expect(before).toContain('[skip ci]');
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect((await work.messages())[0]).not.toContain('[skip ci]');
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${work.issue}`)).toBe('two\n');
});
