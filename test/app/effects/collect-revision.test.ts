import { beforeEach, expect, test } from 'vitest';
import { pushFiles } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const LINE = { path: 'src/login.ts', line: 1 };

const scene = useReviseScene();
const { begin, finish, remark, said } = scene;
let { desk, work, branch } = scene;
beforeEach(() => {
  ({ desk, work, branch } = scene);
});

/** GitHub takes away a person's access. */
function withdraw(login: string): void {
  desk.interfere(({ path }) =>
    path.endsWith(`/collaborators/${login}/permission`)
      ? { status: 404, body: { message: 'Not Found' } }
      : undefined,
  );
}

test('V-3: outdated remarks, on a whole file, on removed lines and on a file that is gone: each says where it points', async () => {
  await pushFiles(desk, branch, { 'src/old.ts': 'old\n' });
  await remark(
    { ...LINE, body: '```suggestion\nONE\n```' },
    { path: 'src/login.ts', body: 'Where is its test?' },
    { path: 'README.md', line: 1, side: 'LEFT', body: 'Keep this' },
    { path: 'src/old.ts', line: 1, body: '```suggestion\nnew\n```' },
  );
  const written = await work.head();
  const head = await pushFiles(desk, branch, { 'src/login.ts': 'two\n', 'src/old.ts': null });
  const round = await begin();
  expect(round?.head).toBe(head);
  expect(round?.remarks).toMatchObject([
    { path: 'src/login.ts', written: { line: 1, commit: written }, suggestion: { original: 'one' } },
    { path: 'src/login.ts', text: 'Where is its test?' },
    { path: 'README.md', left: true, now: { line: 1 } },
    { path: 'src/old.ts', written: { line: 1, commit: written } },
  ]);
  const [outdated, wholeFile, , gone] = round?.remarks ?? [];
  expect([outdated?.now, wholeFile?.now, wholeFile?.written, gone?.now]).toEqual(Array(4).fill(undefined));
});

const many = (length: number) =>
  Array.from({ length }, (_, index) => ({ ...LINE, body: `Remark ${index + 1}` }));

test('V-3, V-4: 200 remarks in one review, one with over 100 comments, are one round and one answer, by 10 calls for the replies', async () => {
  await remark(...many(200));
  const [long] = desk.github.reviews.threads(work.number);
  const review = desk.github.reviews.begin(work.number, { login: 'walter', bot: false }, await work.head());
  if (long)
    for (let word = 1; word <= 130; word += 1) desk.github.reviews.reply(review, long, `Word ${word}`);
  desk.github.reviews.submit(review, 'COMMENT');
  const round = await begin();
  expect(round?.remarks).toHaveLength(200);
  expect(round?.remarks[0]).toMatchObject({ id: 'R1', text: 'Word 130' });
  expect(round?.remarks.at(-1)).toMatchObject({ id: 'R200', text: 'Remark 200' });
  const remarks = round?.remarks.map(({ id }) => ({ id, result: 'fixed' })) ?? [];
  desk.exchanges.length = 0;
  await finish({ remarks });
  await desk.settle();
  const mine = ({ user }: { user: { login: string } }) => user.login === 'autobuild[bot]';
  const [summary, ...more] = (await desk.person('walter').reviews(work.number)).filter(mine);
  expect(summary?.body).toContain('**Round 2: 200 fixed.**');
  expect(more).toEqual([]);
  const answered = desk.github.reviews.threads(work.number).map(({ comments }) => comments.at(-1)?.body);
  expect(answered.filter((body) => body?.includes('Fixed in'))).toHaveLength(200);
  const documents = desk.exchanges.map(({ call }) => String(call.body?.query ?? ''));
  expect(documents.filter((query) => query.includes('ThreadReply('))).toHaveLength(10);
  // Nothing is open any more.
  expect((await work.pull()).body).not.toContain('r.address');
});

test('V-4: many remarks are one answer, also if GitHub asks to wait in the middle of the replies', async () => {
  await remark(...many(50));
  const round = await begin();
  let replies = 0;
  desk.interfere(({ body }) => {
    if (!String(body.query).includes('addPullRequestReviewThreadReply(')) return undefined;
    replies += 1;
    const message = 'You have exceeded a secondary rate limit.';
    return replies === 2 ? { status: 403, body: { message }, headers: { 'retry-after': '60' } } : undefined;
  });
  const remarks = round?.remarks.map(({ id }) => ({ id, result: 'declined', note: `No, ${id}` })) ?? [];
  await finish({ remarks });
  expect(replies).toBe(2);
  desk.clock.ms += 120_000;
  await desk.settle();
  const mine = ({ user }: { user: { login: string } }) => user.login === 'autobuild[bot]';
  expect((await desk.person('walter').reviews(work.number)).filter(mine)).toHaveLength(1);
  const answers = (await desk.person('walter').remarks(work.number)).filter(mine);
  expect(new Set(answers.map(({ in_reply_to_id }) => in_reply_to_id)).size).toBe(50);
  expect(answers).toHaveLength(50);
  expect(replies).toBe(4);
});

test('V-3: the last word of a thread with over 100 comments counts, and of a remark of 60 kB the beginning', async () => {
  await remark({ ...LINE, body: 'Long' }, { ...LINE, body: 'x'.repeat(60_000) });
  const [long] = desk.github.reviews.threads(work.number);
  const author = { login: 'walter', bot: false };
  const review = desk.github.reviews.begin(work.number, author, await work.head());
  if (long)
    for (let word = 1; word <= 130; word += 1) desk.github.reviews.reply(review, long, `Word ${word}`);
  desk.github.reviews.submit(review, 'COMMENT');
  const [thread, large] = (await begin())?.remarks ?? [];
  expect(thread).toMatchObject({ text: 'Word 130' });
  expect(thread?.thread_before?.at(-1)?.text).toBe('Word 129');
  expect(large?.text).toContain('[cut: the remark has 60,000 characters]');
});

test('V-2: a pull request in the merge queue begins no round, and says why', async () => {
  await remark({ ...LINE, body: 'A constant?' });
  desk.github.queued.add(work.number);
  expect(await begin()).toBeUndefined();
  expect(await said()).toContain('No round was started: the pull request waits in the merge queue.');
});

test('V-2: who has lost the role meanwhile is not heard: neither the review nor its remarks', async () => {
  await desk
    .person('walter')
    .review(work.number, 'REQUEST_CHANGES', 'Do it otherwise.', [{ ...LINE, body: 'A constant?' }]);
  await desk.settle();
  withdraw('walter');
  desk.clock.ms += 61_000;
  await desk.settle();
  await desk.settle();
  expect((await desk.state()).revision).toBeUndefined();
  expect(await said()).toContain('No round was started: walter may not ask for one any more.');
});

test('V-2: nor what they asked for while another round was running; those who may still ask get their round', async () => {
  await remark({ ...LINE, body: 'A constant?' });
  await begin('/continue', 'olivia');
  await desk.person('walter').comment(work.number, '/continue');
  await desk.person('olivia').comment(work.number, '/continue');
  await desk.settle();
  expect((await desk.state()).asked_revisions).toHaveLength(2);
  withdraw('walter');
  await desk.olivia.comment(work.number, '/cancel');
  await desk.settle();
  const { revision } = await desk.state();
  expect(revision).toMatchObject({ number: 3, by: 'olivia', remarks: [{ author: 'walter' }] });
});
