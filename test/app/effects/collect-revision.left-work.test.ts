import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import type { Published } from '../published-run.ts';
import { finishRound, pushFiles, putRoundWork, restOnPull, takeRound } from '../revise-desk.ts';

let desk: AppDesk;
let work: Published & { number: number };
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
});
afterEach(() => desk?.close());

const said = async () =>
  [...(await desk.olivia.comments(work.issue)), ...(await desk.olivia.comments(work.number))]
    .map(({ body }) => body)
    .join('\n');

async function begin(words = '/continue') {
  await desk.person('walter').comment(work.number, words);
  await desk.settle();
  return (await desk.state()).revision;
}

async function changeset() {
  const bytes = await desk.store.blobs.get('r1', 'changeset');
  return JSON.parse(new TextDecoder().decode(bytes)) as { base_sha: string; files: { path: string }[] };
}

/** Ends a round whose work GitHub does not take. */
async function endUnpublished(): Promise<void> {
  await begin('/guide Use a constant');
  const run = await takeRound(desk, work.run);
  desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/git/commits')
      ? { status: 422, body: { message: 'Not today' } }
      : undefined,
  );
  await finishRound(desk, run, { text: 'two\n' });
  desk.interfere(() => undefined);
  expect((await desk.store.publications.of('r1')).unpublished).toMatchObject({ why: expect.any(String) });
}

test('V-5, V-6: an update is refused while there is work that was not published, and `/continue` begins with it', async () => {
  await endUnpublished();
  await pushFiles(desk, 'main', { 'base.txt': 'x\n' });
  expect(await begin('/continue update')).toBeUndefined();
  expect(await said()).toContain('there is work that was not published yet.');
  expect(await said()).toContain('Say `/continue` first: the next round begins with that work.');
  expect(await begin()).toMatchObject({ number: 3, unpublished: true });
  expect(await changeset()).toMatchObject({ files: [{ path: 'src/login.ts' }] });
});

test('V-5: a round that began with work that was not published is cancelled: the next one begins with it, too', async () => {
  await endUnpublished();
  expect(await begin()).toMatchObject({ number: 3, unpublished: true });
  const run = await takeRound(desk, work.run);
  await putRoundWork(desk, run.state.revision?.head ?? '', 'of the cancelled round\n');
  await desk.seed(run);
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).revisions?.at(-1)).toMatchObject({ number: 3, outcome: 'cancelled' });
  expect(await begin('/guide And a test')).toMatchObject({ number: 4, unpublished: true });
  expect(await changeset()).toMatchObject({
    base_sha: await work.head(),
    files: [{ path: 'src/login.ts', content: Buffer.from('two\n').toString('base64') }],
  });
});
