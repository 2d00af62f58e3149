import { beforeEach, expect, test, vi } from 'vitest';
import { actAndSettle } from '../published-run.ts';
import { giveValue, pushFiles, putRoundWork, sendWork, takeRound } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, changeset, finish, finishUnpublished, said } = scene;
let { desk, work } = scene;
beforeEach(() => {
  ({ desk, work } = scene);
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Ends a round whose work GitHub does not take. */
async function endUnpublished(words = '/guide Use a constant', remarks: object[] = []): Promise<void> {
  await begin(words);
  await finishUnpublished({ remarks });
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
  await desk.seed(run);
  await sendWork(desk, run, 'of the cancelled round\n');
  expect(await changeset()).toMatchObject({ files: [{ content: base64('of the cancelled round\n') }] });
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  expect((await desk.state()).revisions?.at(-1)).toMatchObject({ number: 3, outcome: 'cancelled' });
  expect(await begin('/guide And a test')).toMatchObject({ number: 4, unpublished: true });
  expect(await changeset()).toMatchObject({
    base_sha: await work.head(),
    files: [{ path: 'src/login.ts', content: base64('two\n') }],
  });
});

test('V-5, N-3: work that a round begins with is stored once, until the job has work of its own; published, it is gone', async () => {
  await endUnpublished();
  await begin();
  const bytes = async () => (await desk.store.blobs.get('r1', 'left-work'))?.length ?? 0;
  const note = await bytes();
  expect(note).toBeLessThan(200);
  const run = await takeRound(desk, work.run);
  await desk.seed(run);
  await sendWork(desk, run, 'two\n');
  expect(await bytes()).toBe(note);
  await sendWork(desk, run, 'three\n');
  expect(await bytes()).toBeGreaterThan(note);
  await sendWork(desk, run, 'four\n');
  const kept = new TextDecoder().decode(await desk.store.blobs.get('r1', 'left-work'));
  expect(JSON.parse(kept)).toMatchObject({ files: [{ content: base64('two\n') }] });
  await finish({ run, text: 'four\n' });
  expect((await desk.store.publications.of('r1')).unpublished).toBeNull();
  expect(await bytes()).toBe(0);
});

test('V-5: the desk fails after it has put that work on a new head, and somebody pushes again: it is still found', async () => {
  await endUnpublished();
  await pushFiles(desk, `autobuild/issue-${work.issue}`, { 'a.txt': 'theirs\n' });
  vi.spyOn(desk.store.runs, 'events').mockRejectedValueOnce(new Error('killed'));
  expect(await begin('/guide And a test')).toBeUndefined();
  const pushed = await pushFiles(desk, `autobuild/issue-${work.issue}`, { 'b.txt': 'theirs\n' });
  desk.clock.ms += 600_000;
  await desk.settle();
  expect((await desk.state()).revision).toMatchObject({ number: 3, unpublished: true });
  expect(await changeset()).toMatchObject({ base_sha: pushed, files: [{ path: 'src/login.ts' }] });
});

test('V-5: work for a commit that is gone is not put on the branch, and people are told', async () => {
  await endUnpublished();
  await putRoundWork(desk, 'f'.repeat(40), 'two\n');
  expect((await begin('/guide And a test'))?.unpublished).toBeUndefined();
  expect(await changeset()).toMatchObject({ files: [] });
  expect(await said()).toContain('it cannot be told whether they have changed on the branch since.');
});

test('V-2: the words of a review are not settled by a round that was never published', async () => {
  await actAndSettle(desk, 'pull_request_review', () =>
    desk.person('walter').review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.'),
  );
  await endUnpublished('/continue', [{ id: 'R1', result: 'fixed' }]);
  await pushFiles(desk, `autobuild/issue-${work.issue}`, { 'src/login.ts': 'theirs\n' });
  expect((await begin())?.remarks.map(({ text }) => text)).toEqual(['Do it otherwise.']);
});

test('V-5: people are told of dropped work also if there is nothing else to do', async () => {
  await endUnpublished();
  await pushFiles(desk, `autobuild/issue-${work.issue}`, { 'src/login.ts': 'theirs\n' });
  expect(await begin()).toBeUndefined();
  expect(await said()).toContain('they have changed on the branch since.');
});

test('S-13, V-5: the desk fails while it stores searched work on another commit: the next try still knows that it is', async () => {
  await begin('/guide Use a constant');
  await finishUnpublished({ run: await giveValue(desk, work, await takeRound(desk, work.run)) });
  await pushFiles(desk, `autobuild/issue-${work.issue}`, { 'a.txt': 'theirs\n' });
  const { put } = desk.store.blobs;
  let failures = 0;
  vi.spyOn(desk.store.blobs, 'put').mockImplementation(async (...sent) => {
    if (sent[1] === 'changeset' && failures++ === 0) throw new Error('killed');
    return put(...sent);
  });
  expect(await begin('/guide And a test')).toBeUndefined();
  desk.clock.ms += 600_000;
  await desk.settle();
  expect((await desk.state()).revision).toMatchObject({ number: 3, unpublished: true });
  expect(await changeset()).toMatchObject({ files: [{ path: 'src/login.ts' }] });
});
