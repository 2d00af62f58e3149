import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import type { WorkFacts } from '../../../src/core/contracts/work-facts.ts';
import { digestOfFile } from '../../../src/core/work/examine-work.ts';
import { type Answer, type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { PASSING, type Run, startRun } from '../../core/run-builder.ts';
import { webhookPayload } from '../../fixtures/webhooks.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

const CI = '.github/workflows/ci.yml';
const HERE = { installation: { id: 100 }, sender: { login: 'walter', type: 'User' } } as const;
const HOUR_MS = 3_600_000;
const SECRET = 'S3CRETvalue99';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (path: string, more: object = {}) => ({
  path,
  mode: '100644' as const,
  status: 'added',
  content: base64(`${path}\n`),
  ...more,
});

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

/** As it would stand there if an older desk had taken it. */
async function put(files: object[], base?: string): Promise<string> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const base_sha = base ?? (body as { object: { sha: string } }).object.sha;
  const text = JSON.stringify({ base_sha, files, left_out: [] });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(text));
  return desk.deps.hash(text);
}

const said = async (issue: number, words: string) =>
  (await desk.olivia.comments(issue)).map(({ body }) => body).filter((body) => body.includes(words));
const replied = async (issue: number, words: string) =>
  (await said(issue, words)).filter((body) => body.includes(':reply '));
const dispatches = () => desk.exchanges.filter(({ call }) => call.path.endsWith('/dispatches')).length;
const branchFile = (issue: number, path: string) => desk.olivia.file(path, `autobuild/issue-${issue}`);

async function hours(): Promise<void> {
  for (let time = 0; time < 20; time += 1) {
    await desk.settle();
    desk.clock.ms += 600_000;
  }
}

describe('a changeset that cannot be used is said once, never tried again, and holds up nothing', () => {
  test.each([
    ['another base', [file('a.js')], 'a'.repeat(40), 'the run builds on'],
    ['a link', [file('a.js', { mode: '120000' })], undefined, 'files.0.mode'],
    ['a path outside', [file('../a.js')], undefined, '../a.js'],
  ])('%s', async (_, files, base, reason) => {
    await put(files, base);
    const { issue } = await desk.seed(askingRun(['colour']).park());
    expect(await desk.store.outbox.size()).toMatchObject({ waiting: 0, buried: 0 });
    const before = dispatches();
    await desk.olivia.comment(issue, '/provide colour=red');
    await desk.settle();
    expect(dispatches()).toBe(before + 1);
    const [reply, ...more] = await said(issue, 'The work was not committed');
    expect(more).toEqual([]);
    expect(reply).toContain(reason);
    expect(await desk.olivia.pullRequests()).toEqual([]);
  });
});

describe('files that nobody approved', () => {
  const files = [file('src/a.ts'), file(CI)];

  test('stay out while the run waits, and the pull request says so; approved, they are committed', async () => {
    await put(files);
    const run = askingRun(['colour']).park();
    const { issue } = await desk.seed(run);
    expect(await branchFile(issue, 'src/a.ts')).toBe('src/a.ts\n');
    expect(await branchFile(issue, CI)).toBeUndefined();
    const [pull] = await desk.olivia.pullRequests();
    expect(pull?.body).toContain(`**Not in this pull request:**\n\n- \`${CI}\`, because workflow files run`);

    run.say('/provide colour=red');
    run.startJob().beginTurn();
    run.say('/approve paths=.github/**');
    run.askForHelp([{ key: 'size', label: 'size' }]).park();
    await desk.seed(run);
    expect(await branchFile(issue, CI)).toBe(`${CI}\n`);
    expect((await desk.olivia.pullRequests())[0]?.body).not.toContain('Not in this pull request');
  });

  test('stay out when somebody accepts what is there', async () => {
    await put(files);
    const { issue } = await desk.seed(askingRun(['colour']));
    await desk.olivia.comment(issue, '/accept');
    await desk.settle();
    expect(await branchFile(issue, CI)).toBeUndefined();
    expect((await desk.olivia.pullRequests())[0]?.body).toContain('Not in this pull request');
  });

  test('approved when the work is complete: published with them', async () => {
    const digest = await put(files);
    const problems = [{ path: CI, why: 'workflow' as const, digest: digestOfFile(file(CI), desk.deps.hash) }];
    const run = completeRun({ digest, files: 2, problems, secrets: [] }).park();
    const { issue } = await desk.seed(run);
    expect((await said(issue, 'It is only committed if you approve it.'))[0]).toContain(CI);
    expect((await said(issue, ':status '))[0]).not.toContain('Done');
    await desk.olivia.comment(issue, '/approve paths=.github/workflows/**');
    await desk.settle();
    expect(await desk.state()).toMatchObject({ verifying: 1 });
    await verify(digest);
    expect((await desk.state()).status).toBe('reviewing');
    expect(await branchFile(issue, CI)).toBe(`${CI}\n`);
    expect(await desk.olivia.pullRequests()).toMatchObject([{ draft: false }]);
  });
});

test('what was verified is what is published: anything else is refused, and said', async () => {
  const digest = await put([file('src/a.ts')]);
  const run = completeRun({ digest, files: 1, problems: [], secrets: [] });
  const { issue } = await desk.seed(run);
  await put([file('src/a.ts', { content: base64('evil\n') })]);
  await verify(digest);
  expect(await desk.olivia.pullRequests()).toEqual([]);
  const [reply, ...more] = await replied(issue, 'the files changed after verification');
  expect(more).toEqual([]);
  expect(reply).toContain('Remove and re-add the label');
});

describe('S-13: a value given in secret is not committed', () => {
  async function provided(): Promise<{ run: Run; issue: number }> {
    const run = startRun({ startMs: Date.now() - HOUR_MS }).beginTurn();
    run.askForHelp([{ key: 'api_key', label: 'A key', secret: true }]);
    const { issue } = await desk.seed(run);
    const ref = await desk.store.vault.put('r1', 'api_key', SECRET);
    const command = { name: 'provide' as const, inputs: { api_key: { ref, length: SECRET.length } } };
    run.feed({ type: 'command', at: run.now(), command, by: 'olivia', via: 'form' });
    return { run, issue };
  }
  const leaking = [file('src/a.ts', { content: base64(`const key = "${SECRET}"\n`) })];

  test('when the run parks: which file, which key, how to go on', async () => {
    const { run, issue } = await provided();
    await put(leaking);
    run
      .beginTurn()
      .askForHelp([{ key: 'more', label: 'more' }])
      .park();
    await desk.seed(run);
    await hours();
    expect(await desk.olivia.pullRequests()).toEqual([]);
    const [reply, ...more] = await said(issue, 'it contains secret values');
    expect(more).toEqual([]);
    expect(reply).toMatch(/src\/a\.ts: the value of api.*key/);
    expect(reply).toContain('/guide');
    expect(reply).not.toContain(SECRET);
  });

  test('at the end: looked for before the values are forgotten', async () => {
    const { run, issue } = await provided();
    await put(leaking);
    run.beginTurn();
    await desk.seed(run);
    await desk.olivia.comment(issue, '/accept');
    await desk.settle();
    expect(await desk.olivia.pullRequests()).toEqual([]);
    expect(await replied(issue, 'it contains the secret api')).toHaveLength(1);
  });

  test('after the end, when nobody knows them any more, what was never looked through stays', async () => {
    const { run, issue } = await provided();
    await put(leaking);
    run.beginTurn();
    await desk.seed(run);
    await desk.store.vault.forget('r1');
    await desk.olivia.comment(issue, '/accept');
    await desk.settle();
    expect(await desk.olivia.pullRequests()).toEqual([]);
    expect(await replied(issue, 'it can no longer be searched')).toHaveLength(1);
  });
});

describe('an App without the permission for workflow files', () => {
  const lacking: [string, Answer][] = [
    ['404', refuse(404, 'Not Found')],
    [
      '403',
      {
        ...refuse(403, 'Resource not accessible by integration'),
        headers: { 'x-accepted-github-permissions': 'contents=write; contents=write,workflows=write' },
      },
    ],
    [
      '422',
      refuse(
        422,
        'refusing to allow a GitHub App to create or update workflow without `workflows` permission',
      ),
    ],
  ];

  test.each(lacking)('%s: said once; granted, it is published', async (_, answer) => {
    const isTree = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/trees');
    desk.interfere((call) => (isTree(call) ? answer : undefined));
    await put([file(CI)]);
    const run = startRun({ startMs: Date.now() - HOUR_MS }).beginTurn();
    run.say('/approve paths=.github/**');
    run.askForHelp([{ key: 'colour', label: 'colour' }]).park();
    const { issue } = await desk.seed(run);
    await hours();
    const [reply, ...more] = await said(issue, 'cannot be committed');
    expect(more).toEqual([]);
    expect(reply).toContain('The work cannot be committed: the App lacks `workflows: write`');
    expect(reply).toContain('from the work');
    expect(await desk.store.outbox.size()).toMatchObject({ buried: 1 });
    expect(desk.exchanges.filter(({ call }) => isTree(call)).length).toBeLessThanOrEqual(3);
    desk.interfere(() => undefined);
    await desk.receive('installation', webhookPayload('installation.new_permissions_accepted', HERE));
    await desk.settle();
    expect(await branchFile(issue, CI)).toBe(`${CI}\n`);
  });

  test('it is named also where only the branch is refused, for work without such files', async () => {
    const isRef = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/refs');
    const headers = { 'x-accepted-github-permissions': 'contents=write' };
    desk.interfere((call) =>
      isRef(call) ? { ...refuse(403, 'Resource not accessible by integration'), headers } : undefined,
    );
    await put([file('src/page.ts')]);
    const run = startRun({ startMs: Date.now() - HOUR_MS }).beginTurn();
    run.askForHelp([{ key: 'colour', label: 'colour' }]).park();
    const { issue } = await desk.seed(run);
    await hours();
    const [reply, ...more] = await said(issue, 'cannot be committed');
    expect(more).toEqual([]);
    expect(reply).toContain('The work cannot be committed: the App lacks `workflows: write`.');
    expect(reply).toContain('the default branch has changed them since the run began');
  });
});

test('push protection is told at once, with the remedy, and not tried again', async () => {
  const words = 'Repository rule violations found\n\nSecret detected in content';
  const isCommit = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/commits');
  desk.interfere((call) => (isCommit(call) ? refuse(409, words) : undefined));
  await put([file('src/page.ts')]);
  const run = startRun({ startMs: Date.now() - HOUR_MS }).beginTurn();
  run.askForHelp([{ key: 'colour', label: 'colour' }]).park();
  const { issue } = await desk.seed(run);
  await hours();
  expect(desk.exchanges.filter(({ call }) => isCommit(call))).toHaveLength(1);
  const [reply, ...more] = await said(issue, 'cannot be committed');
  expect(more).toEqual([]);
  expect(reply).toContain('push protection found a secret in it');
  expect(reply).toContain('/guide');
});

/** The agent says it is done, and this is what the desk finds. */
function completeRun(work: WorkFacts): Run {
  return startRun({ freshVerification: true, startMs: Date.now() - HOUR_MS }).turn({
    report: { status: 'implemented', summary: 'All done' },
    verification: PASSING,
    work,
  });
}

/** What the fresh job says, as the desk takes it. */
async function verify(changeset: string): Promise<void> {
  const at = new Date(desk.clock.ms).toISOString();
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification: PASSING, changeset }, ['v']);
  await desk.settle();
}
