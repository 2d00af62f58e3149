import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Changeset } from '../../../src/core/work/changeset.ts';
import { digestOfFile } from '../../../src/core/work/examine-work.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import type { Published } from '../published-run.ts';
import { restOnPull } from '../revise-desk.ts';
import { pushToMain } from './push-to-main.ts';

let desk: AppDesk;
let work: Published & { number: number };
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk);
});
afterEach(() => desk?.close());

const ask = async () => {
  await desk.person('walter').comment(work.number, '/continue update');
  await desk.github.heard();
  await desk.settle();
};
const replies = async () =>
  [...(await desk.olivia.comments(work.issue)), ...(await desk.olivia.comments(work.number))]
    .filter(({ body }) => body.includes(':reply '))
    .map(({ body }) => body);
const content = (text: string) =>
  ({ mode: '100644', content: Buffer.from(text).toString('base64') }) as const;

async function saved(): Promise<Changeset> {
  const bytes = await desk.store.blobs.get('r1', 'changeset');
  return Changeset.parse(JSON.parse(Buffer.from(bytes ?? []).toString()));
}

/** A tree entry on a branch that the API for contents cannot make. */
async function putEntry(branch: string, entry: object): Promise<void> {
  const git = async <Body>(method: string, path: string, body?: unknown) =>
    (await desk.github.upstream(method, `/repos/olivia/shop/git${path}`, body)).body as Body;
  const { object } = await git<{ object: { sha: string } }>('GET', `/ref/heads/${branch}`);
  const { tree } = await git<{ tree: { sha: string } }>('GET', `/commits/${object.sha}`);
  const made = await git<{ sha: string }>('POST', '/trees', { base_tree: tree.sha, tree: [entry] });
  const commit = { message: 'By hand', tree: made.sha, parents: [object.sha] };
  const { sha } = await git<{ sha: string }>('POST', '/commits', commit);
  await git('PATCH', `/refs/heads/${branch}`, { sha });
}

describe('V-6: an update that was asked for', () => {
  test('begins a round with both sides of every file of the pull request, as GitHub has them', async () => {
    const head = await work.head();
    await pushToMain(desk, 'docs/new.md', 'of main\n');
    const base = await pushToMain(desk, 'README.md', 'of main\n');
    await ask();
    const { status, revision } = await desk.state();
    expect(status).toBe('building');
    const digest = digestOfFile(content('one\n'), desk.deps.hash);
    expect(revision).toMatchObject({ source: 'update', head, remarks: [] });
    expect(revision?.update).toEqual({
      ...{ branch: 'main', sha: base, conflicts: [] },
      kept: [{ path: 'src/login.ts', digest }],
    });
    expect(await saved()).toEqual({
      ...{ base_sha: base, files: [], left_out: [] },
      merge: { added: ['docs/new.md'], files: [{ path: 'src/login.ts', head: content('one\n') }] },
    });
    const started = desk.github.workflows.runs.at(-1);
    expect(started?.inputs).toMatchObject({ kind: 'build', head_sha: base });
    expect(await replies()).toEqual([expect.stringContaining('Round 2 begins: the commits of `main`.')]);
  });

  test('names the commits behind both sides of a file that both have changed', async () => {
    const base = await pushToMain(desk, 'src/login.ts', 'of main\n');
    await ask();
    expect((await desk.state()).revision?.update).toMatchObject({ conflicts: ['src/login.ts'], kept: [] });
    const [file] = (await saved()).merge?.files ?? [];
    expect(file).toMatchObject({ path: 'src/login.ts', head: content('one\n'), before: null });
    expect(file?.commits?.base).toEqual([`${base.slice(0, 7)} olivia: Change src/login.ts of main`]);
    expect(file?.commits?.head).toEqual([expect.stringContaining('Add a login page')]);
  });

  test('is nothing to do where the branch has all commits of the base', async () => {
    await ask();
    expect((await desk.state()).status).toBe('reviewing');
    expect(await replies()).toEqual([expect.stringContaining('Nothing to do: the branch is up to date.')]);
  });
});

test('V-6: an update without a result is not published: the pull request would have the tree of the base', async () => {
  const head = await work.head();
  await pushToMain(desk, 'README.md', 'of main\n');
  await ask();
  for (const command of ['/pause', '/accept']) {
    await desk.olivia.comment(work.issue, command);
    await desk.settle();
  }
  expect((await desk.state()).status).toBe('reviewing');
  expect(await work.head()).toBe(head);
  expect((await replies()).join()).toContain('the merge was not finished');
});

test('V-5: a publish of before that is tried again does not publish the work of a round', async () => {
  const head = await work.head();
  await pushToMain(desk, 'README.md', 'of main\n');
  await ask();
  const files = [{ path: 'src/login.ts', status: 'added', ...content('unverified\n') }];
  const { merge, ...changeset } = await saved();
  const bytes = new TextEncoder().encode(
    JSON.stringify({ ...changeset, files, merge: { ...merge, done: true } }),
  );
  await desk.store.blobs.put('r1', 'changeset', bytes);
  await desk.perform({ type: 'publish', ready: true });
  expect(await work.head()).toBe(head);
});

describe('V-6: an update that cannot be is refused by its reason and with the remedy, and nothing runs', () => {
  async function refused(reason: string, remedy: string): Promise<void> {
    const jobs = desk.github.workflows.runs.length;
    await ask();
    expect((await desk.state()).status).toBe('reviewing');
    const [reply, ...more] = await replies();
    expect(more).toEqual([]);
    expect(reply).toContain(`No round was started: ${reason}`);
    expect(reply).toContain(remedy);
    expect(desk.github.workflows.runs).toHaveLength(jobs);
  }
  const YOURSELF = 'Merge `main` into the branch yourself; the next round builds on that.';
  const headRef = async () => (await work.pull()).head.ref;

  test('a linear history is demanded', async () => {
    await pushToMain(desk, 'README.md', 'of main\n');
    desk.github.requireLinearHistory(true);
    await refused(
      'a rule of this repository demands a linear history',
      'exempt `autobuild/**` from the rule',
    );
  });

  test('the pull request waits in the merge queue', async () => {
    await pushToMain(desk, 'README.md', 'of main\n');
    desk.github.queued.add(work.number);
    await refused('the pull request waits in the merge queue.', 'Take it out of the queue first');
  });

  test('the pull request goes to another branch now', async () => {
    await desk.github.upstream('POST', '/repos/olivia/shop/git/refs', {
      ref: 'refs/heads/next',
      sha: await work.head(),
    });
    await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${work.number}`, { base: 'next' });
    await refused(
      'the pull request goes to `next` now, and the run began on `main`.',
      'Merge `next` into the branch yourself',
    );
  });

  test('the head of the pull request is in a fork, or under another name', async () => {
    await pushToMain(desk, 'README.md', 'of main\n');
    const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
    const { sha } = (body as { object: { sha: string } }).object;
    // As GitHub's REST tells of the branch, while the pull request has another head.
    const ref = await headRef();
    desk.interfere(({ method, path }) =>
      method === 'GET' && decodeURIComponent(path).endsWith(`/git/ref/heads/${ref}`)
        ? { status: 200, body: { ref: `refs/heads/${ref}`, object: { type: 'commit', sha } } }
        : undefined,
    );
    await refused(
      `the head of the pull request is not the branch \`${ref}\` of this repository.`,
      'Autobuild cannot push to a fork.',
    );
  });

  test('it has a link', async () => {
    await pushToMain(desk, 'README.md', 'of main\n');
    await putEntry(await headRef(), { path: 'link', mode: '120000', type: 'blob', content: 'README.md' });
    await refused('`link` is a link or a submodule, which a round cannot merge.', YOURSELF);
  });

  test('names of files are data in the answer', async () => {
    await pushToMain(desk, 'README.md', 'of main\n');
    const path = '`@olivia` <!-- closes #1';
    await putEntry(await headRef(), { path, mode: '120000', type: 'blob', content: 'README.md' });
    await ask();
    const [reply = ''] = await replies();
    expect(reply).toContain('is a link or a submodule');
    expect(reply.split('\n').slice(1).join()).not.toContain('<!--');
    expect(reply).toContain(YOURSELF);
  });
});
