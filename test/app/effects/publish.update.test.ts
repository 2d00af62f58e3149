import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BaseUpdate } from '../../../src/core/contracts/revision.ts';
import { digestOfFile } from '../../../src/core/work/examine-work.ts';
import { PASSING } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { commitOnBranch, type Published } from '../published-run.ts';
import { pushToMain } from '../revise/push-to-main.ts';
import { confirm, restOnPull } from '../revise-desk.ts';

const CI = '.github/workflows/ci.yml';

let desk: AppDesk;
let work: Published & { number: number };
let base: string;
beforeEach(async () => {
  desk = await openAppDesk();
  work = await restOnPull(desk, { freshVerification: true });
  base = await pushToMain(desk, 'README.md', 'of main\n');
});
afterEach(() => desk?.close());

const fileOf = (text: string) => ({ mode: '100644', content: Buffer.from(text).toString('base64') }) as const;

/** An update whose job has merged `files` and said that it is done. The lane publishes it. */
async function merge(
  files: Record<string, string>,
  before?: () => Promise<unknown>,
  left_out: { path: string; problem: string }[] = [],
): Promise<string> {
  const { run } = work;
  const head = await work.head();
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  const kept = Object.entries(files)
    .filter(([path]) => path === CI)
    .map(([path, text]) => ({ path, digest: digestOfFile(fileOf(text), desk.deps.hash) }));
  const update: BaseUpdate = { branch: 'main', sha: base, conflicts: ['src/login.ts'], kept };
  run.say('/continue update', { by: 'walter' });
  run.feed({
    ...{ type: 'revise', at: run.now(), revision: { head, remarks: [], update } },
    ...{ limits: first.limits, max: 10 },
  });
  run.startJob().baseline(PASSING);
  const changeset = JSON.stringify({
    ...{ base_sha: base, left_out, merge: { added: [], files: [], done: true } },
    files: Object.entries(files).map(([path, text]) => ({ path, status: 'added', ...fileOf(text) })),
  });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(changeset));
  await before?.();
  const changes = { paths: Object.keys(files), added: 1, removed: 0 };
  const report = { status: 'implemented', summary: 'Merged' };
  run.turn({ report, verification: PASSING, changes });
  await desk.seed(confirm(run));
  return head;
}

const commitOf = async (sha: string) =>
  (await desk.github.upstream('GET', `/repos/olivia/shop/git/commits/${sha}`)).body as {
    message: string;
    parents: { sha: string }[];
  };
const replies = async () =>
  (await desk.olivia.comments(work.issue))
    .filter(({ body }) => body.includes(':reply '))
    .map(({ body }) => body);

test('V-6: an update is one commit with both parents, and the base’s tree with the files of the pull request', async () => {
  const head = await merge({ 'src/login.ts': 'both\n' });
  const { parents, message } = await commitOf(await work.head());
  expect(parents.map(({ sha }) => sha)).toEqual([head, base]);
  expect(message).toMatch(new RegExp(`^Merge main \\(${base.slice(0, 7)}\\): Add a login page`));
  const branch = `autobuild/issue-${work.issue}`;
  expect(await desk.olivia.file('src/login.ts', branch)).toBe('both\n');
  expect(await desk.olivia.file('README.md', branch)).toBe('of main\n');
});

test('V-5, V-6: a push while an update works: nothing of theirs is moved, and the merge has a branch of its own', async () => {
  const branch = `autobuild/issue-${work.issue}`;
  let theirs = '';
  const head = await merge({ 'src/login.ts': 'both\n' }, async () => {
    theirs = await commitOnBranch(desk, branch, await work.head());
  });
  expect(await work.head()).toBe(theirs);
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/git/ref/heads/${branch}-r1`);
  const { parents } = await commitOf((body as { object: { sha: string } }).object.sha);
  expect(parents.map(({ sha }) => sha)).toEqual([head, base]);
});

test('V-6: a merge with a workflow file of the pull request that GitHub refuses names the file, the permission and the other way', async () => {
  desk.interfere(({ method, path, body }) =>
    method === 'POST' && path.endsWith('/git/trees') && JSON.stringify(body).includes(CI)
      ? { status: 403, body: { message: 'Resource not accessible by integration' } }
      : undefined,
  );
  const head = await merge({ 'src/login.ts': 'both\n', [CI]: 'on: push\n' });
  for (let minute = 0; minute < 10; minute += 1) {
    desk.clock.ms += 60_000;
    await desk.settle();
  }
  expect(await work.head()).toBe(head);
  const said = (await replies()).filter((body) => body.includes('workflows: write'));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(`the App lacks \`workflows: write\`.`);
  expect(said[0]).toContain(`It is needed for \`${CI}\`.`);
  expect(said[0]).toContain('Merge `main` into the branch yourself; the next round builds on that.');
});

test('V-6: a merge that lacks a file of the pull request is not committed in part', async () => {
  const large = { path: 'src/login.ts', problem: 'it is too large' };
  const head = await merge({ 'src/other.ts': 'new\n' }, undefined, [large]);
  expect(await work.head()).toBe(head);
  const said = (await replies()).join();
  expect(said).toContain('The work was not committed: a merge cannot be committed in part.');
  expect(said).toContain('src/login.ts: it is too large');
});
