import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import type { WorkFacts } from '../../../src/core/contracts/work-facts.ts';
import { digestOfFile } from '../../../src/core/work/examine-work.ts';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { PASSING, type Run, startRun, tests } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const CI = '.github/workflows/ci.yml';
const HOUR_MS = 3_600_000;
const SECRET = 'S3CRETvalue99';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (path: string, text = path) => ({
  path,
  mode: '100644' as const,
  status: 'added',
  content: base64(text),
});
const gone = (path: string) => ({ path, mode: '100644', status: 'deleted', content: null });

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

/** Past the job API, which would not take it. */
async function put(files: object[]): Promise<string> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const text = JSON.stringify({ base_sha: (body as { object: { sha: string } }).object.sha, files });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(text));
  return desk.deps.hash(text);
}

const complete = (work: WorkFacts, guards = {}): Run =>
  startRun({ freshVerification: true, startMs: Date.now() - HOUR_MS, guards }).turn({
    report: { status: 'implemented', summary: 'All done' },
    verification: PASSING,
    work,
  });

const workflowProblem = (text: string) => ({
  path: CI,
  why: 'workflow' as const,
  digest: digestOfFile(file(CI, text), desk.deps.hash),
});

async function verify(changeset: string): Promise<void> {
  const at = new Date(desk.clock.ms).toISOString();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: PASSING, changeset }, ['v']);
  await desk.settle();
}

async function answer(issue: number, text: string): Promise<void> {
  await desk.olivia.comment(issue, text);
  await desk.settle();
}

const branchFile = (issue: number, path: string) => desk.olivia.file(path, `autobuild/issue-${issue}`);
const comment = async (issue: number, kind: 'status' | 'receipt' | 'reply') =>
  (await desk.olivia.comments(issue)).findLast(({ body }) => body.includes(`autobuild:${kind} `))?.body;
const labels = async (issue: number) => {
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/issues/${issue}`);
  return (body as { labels: { name: string }[] }).labels.map(({ name }) => name);
};

test('S-7: the question shows the desk’s own diff, and the pull request first that of a path approved unseen', async () => {
  const digest = await put([file(CI, 'on: push\n<!-- autobuild:x --> @olivia ```\n')]);
  const { issue } = await desk.seed(
    complete({
      digest,
      files: 1,
      problems: [workflowProblem('on: push\n<!-- autobuild:x --> @olivia ```\n')],
      secrets: [],
    }).park(),
  );
  const asked = (await desk.olivia.comments(issue)).find(({ body }) =>
    body.includes('autobuild:escalation '),
  );
  expect(asked?.body).toMatch(/````+diff\n@@ -1 \+1 @@\n\+on: push\n/);
  expect(asked?.body).not.toContain('<!-- autobuild:x');
  await answer(issue, `/approve paths=${CI}`);
  await verify(digest);
  const [pull] = await desk.olivia.pullRequests();
  expect(pull?.body).toMatch(
    /Review this file first[\s\S]*```diff\n@@ -1 \+1 @@\n\+on: push[\s\S]*Built by Autobuild/,
  );
});

describe('R-8: what was approved is what is published', () => {
  test('a file that has another text since is not: the agent reports anew', async () => {
    const good = await put([file(CI, 'good')]);
    const problems = [workflowProblem('good')];
    const { issue } = await desk.seed(complete({ digest: good, files: 1, problems, secrets: [] }).park());
    const evil = await put([file(CI, 'evil')]);
    await answer(issue, '/approve');
    expect((await desk.state()).verifying).toBe(1);
    await verify(evil);
    expect(await desk.state()).toMatchObject({ status: 'building', changeset: good });
    expect(await branchFile(issue, CI)).toBeUndefined();
    expect(await comment(issue, 'reply')).toContain('the files changed after they were examined');
  });

  test.each([
    ['the same text', 'good', 'good'],
    ['another text', 'evil', undefined],
  ])('in later work the approval is for %s', async (_, text, published) => {
    const digest = await put([file(CI, 'good')]);
    const work = { digest, files: 1, problems: [workflowProblem('good')], secrets: [] };
    const run = complete(work).park();
    run.say('/approve');
    run.feed({ type: 'verification', at: run.now(), verification: tests(4, 5), changeset: digest });
    const later = await put([file(CI, text), file('src/fix.ts')]);
    run
      .startJob()
      .beginTurn()
      .askForHelp([{ key: 'size', label: 'size' }])
      .park();
    const { issue } = await desk.seed(run);
    expect(later).not.toBe(digest);
    expect(await branchFile(issue, 'src/fix.ts')).toBe('src/fix.ts');
    expect(await branchFile(issue, CI)).toBe(published);
  });

  test('asked about again, people are told that it is not what they approved', async () => {
    const work = (digest: string, text: string) => ({
      digest,
      files: 1,
      problems: [workflowProblem(text)],
      secrets: [],
    });
    const good = await put([file(CI, 'good')]);
    const run = complete(work(good, 'good')).park();
    run.say('/approve');
    run.feed({ type: 'verification', at: run.now(), verification: tests(4, 5), changeset: good });
    const report = { status: 'implemented', summary: 'All done' };
    const evil = work(await put([file(CI, 'evil')]), 'evil');
    run.startJob().turn({ report, verification: PASSING, work: evil }).park();
    const { issue } = await desk.seed(run);
    const asked = (await desk.olivia.comments(issue)).map(({ body }) => body).join('\n');
    expect(asked).toContain('It was approved before, but has changed since. It is only committed if');
  });

  test('E-5: three files approved are not fifty', async () => {
    const three = await put(['a', 'b', 'c'].map((path) => file(path)));
    const problems = [{ path: 'c', why: 'file_limit' as const }];
    const work = { digest: three, files: 3, problems, secrets: [] };
    const { issue } = await desk.seed(complete(work, { files_modified_exceeds: 2 }).park());
    await answer(issue, '/approve files=3');
    const fifty = await put(Array.from({ length: 50 }, (_, index) => file(`f${index}`)));
    await verify(fifty);
    expect(await desk.state()).toMatchObject({ status: 'building' });
    expect(await branchFile(issue, 'f49')).toBeUndefined();
  });

  test('E-5: the number holds at the end, too, unless a person accepts what is there', async () => {
    const files = ['a', 'b', 'c'].map((path) => file(path));
    const digest = await put(files);
    const run = complete({ digest, files: 3, problems: [], secrets: [] }, { files_modified_exceeds: 2 });
    const { issue } = await desk.seed(run);
    await verify(digest);
    expect(await desk.olivia.pullRequests()).toEqual([]);
    expect(await comment(issue, 'status')).toContain('3 files are changed; 2 are allowed');
  });
});

describe('work that cannot be published at the end', () => {
  test('status, label and receipt say so, and what can be done', async () => {
    const digest = await put([file('src/a.ts')]);
    const { issue } = await desk.seed(complete({ digest, files: 1, problems: [], secrets: [] }));
    await put([file('src/a.ts', 'evil')]);
    await verify(digest);
    for (const kind of ['status', 'receipt'] as const) {
      const text = await comment(issue, kind);
      expect(text).toContain('✗ Not published: the files changed after verification');
      expect(text).toContain('Remove and re-add the label');
      expect(text).not.toContain('ready for your review');
    }
    expect(await labels(issue)).toContain('autobuild:stopped');
  });

  test('S-13: accepted with a secret in one file, the others are published', async () => {
    const run = startRun({ startMs: Date.now() - HOUR_MS }).beginTurn();
    run.askForHelp([{ key: 'api_key', label: 'A key', secret: true }]);
    const { issue } = await desk.seed(run);
    const ref = await desk.store.vault.put('r1', 'api_key', SECRET);
    const inputs = { api_key: { ref, length: SECRET.length } };
    run.feed({
      type: 'command',
      at: run.now(),
      command: { name: 'provide', inputs },
      by: 'olivia',
      via: 'form',
    });
    run.beginTurn();
    await desk.seed(run);
    await put([file('src/a.ts', `key = "${SECRET}"`), file('src/b.ts')]);
    await answer(issue, '/accept');
    expect(await branchFile(issue, 'src/a.ts')).toBeUndefined();
    expect(await branchFile(issue, 'src/b.ts')).toBe('src/b.ts');
    const [pull] = await desk.olivia.pullRequests();
    expect(pull?.body).toMatch(/`src\/a\.ts`, because it contains the secret api.?_key/);
    expect(await comment(issue, 'status')).toContain('is ready for your review');
  });

  test('nothing was built when somebody accepts: nobody is asked to review it', async () => {
    const { issue } = await desk.seed(askingRun(['colour']));
    await answer(issue, '/accept');
    expect(await comment(issue, 'status')).toContain('✗ Not published: no file was changed');
  });

  test('R-10: refused by GitHub, it is said; taken later, that is said', async () => {
    const isTree = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/trees');
    desk.interfere((call) => (isTree(call) ? refuse(422, 'tree.path is malformed') : undefined));
    await put([file('src/a.ts')]);
    const { issue } = await desk.seed(askingRun(['colour']));
    await answer(issue, '/accept');
    const [buried] = await desk.store.outbox.buried(1);
    expect(await comment(issue, 'status')).toContain('✗ Not published: GitHub rejected');
    expect(await comment(issue, 'receipt')).toContain('✗ Not published');
    expect(await labels(issue)).toContain('autobuild:stopped');
    desk.interfere(() => undefined);
    await desk.store.outbox.revive(buried?.id ?? '');
    await desk.settle();
    for (const kind of ['status', 'receipt'] as const)
      expect(await comment(issue, kind)).toContain('is ready for your review');
    expect(await labels(issue)).toContain('autobuild:done');
  });
});

describe('S-12: files that others are written in the place of', () => {
  const DIRECTORY = 'infra/prod/main.tf';
  const upload = (path: string) =>
    desk.github.upstream('PUT', `/repos/olivia/shop/contents/${path}`, {
      message: 'x',
      content: base64(path),
    });
  const target = { protected_paths: ['**/*.tf'] };

  test('are not removed without a word; the rest is shown', async () => {
    await upload(DIRECTORY);
    await put([file('infra'), file('src/b.ts')]);
    const { issue } = await desk.seed(askingRun(['colour']).park(), target);
    expect(await branchFile(issue, DIRECTORY)).toBe(DIRECTORY);
    expect(await branchFile(issue, 'src/b.ts')).toBe('src/b.ts');
    expect((await desk.olivia.pullRequests())[0]?.body).toContain(`it takes the place of ${DIRECTORY}`);
  });

  test('are not removed by complete work that does not say so', async () => {
    await upload(DIRECTORY);
    const digest = await put([file('infra')]);
    const run = complete({ digest, files: 1, problems: [], secrets: [] });
    const { issue } = await desk.seed(run, target);
    await verify(digest);
    expect(await desk.olivia.pullRequests()).toEqual([]);
    expect(await comment(issue, 'status')).toContain('it deletes files without listing them');
  });

  test('stay while nobody has approved what the work says of them, and go when somebody has', async () => {
    await upload(DIRECTORY);
    await put([file('infra'), gone(DIRECTORY)]);
    const run = askingRun(['colour']).park();
    const { issue } = await desk.seed(run, target);
    expect(await branchFile(issue, DIRECTORY)).toBeUndefined();
    expect(await desk.olivia.pullRequests()).toEqual([]);
    run.say('/provide colour=red');
    run.startJob().beginTurn();
    run.say(`/approve paths=infra,${DIRECTORY}`);
    run.askForHelp([{ key: 'size', label: 'size' }]).park();
    await desk.seed(run);
    expect(await branchFile(issue, 'infra')).toBe('infra');
    expect(await branchFile(issue, DIRECTORY)).toBeUndefined();
  });
});
