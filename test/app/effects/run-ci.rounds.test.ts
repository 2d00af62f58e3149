import { afterEach, beforeEach, expect, test } from 'vitest';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published, publishRun, putChangeset } from '../published-run.ts';
import { finishRound, pushFiles, restOnPull, takeRound } from '../revise-desk.ts';

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

const branch = () => `autobuild/issue-${work.issue}`;
const onBranch = (path: string) => desk.olivia.file(path, branch());
const pushByHand = () => pushFiles(desk, branch(), { 'by-hand.txt': 'precious\n' });

/** In a description that shows the head as it is. */
async function tickRunCi(): Promise<void> {
  await desk.perform({ type: 'describe_pull' });
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect((await work.messages())[0]).not.toMatch(/skip ci|By hand/);
}

test.each([
  ['their commit', pushByHand],
  [
    'a round on top of it',
    async () => {
      await pushByHand();
      await begin();
      await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
    },
  ],
] as const)('V-5: Run CI on %s does not let a later run of the issue drop it', async (_, act) => {
  await act();
  await tickRunCi();
  const seen = await work.head();
  await desk.olivia.comment(work.issue, '/terminate');
  await desk.settle();
  const report = { status: 'implemented', summary: 'Again' };
  await putChangeset(desk, 'three\n');
  await desk.store.blobs.put(
    'r2',
    'changeset',
    (await desk.store.blobs.get('r1', 'changeset')) ?? new Uint8Array(),
  );
  const again = startRun({ startMs: Date.now(), run: 'r2' }).turn({ report, verification: PASSING });
  await desk.seed(again, { issue: work.issue });
  expect(await work.head()).toBe(seen);
  expect(await onBranch('by-hand.txt')).toBe('precious\n');
  expect(await desk.olivia.file('src/login.ts', `${branch()}-r2`)).toBe('three\n');
});

test('V-5: Run CI on the commit of a person does not let the next turn of the build drop it', async () => {
  await desk.close();
  desk = await openAppDesk();
  work = { ...(await publishRun(desk)), number: 0 };
  await pushByHand();
  await tickRunCi();
  await putChangeset(desk, 'two\n');
  await desk.perform({ type: 'publish', ready: false });
  expect(await onBranch('by-hand.txt')).toBe('precious\n');
  expect(await desk.olivia.file('src/login.ts', `${branch()}-r1`)).toBe('two\n');
});
