import { expect, test } from 'vitest';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const LINE = { path: 'src/login.ts', line: 1 };

async function openRemarks(): Promise<string | undefined> {
  await scene.desk.settle();
  scene.desk.clock.ms += 10_000;
  // The timer, and then what it decided.
  await scene.desk.settle();
  await scene.desk.settle();
  return /Address \d+ open remarks?/.exec(await scene.described())?.[0];
}

test('V-2: the box counts again when remarks are deleted, edited or resolved, or a review is dismissed', async () => {
  const { desk, work } = scene;
  const walter = desk.person('walter');
  await walter.review(work.number, 'COMMENT', '', [
    { ...LINE, body: 'A constant?' },
    { ...LINE, body: 'Why?' },
    { ...LINE, body: 'And a test.' },
  ]);
  // The reviewer who only reads starts no round.
  const { id } = await desk.person('rita').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.');
  expect(await openRemarks()).toBe('Address 4 open remarks');
  const [first, second] = await walter.remarks(work.number);
  if (!first || !second) return expect.fail('no remarks');
  await walter.deleteRemark(first);
  expect(await openRemarks()).toBe('Address 3 open remarks');
  await walter.editRemark(second, '<!-- nothing -->');
  expect(await openRemarks()).toBe('Address 2 open remarks');
  const thread = desk.github.reviews.threads(work.number).at(-1) ?? expect.fail('no thread');
  await walter.resolveThread(thread);
  expect(await openRemarks()).toBe('Address 1 open remark');
  await walter.dismissReview(work.number, { id });
  expect(await openRemarks()).toBeUndefined();
  await walter.resolveThread(thread, false);
  expect(await openRemarks()).toBe('Address 1 open remark');
});

test('V-2: many threads that are resolved within some seconds are one new description', async () => {
  const { desk, work } = scene;
  const walter = desk.person('walter');
  const remarks = Array.from({ length: 5 }, (_, index) => ({ ...LINE, body: `Remark ${index}` }));
  await walter.review(work.number, 'COMMENT', '', remarks);
  expect(await openRemarks()).toBe('Address 5 open remarks');
  desk.exchanges.length = 0;
  for (const thread of desk.github.reviews.threads(work.number)) {
    await walter.resolveThread(thread);
    await desk.settle();
  }
  expect(await openRemarks()).toBeUndefined();
  const written = desk.exchanges.filter(
    ({ call }) => call.method === 'PATCH' && call.path.endsWith(`/pulls/${work.number}`),
  );
  expect(written).toHaveLength(1);
});

test('V-2: a desk whose clock is behind sets no time that has passed already', async () => {
  const { desk, work } = scene;
  const walter = desk.person('walter');
  await walter.review(work.number, 'COMMENT', '', [
    { ...LINE, body: 'A constant?' },
    { ...LINE, body: 'Why?' },
  ]);
  expect(await openRemarks()).toBe('Address 2 open remarks');
  const [first, second] = desk.github.reviews.threads(work.number);
  if (!first || !second) return expect.fail('no threads');
  desk.clock.ms = Math.ceil(desk.clock.ms / 60_000) * 60_000;
  await walter.resolveThread(first);
  expect(await openRemarks()).toBe('Address 1 open remark');
  const { now } = desk.deps;
  desk.deps.now = () => new Date(desk.clock.ms - 8_000);
  await walter.resolveThread(second);
  expect(await openRemarks()).toBeUndefined();
  desk.deps.now = now;
});
