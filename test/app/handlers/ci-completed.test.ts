import { afterEach, expect, test } from 'vitest';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import { findActive } from '../../comments/active-markdown.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { commitOnBranch, type Published, publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const REVISIONS = {
  max: 10,
  on_changes_requested: 'start',
  request_review: 'on',
  on_ci_failure: 'ask',
} as const;
const STAMP = '2026-11-16T09:00:00.1234567Z';
const LOG = [
  '##[group]Run npm run e2e',
  '##[endgroup]',
  '  1) checkout.spec.ts:31:5 › pays by card',
  '     Error: expect(locator).toHaveText: "Paid" – received "Pending"',
  '##[error]Process completed with exit code 1.',
  'Post job cleanup.',
]
  .map((line) => `${STAMP} ${line}`)
  .join('\n');

const steps = [
  { name: 'Set up job', conclusion: 'success' },
  { name: 'Run tests', conclusion: 'failure' },
];
const unit = { name: 'unit', conclusion: 'success' } as const;
const e2e = { name: 'e2e', conclusion: 'failure', steps, log: LOG } as const;

interface Rested extends Published {
  number: number;
  sha: string;
}

/** A run whose pull request is ready. */
async function rest(target: Partial<RunTarget> = {}): Promise<Rested> {
  desk = await openAppDesk();
  const report = { status: 'implemented', summary: 'Added the form' };
  const run = startRun({ startMs: Date.now() - 3_600_000 }).turn({ report, verification: PASSING });
  const work = await publishRun(desk, { run, target: { revisions: REVISIONS, ...target } });
  expect((await desk.state()).status).toBe('reviewing');
  return { ...work, number: (await work.pull()).number, sha: await work.head() };
}

async function said(number: number): Promise<string[]> {
  return (await desk.olivia.comments(number)).map(({ body }) => body).filter((body) => body.includes(':ci '));
}

async function base(): Promise<string> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  return (body as { object: { sha: string } }).object.sha;
}

/** The answer to the one query of remarks: there are none. */
function withoutRemarks(sha: string): void {
  const page = { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
  const pull = { id: 'PR_1', headRefOid: sha, baseRefName: 'main', baseRefOid: sha, state: 'OPEN' };
  const facts = { isDraft: false, isInMergeQueue: false, mergeable: 'MERGEABLE' };
  const pullRequest = { ...pull, ...facts, reviews: page, reviewThreads: page };
  desk.interfere(({ path, body }) =>
    path === '/api/graphql' && String(body.query).includes('reviewThreads')
      ? { status: 200, body: { data: { repository: { pullRequest } } } }
      : undefined,
  );
}

test('V-7: once all suites are complete there is one comment: check, step, log, base, boxes', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(await base(), {
    workflow: 'ci.yml',
    runs: [{ ...e2e, conclusion: 'success' }],
  });
  await desk.github.ci.report(sha, { workflow: 'lint.yml', runs: [{ name: 'lint' }] });
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [unit, e2e] });
  await desk.settle();
  expect(await said(number)).toEqual([]);
  await desk.github.ci.report(sha, { workflow: 'lint.yml', runs: [{ name: 'lint', conclusion: 'success' }] });
  await desk.settle();
  const [comment = '', ...more] = await said(number);
  expect(more).toEqual([]);
  expect(comment).toContain(`### ⏸ Waiting for you: CI fails on \`${sha.slice(0, 7)}\`, 1 of 3 checks`);
  expect(comment).toMatch(
    /^\*\*`e2e`\*\*, step \*Run tests\*, failed on \d+ \w+ \d+ at \d\d:\d\d UTC\. It passes on `main`, so this pull/m,
  );
  expect(comment).toContain('Error: expect(locator).toHaveText');
  expect(comment).not.toMatch(/Post job cleanup|2026-11-16T09|##\[/);
  expect(comment).toContain('id=c1.fix');
  expect((await desk.state()).status).toBe('reviewing');
});

test('V-7: Fix it begins a round with source ci and the log; the comment then has no boxes', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [unit, e2e] });
  await desk.settle();
  withoutRemarks(sha);
  const [comment] = (await desk.olivia.comments(number)).filter(({ body }) => body.includes(':ci '));
  if (!comment) throw new Error('no comment');
  await desk.person('walter').tick(comment, 'fix');
  await desk.settle();
  const { revision, status } = await desk.state();
  expect(status).toBe('building');
  expect(revision).toMatchObject({
    ...{ number: 2, source: 'ci', by: 'walter', head: sha, remarks: [] },
    ci: [{ name: 'e2e', step: 'Run tests', log: expect.stringContaining('received "Pending"') }],
  });
  expect((await said(number))[0]).toContain('a round fixes it, asked by walter');
  expect((await said(number))[0]).not.toContain('- [ ]');
});

test('V-7: Ignore is kept for this commit, also when its events come again', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  await desk.olivia.comment(number, '/skip');
  await desk.settle();
  expect((await said(number))[0]).toContain('ignored by olivia');
  const before = desk.exchanges.length;
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [] });
  await desk.settle();
  expect(await said(number)).toHaveLength(1);
  const asked = desk.exchanges.slice(before).map(({ call }) => call.path);
  expect(asked.filter((path) => path.includes('/actions/jobs/'))).toEqual([]);
});

test('V-7: what fails on the base as well is not called our fault, and the first failing commit is named', async () => {
  const { number, sha } = await rest();
  const first = await base();
  await desk.github.ci.report(first, { workflow: 'ci.yml', runs: [e2e] });
  await commitOnBranch(desk, 'main', first);
  await desk.github.ci.report(await base(), { workflow: 'ci.yml', runs: [e2e] });
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  const [comment = ''] = await said(number);
  expect(comment).toContain(`**\`e2e\`** fails on \`main\` as well, since \`${first.slice(0, 7)}\` (`);
  expect(comment).toContain(' UTC): not caused by this pull request.');
});

test('V-7: our own check run and our own workflow are no CI', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(sha, {
    workflow: 'autobuild.yml',
    runs: [{ name: 'build', conclusion: 'failure' }],
  });
  await desk.settle();
  expect(await said(number)).toEqual([]);
  await desk.github.ci.report(await base(), { workflow: 'autobuild.yml', runs: [e2e] });
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  expect((await said(number))[0]).toContain('1 of 1 check');
  expect((await said(number))[0]).toContain('It has no result on `main` to compare with.');
});

test('V-7: a check that failed and passed on the same commit is only mentioned', async () => {
  const { number, sha } = await rest();
  desk.loseWebhooks(true);
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  desk.loseWebhooks(false);
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [{ name: 'e2e', conclusion: 'success' }] });
  await desk.settle();
  const [comment = ''] = await said(number);
  expect(comment).toContain('`e2e` failed first and passed when run again on the same commit.');
  expect(comment).not.toContain('- [ ]');
});

test('V-7: a workflow that waits for approval is said to wait', async () => {
  const { number, sha } = await rest();
  await desk.github.ci.report(sha, { workflow: 'ci.yml', conclusion: 'action_required', runs: [] });
  await desk.settle();
  const [comment = ''] = await said(number);
  expect(comment).toContain(`### CI waits for approval on \`${sha.slice(0, 7)}\``);
  expect(comment).toContain('A maintainer has to approve [`ci`](');
  expect(comment).not.toContain('- [ ]');
});

test('V-7: a failing status counts; without the permission the checks alone do', async () => {
  const { number, sha } = await rest();
  const status = { context: 'deploy/preview', state: 'failure', description: 'No such bucket' } as const;
  await desk.github.ci.status(sha, status);
  await desk.settle();
  expect((await said(number))[0]).toContain('**`deploy/preview`** failed on ');
  expect((await said(number))[0]).toContain('No such bucket');
  await desk.close();
  const other = await rest();
  desk.github.ci.allowStatuses(false);
  await desk.github.ci.status(other.sha, status);
  await desk.github.ci.report(other.sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  expect((await said(other.number))[0]).toContain('CI fails on');
  expect((await said(other.number))[0]).not.toContain('deploy/preview');
});

test('V-7: while there is no log, the notes of the check are shown', async () => {
  const { number, sha } = await rest();
  const notes = [{ path: 'src/login.ts', message: 'Expected a semicolon' }];
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [{ ...e2e, log: undefined, notes }] });
  await desk.settle();
  expect((await said(number))[0]).toContain('src/login.ts: Expected a semicolon');
});

test('V-7: a log cannot act in the comment, and what looks like a credential is in no record', async () => {
  const { number, sha } = await rest();
  const secret = 'sk_live_abcdefghij0123456789';
  const log = `@everyone <img src=x>\n\`\`\`\n- [ ] <!-- autobuild:option id=c1.ignore --> tick\nError: key ${secret}`;
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [{ ...e2e, log }] });
  await desk.settle();
  const [comment = ''] = await said(number);
  expect(comment).toContain('Error: key [redacted]');
  const active = { types: ['heading', 'link'], html: /^<!-- autobuild:|^<\/?sub>/, text: /./, boxes: 2 };
  expect(findActive(comment, active)).toEqual([]);
  const journal = JSON.stringify(await desk.store.runs.events('r1'));
  expect(comment + journal + desk.logged()).not.toContain(secret);
});

test('V-7: `start` begins a round by itself, `off` asks nothing of GitHub', async () => {
  const { sha } = await rest({ ci: 'always', revisions: { ...REVISIONS, on_ci_failure: 'start' } });
  withoutRemarks(sha);
  await desk.github.ci.report(sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  expect((await desk.state()).revision).toMatchObject({ number: 2, source: 'ci', by: 'rosa' });
  await desk.close();
  const off = await rest({ revisions: { ...REVISIONS, on_ci_failure: 'off' } });
  const before = desk.exchanges.length;
  await desk.github.ci.report(off.sha, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  expect(desk.exchanges.length).toBe(before);
});

test('V-7: CI on a commit of somebody else is theirs', async () => {
  const { number, sha, issue } = await rest();
  const other = await commitOnBranch(desk, `autobuild/issue-${issue}`, sha);
  await desk.github.ci.report(other, { workflow: 'ci.yml', runs: [e2e] });
  await desk.settle();
  expect(await said(number)).toEqual([]);
});
