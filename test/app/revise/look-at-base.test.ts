import { afterEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { restOnPull } from '../revise-desk.ts';
import { pushToMain } from './push-to-main.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const BOX = '<!-- autobuild:option id=m.update --> **Update with `main`**';
const reads = (number: number) =>
  desk.exchanges.filter(({ call }) => call.method === 'GET' && call.path.endsWith(`/pulls/${number}`)).length;

test('V-6: a push to the base that conflicts is shown with a box, once GitHub has computed it; then it goes again', async () => {
  desk = await openAppDesk();
  const { number, pull } = await restOnPull(desk);
  await desk.doLater();
  await desk.doLater();
  await pushToMain(desk, 'src/login.ts', 'of main\n');
  expect((await pull()).body).not.toContain(BOX);
  expect(await desk.doLater()).toBe(1);
  expect((await pull()).body).toContain(
    `- [ ] ${BOX}: 1 file conflicts (\`src/login.ts\`); the agent resolves it, all checks run again. \`/continue update\``,
  );
  const before = reads(number);
  expect(await desk.doLater()).toBe(0);
  expect(reads(number)).toBe(before);
  await pushToMain(desk, 'src/login.ts', 'one\n');
  // The box stays while GitHub computes.
  expect((await pull()).body).toContain(BOX);
  await desk.doLater();
  expect((await pull()).body).not.toContain(BOX);
});

test('V-6: GitHub is asked four times at most, then not before the next push or the next hours', async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  while ((await desk.doLater()) > 0);
  const pull = (await desk.github.upstream('GET', `/repos/olivia/shop/pulls/${number}`)).body as object;
  desk.interfere(({ method, path }) =>
    method === 'GET' && path.endsWith(`/pulls/${number}`)
      ? { status: 200, body: { ...pull, mergeable: null, mergeable_state: 'unknown' } }
      : undefined,
  );
  const first = reads(number);
  await pushToMain(desk, 'README.md', 'of main\n');
  while ((await desk.doLater()) > 0);
  expect(reads(number)).toBe(first + 4);
  desk.interfere(() => undefined);
  const before = reads(number);
  await desk.reconcile();
  expect(reads(number)).toBe(before);
  desk.clock.ms += 7 * 3_600_000;
  await desk.reconcile();
  expect(reads(number)).toBe(before + 1);
});

test('V-6: a push to another branch, and one to a repository without a pull request, ask nothing', async () => {
  desk = await openAppDesk();
  const { number } = await restOnPull(desk);
  while ((await desk.doLater()) > 0);
  const before = reads(number);
  const push = { ref: 'refs/heads/feature', repository: { id: 1, name: 'shop', owner: { login: 'olivia' } } };
  await desk.receive('push', push);
  await desk.receive('push', {
    ...push,
    ref: 'refs/heads/main',
    repository: { ...push.repository, id: 999 },
  });
  await desk.settle();
  expect(reads(number)).toBe(before);
});

test('V-6: a desk that hears of no push looks again when somebody says something, ten minutes later', async () => {
  desk = await openAppDesk({ deps: { later: undefined } as never });
  const { number, pull } = await restOnPull(desk);
  await desk.reconcile();
  await desk.reconcile();
  const before = reads(number);
  await desk.reconcile();
  expect(reads(number)).toBe(before);
  await pushToMain(desk, 'src/login.ts', 'of main\n');
  await desk.reconcile();
  expect((await pull()).body).not.toContain(BOX);
  for (let look = 0; look < 3; look += 1) {
    desk.clock.ms += 11 * 60_000;
    await desk.reconcile();
  }
  expect((await pull()).body).toContain(BOX);
});
