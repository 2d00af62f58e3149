import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const PACKAGES = 20;
const base64 = (text: string) => Buffer.from(text).toString('base64');

let desk: AppDesk;
afterEach(() => desk.close());

/** One file in each of many directories. */
async function putWork(text: string): Promise<void> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const base_sha = (body as { object: { sha: string } }).object.sha;
  const files = Array.from({ length: PACKAGES }, (_, index) => ({
    path: `packages/p${index}/src/lib/x.ts`,
    mode: '100644',
    status: 'modified',
    content: base64(text),
  }));
  await desk.store.blobs.put(
    'r1',
    'changeset',
    new TextEncoder().encode(JSON.stringify({ base_sha, files })),
  );
}

async function publish(id: string): Promise<string[]> {
  const before = desk.exchanges.length;
  await desk.perform({ type: 'publish', ready: false }, { id });
  return desk.exchanges.slice(before).map(({ call }) => `${call.method} ${call.path}`);
}

const treesIn = (calls: string[]) => calls.filter((call) => /^GET .*\/git\/trees\//.test(call)).length;

test('S-12: publishing asks GitHub as often for twenty directories as for one, and next to nothing when nothing is new', async () => {
  desk = await openAppDesk();
  for (let index = 0; index < PACKAGES; index += 1) {
    const path = `packages/p${index}/src/lib/x.ts`;
    const content = base64('before');
    await desk.github.upstream('PUT', `/repos/olivia/shop/contents/${path}`, { message: path, content });
  }
  await desk.seed(askingRun(['colour']).park());
  await putWork('first');
  const first = await publish('first');
  expect(treesIn(first)).toBe(1);
  expect(first.length).toBeLessThanOrEqual(20);
  const again = await publish('again');
  expect(treesIn(again)).toBe(0);
  expect(again.length).toBeLessThanOrEqual(8);
  await putWork('second');
  expect(treesIn(await publish('second'))).toBe(0);
});
