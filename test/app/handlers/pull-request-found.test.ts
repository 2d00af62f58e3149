import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { restOnPull } from '../revise-desk.ts';

let desk: AppDesk;
let number: number;
let comment: number;

/** GitHub made the pull request, the response was lost, and somebody wrote there before the next try. */
beforeEach(async () => {
  desk = await openAppDesk();
  ({ number } = await restOnPull(desk));
  await desk.store.publications.change('r1', { pull: undefined });
  await desk.store.cursors.set('run', 'r1', {});
  ({ id: comment } = await desk.person('walter').comment(number, '/guide Use a constant'));
  await desk.settle();
});
afterEach(() => desk.close());

const isHeard = () => desk.store.runs.wasSeen(`comment:${comment}`);

test('C-2: a command on a pull request before its number is known is heard when it is found', async () => {
  expect(await isHeard()).toBe(false);
  await desk.perform({ type: 'publish', ready: true });
  expect(await isHeard()).toBe(true);
  await desk.settle();
  expect(desk.github.reactions.of(comment).map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  desk.exchanges.length = 0;
  await desk.perform({ type: 'publish', ready: true });
  expect(desk.exchanges.map(({ call }) => call.path)).not.toContain(
    `/repos/olivia/shop/issues/${number}/comments`,
  );
});

test('R-1: if the desk stops before it reads them, reconcile does', async () => {
  await desk.store.publications.change('r1', { pull: number });
  await desk.reconcile();
  expect(await isHeard()).toBe(true);
});

test('R-1: work whose pull request cannot be read for comments is published all the same', async () => {
  desk.interfere(({ method, path }) =>
    method === 'GET' && path.endsWith(`/issues/${number}/comments`)
      ? { status: 403, body: { message: 'Resource not accessible by integration' } }
      : undefined,
  );
  await desk.perform({ type: 'publish', ready: true });
  expect((await desk.store.publications.of('r1')).unpublished).toBeNull();
  desk.interfere(() => undefined);
  await desk.reconcile();
  expect(await isHeard()).toBe(true);
});
