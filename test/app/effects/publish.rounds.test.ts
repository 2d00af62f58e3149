import { beforeEach, expect, test } from 'vitest';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { commitOnBranch, putChangeset } from '../published-run.ts';
import { pushFiles } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { finish, git, said } = scene;
let { desk, work, branch } = scene;
beforeEach(() => {
  ({ desk, work, branch } = scene);
});

const begin = () => scene.begin('/guide Use a constant');
const tipOf = async (name: string) =>
  (await git<{ object?: { sha: string } }>('GET', `/ref/heads/${name}`)).object?.sha;
const parentsOf = async (sha: string) =>
  (await git<{ parents: { sha: string }[] }>('GET', `/commits/${sha}`)).parents.map((one) => one.sha);

/** Moves the branch to a commit that does not have the old head below it. */
async function forcePush(files: Record<string, string>, base: string): Promise<string> {
  await git('PATCH', `/refs/heads/${branch}`, { sha: base, force: true });
  return Object.keys(files).length > 0 ? pushFiles(desk, branch, files) : base;
}

test('V-5: a branch that is deleted while its pull request is open: the round gets a branch of its own, and says why', async () => {
  await begin();
  await git('DELETE', `/refs/heads/${branch}`);
  await finish();
  expect(await desk.olivia.file('src/login.ts', `${branch}-r1`)).toBe('two\n');
  expect(await tipOf(branch)).toBeUndefined();
  expect(await said()).toContain(
    `Round 2 is pushed to \`${branch}-r1\`, because \`${branch}\` was deleted while it was running.`,
  );
});

test('V-5: a branch that is deleted and restored, its pull request closed and reopened, before the desk hears of it: the round goes on', async () => {
  await begin();
  const sha = await work.head();
  await git('DELETE', `/refs/heads/${branch}`);
  await desk.olivia.closePullRequest(work.number);
  await git('POST', '/refs', { ref: `refs/heads/${branch}`, sha });
  await desk.olivia.reopenPullRequest(work.number);
  await desk.settle();
  await finish();
  expect(await parentsOf(await work.head())).toEqual([sha]);
  expect((await desk.state()).status).toBe('reviewing');
});

test('V-5: a force-push that has the same files: the round is appended to it, and the new head stays', async () => {
  await begin();
  const main = (await tipOf('main')) ?? '';
  const pushed = await forcePush({ 'src/login.ts': 'one\n' }, main);
  await finish();
  expect(await parentsOf(await work.head())).toEqual([pushed]);
  expect(await desk.olivia.file('src/login.ts', branch)).toBe('two\n');
});

test('V-5: a force-push that drops the files of the round: nothing is moved, and the round gets a branch of its own', async () => {
  await begin();
  const main = (await tipOf('main')) ?? '';
  const pushed = await forcePush({ 'theirs.txt': 'mine\n' }, main);
  await finish();
  expect(await work.head()).toBe(pushed);
  expect(await desk.olivia.file('src/login.ts', `${branch}-r1`)).toBe('two\n');
});

test('V-5: a force-push at rest: the next round builds on it, and brings nothing back', async () => {
  const main = (await tipOf('main')) ?? '';
  const pushed = await forcePush({ 'src/login.ts': 'one\n', 'theirs.txt': 'mine\n' }, main);
  await begin();
  expect((await desk.state()).revision?.head).toBe(pushed);
  await finish();
  expect(await parentsOf(await work.head())).toEqual([pushed]);
  expect(await desk.olivia.file('theirs.txt', branch)).toBe('mine\n');
});

test('V-5: a commit of a person below a round of ours is not dropped by a later run of the issue', async () => {
  const theirs = await commitOnBranch(desk, branch, await work.head());
  await begin();
  await finish();
  const ours = await work.head();
  expect(await parentsOf(ours)).toEqual([theirs]);
  await desk.olivia.comment(work.issue, '/terminate');
  await desk.settle();
  const report = { status: 'implemented', summary: 'Again' };
  const again = startRun({ startMs: Date.now(), run: 'r2' }).turn({ report, verification: PASSING });
  await putChangeset(desk, 'three\n');
  const changeset = await desk.store.blobs.get('r1', 'changeset');
  await desk.store.blobs.put('r2', 'changeset', changeset ?? new Uint8Array());
  await desk.seed(again, { issue: work.issue });
  expect(await tipOf(branch)).toBe(ours);
  expect(await desk.olivia.file('src/login.ts', `${branch}-r2`)).toBe('three\n');
});
