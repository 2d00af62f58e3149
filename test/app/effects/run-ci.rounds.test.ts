import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
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
  const after = await work.messages();
  // A squash takes over the messages of all commits.
  expect(after.join()).not.toContain('[skip ci]');
  expect(after).toEqual([newest, before].map((message) => message.replace('\n\n[skip ci]', '')));
  expect(await desk.olivia.file('src/login.ts', branch())).toBe('two\n');
  expect(await keptOn()).toEqual([]);
});

test('V-8: the description names the commits that Run CI has put in the places of a round’s', async () => {
  const old = await work.head();
  await begin();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  await tickRunCi();
  const [newest, first] = await shas();
  const { body } = await work.pull();
  expect(body).not.toContain(old.slice(0, 7));
  expect(body).toMatch(new RegExp(`^\\| 1 \\|.*\`${first?.slice(0, 7)}\``, 'm'));
  expect(body).toMatch(new RegExp(`^\\| 2 \\|.*\`${newest?.slice(0, 7)}\``, 'm'));
});

/** Commits of the branch since the default branch, newest first. */
async function shas(): Promise<string[]> {
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/compare/main...${branch()}`);
  return (body as { commits: { sha: string }[] }).commits.map(({ sha }) => sha).reverse();
}

/** Replies on the pull request about commits that keep the mark. */
const keptOn = async () =>
  (await desk.olivia.comments(work.number))
    .map(({ body }) => body)
    .filter((body) => body.includes('a squash can still skip it on `main`'));

test('V-5: our commits below one of somebody else keep the mark, and the pull request says once what a squash does', async () => {
  const [below = ''] = await shas();
  await pushByHand();
  await begin();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  await tickRunCi();
  const [newest, theirs, oldest] = await work.messages();
  expect(newest).not.toContain('[skip ci]');
  expect(theirs).toBe('By hand');
  expect(oldest).toContain('[skip ci]');
  expect((await shas()).at(-1)).toBe(below);
  const [kept, ...more] = await keptOn();
  expect(more).toEqual([]);
  expect(kept).toContain(
    `(\`${below.slice(0, 7)}\`) still tells GitHub to skip CI, because commits of other people`,
  );
  expect(kept).toContain('remove the line in brackets');
  expect(kept).not.toContain('[skip ci]');
});

test('R-2: Run CI after a lost answer finds all commits that it made, and says nothing twice', async () => {
  await begin();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  const seen = await work.head();
  await tickRunCi();
  const made = await shas();
  await desk.store.publications.change('r1', { ci: undefined, reworded: undefined });
  await desk.perform({ type: 'run_ci', head: seen, pull: work.number, by: 'walter' });
  expect(await shas()).toEqual(made);
  expect((await desk.store.publications.of('r1')).ci).toMatchObject({ of: seen, sha: made[0] });
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

const protectsBranch = ({ method, path, caller, body }: Call): boolean =>
  method === 'PATCH' && path.includes('/git/refs/') && caller.kind === 'installation' && body.force === true;

test('V-5: where a rule forbids to move the branch by force, Run CI adds a commit, and the squash is told of', async () => {
  const [below = ''] = await shas();
  const rule = 'Repository rule violations found\n\nCannot force-push to this branch';
  desk.interfere((call) => (protectsBranch(call) ? refuse(422, rule) : undefined));
  await tickRunCi();
  expect(await shas()).toEqual([await work.head(), below]);
  expect((await work.messages())[0]).toBe('Run CI, asked by @walter');
  expect((await work.pull()).body).toContain('✓ CI runs on');
  const [kept, ...more] = await keptOn();
  expect(more).toEqual([]);
  expect(kept).toContain('because GitHub does not let Autobuild rewrite this branch');
  expect(await desk.store.outbox.size()).toMatchObject({ buried: 0 });
  // A try whose response was lost has added it.
  const head = await work.head();
  await desk.store.publications.change('r1', { ci: undefined });
  await desk.perform({ type: 'run_ci', head: below, pull: work.number, by: 'walter' });
  expect(await work.head()).toBe(head);
  expect((await desk.store.publications.of('r1')).ci).toMatchObject({ of: below, sha: head });
  expect(await keptOn()).toHaveLength(1);
});

const repliesOn = async () =>
  (await desk.olivia.comments(work.number))
    .map(({ body }) => body)
    .filter((body) => body.includes(':reply '));
const movesBranch = ({ method, path, caller }: Call): boolean =>
  method === 'PATCH' && path.includes('/git/refs/') && caller.kind === 'installation';

test('R-13: a rule that keeps the App off the branch is told on the pull request, and the box is emptied for the next try', async () => {
  const head = await work.head();
  const rule = 'Repository rule violations found\n\nCannot update this protected ref.';
  desk.interfere((call) => (movesBranch(call) ? refuse(422, rule) : undefined));
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect(await work.head()).toBe(head);
  const [reply = '', ...more] = await repliesOn();
  expect(more).toEqual([]);
  expect(reply).toContain('CI was not started: GitHub rejected the commit that starts it.');
  expect(reply).toContain('Cannot update this protected ref.');
  expect(reply).toContain('exempt the App from it for `autobuild/**`, then tick the box again.');
  const { body } = await work.pull();
  expect(body).toMatch(/^- \[ \] .*Run CI on this branch/m);
  expect(body).not.toContain('- [x]');
  expect(await desk.store.outbox.size()).toEqual({ waiting: 0, busy: 0, buried: 0 });
  desk.interfere(() => undefined);
  await tickRunCi();
  expect(await work.head()).not.toBe(head);
  expect(await repliesOn()).toHaveLength(1);
});

test('R-13: Run CI without the permission names it after several tries; the next tick is told again', async () => {
  desk.interfere((call) =>
    movesBranch(call)
      ? {
          ...refuse(403, 'Resource not accessible by integration'),
          headers: { 'x-accepted-github-permissions': 'contents=write' },
        }
      : undefined,
  );
  for (const times of [1, 2]) {
    await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
    expect(await repliesOn()).toHaveLength(times - 1);
    for (let tries = 0; tries < 3; tries += 1) {
      desk.clock.ms += 60_000;
      await desk.settle();
    }
    expect(await repliesOn()).toHaveLength(times);
  }
  expect((await repliesOn())[0]).toMatch(/the App lacks `contents: write`\.[\s\S]*then tick the box again/);
  expect((await work.pull()).body).not.toContain('- [x]');
});

test('R-13: CI that was started is not called failed because its description cannot be written', async () => {
  desk.interfere(({ method, path, caller }) =>
    method === 'PATCH' && /\/pulls\/\d+$/.test(path) && caller.kind === 'installation'
      ? refuse(422, 'Validation Failed')
      : undefined,
  );
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  expect(await work.messages()).toEqual([expect.not.stringContaining('[skip ci]')]);
  expect(await repliesOn()).toEqual([]);
  const told = (await desk.olivia.comments(work.issue)).map(({ body }) => body).join('\n');
  expect(told).toContain('The description of the pull request cannot be written: GitHub rejected it.');
});

test.each([
  ['set back to an older commit', (): Promise<string | undefined> => shas().then((all) => all.at(-1))],
  ['moved on by somebody', pushByHand],
])('R-8: Run CI leaves a branch alone that was %s since the person looked', async (_, move) => {
  await begin();
  await finishRound(desk, await takeRound(desk, work.run), { text: 'two\n' });
  const head = await work.head();
  const moved = (await move()) ?? '';
  const place = `/repos/olivia/shop/git/refs/heads/${branch()}`;
  await desk.github.upstream('PATCH', place, { sha: moved, force: true });
  await desk.perform({ type: 'run_ci', head, pull: work.number, by: 'walter' });
  expect(await work.head()).toBe(moved);
  await desk.settle();
  const said = (await desk.olivia.comments(work.number)).map(({ body }) => body).join('\n');
  expect(said).toContain('the branch has new commits');
});

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
