import { Probot, ProbotOctokit } from 'probot';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GitHub } from '../../src/core/ports/github-port.ts';
import { createAppDeliveries } from '../../src/github/app-deliveries.ts';
import type { OctokitLike } from '../../src/github/client/client.ts';
import { failOnRateLimits } from '../../src/github/client/octokit-defaults.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { Conclusion, StartedJob } from '../../src/sandbox/actions/job.ts';
import type { Answer, Call, Json } from '../../src/sandbox/github/gap.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/sandbox/github.ts';
import { createPerson } from '../../src/sandbox/person.ts';
import { until } from '../e2e-github/until.ts';
import { checkPayload } from '../fixtures/webhooks.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';

const WORKFLOW = `name: autobuild
run-name: 'autobuild #\${{ inputs.issue }}'
on:
  workflow_dispatch:
    inputs:
      issue: { required: true, type: string }
      kind: { type: choice, options: [build, verify] }
concurrency: { group: 'autobuild-\${{ inputs.issue }}' }
jobs:
  build: { steps: [] }
`;

let local: LocalGitHub;
let github: GitHub;
let asApp: () => Promise<OctokitLike>;
const exchanges: { call: Call; answer: Answer }[] = [];
const started: { run: StartedJob; end(conclusion: Conclusion): void }[] = [];

beforeAll(async () => {
  local = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: { walter: 'write', tina: 'triage', rita: 'read' },
    onExchange: (exchange) => exchanges.push(exchange),
    secretNames: () => ['THERE'],
    startJob(run) {
      const { promise, resolve } = Promise.withResolvers<Conclusion>();
      started.push({ run, end: resolve });
      return { ended: promise, cancel: () => resolve('cancelled') };
    },
  });
  const probot = new Probot({
    appId: local.appId,
    privateKey: local.privateKey,
    baseUrl: `http://${local.host}/api/v3`,
    Octokit: ProbotOctokit.defaults(failOnRateLimits),
    logLevel: 'fatal',
  });
  asApp = () => probot.auth();
  const { owner, name: repo, appId } = local;
  github = createGitHub(await probot.auth(100), { owner, repo, appId });
});
afterAll(() => local.close());
beforeEach(() => {
  exchanges.length = 0;
});

/** What the App asked and was told, held against GitHub's description. */
function problems(): string[] {
  return exchanges
    .filter(({ call }) => call.caller.kind !== 'person' && !call.path.endsWith('/graphql'))
    .flatMap(({ call, answer }) => {
      const path = call.query.size > 0 ? `${call.path}?${call.query}` : call.path;
      const body = call.method === 'GET' ? undefined : call.body;
      return [
        ...checkRequest(call.method, path, body),
        ...checkResponse(call.method, path, answer.status, answer.body),
      ];
    });
}

const olivia = () => createPerson(local, 'olivia');
const newIssue = () => olivia().openIssue({ title: 'Make it', body: 'Please.' });

async function delivered(event: string, action: string): Promise<Json> {
  await until(`${event}.${action}`, () =>
    local.webhooks.deliveries.some((one) => one.event === event && one.action === action),
  );
  return (
    local.webhooks.deliveries.findLast((one) => one.event === event && one.action === action)?.payload ?? {}
  );
}

describe('our additions answer as GitHub describes', () => {
  test('comments, their author, reactions and limits', async () => {
    const issue = await newIssue();
    const comment = await github.createComment(issue, 'hello');
    await github.updateComment(comment.id, 'hello again');
    await github.react(comment.id, 'eyes');
    await github.react(comment.id, 'eyes');
    expect(await github.comment(comment.id)).toMatchObject({ app_id: local.appId, author: 'autobuild[bot]' });
    expect(local.reactions.of(comment.id)).toEqual([{ content: 'eyes', login: 'autobuild[bot]' }]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await github.comments(issue, later)).toEqual([]);
    const long = await local.callAs('olivia', 'POST', `/repos/olivia/shop/issues/${issue}/comments`, {
      body: 'x'.repeat(65_537),
    });
    expect(long.status).toBe(422);
    expect(problems()).toEqual([]);
  });

  test('who may do what', async () => {
    const issue = await newIssue();
    const levels = await Promise.all(
      ['olivia', 'walter', 'tina', 'rita', 'nobody'].map((login) => github.permission(login)),
    );
    expect(levels).toEqual(['admin', 'write', 'triage', 'read', 'none']);
    const { id } = await github.createComment(issue, 'ours');
    const path = `/repos/olivia/shop/issues/comments/${id}`;
    expect((await local.callAs('rita', 'PATCH', path, { body: 'mine' })).status).toBe(403);
    expect((await local.callAs('walter', 'PATCH', path, { body: 'mine' })).status).toBe(200);
    const labels = `/repos/olivia/shop/issues/${issue}/labels`;
    expect((await local.callAs('rita', 'POST', labels, { labels: ['x'] })).status).toBe(403);
    expect(problems()).toEqual([]);
  });

  test('a token nobody was given opens nothing', async () => {
    const answer = await fetch(`http://${local.host}/api/v3/repos/olivia/shop/issues`, {
      method: 'POST',
      headers: { authorization: 'token ghp_made_up', 'content-type': 'application/json' },
      body: '{"title":"x"}',
    });
    expect(answer.status).toBe(401);
  });

  test('files at a commit, commits that are signed, pull requests that follow their branch', async () => {
    const { name, sha } = await github.defaultBranch();
    const content = Buffer.from('one\n').toString('base64');
    const file = { path: 'a/one.txt', mode: '100644' as const, content };
    const first = await github.commit({
      branch: 'autobuild/issue-9',
      parent: sha,
      message: 'One',
      files: [file],
      force: true,
    });
    expect(first.verified).toBe(true);
    expect(await github.file('a/one.txt', first.sha)).toBe('one\n');
    expect(await github.file('a/one.txt', sha)).toBeUndefined();
    const request = { branch: 'autobuild/issue-9', base: name, title: 'One', body: 'text', draft: true };
    const pull = await github.createPullRequest(request);
    // Asked for again after a lost answer: the same one.
    expect((await github.createPullRequest(request)).number).toBe(pull.number);
    const changed = { ...file, content: Buffer.from('two\n').toString('base64') };
    const second = await github.commit({
      branch: 'autobuild/issue-9',
      parent: sha,
      message: 'Two',
      files: [changed],
      force: true,
    });
    expect((await github.pullRequest(pull.number))?.head_sha).toBe(second.sha);
    await github.updatePullRequest(pull.number, { body: 'other' });
    await github.markReady(pull.node_id);
    expect(await github.pullRequestOf('autobuild/issue-9', 'main')).toMatchObject({
      draft: false,
      body: 'other',
    });
    const check = { head_sha: second.sha, external_id: 'r', title: 't', summary: 's' };
    await github.upsertCheckRun({ ...check, status: 'in_progress' });
    await github.upsertCheckRun({ ...check, status: 'completed', conclusion: 'success' });
    expect(problems()).toEqual([]);
  });

  test('workflows: dispatch, one at a time for each group, cancel', async () => {
    expect(await github.workflow('autobuild.yml')).toBe('missing');
    const put = await local.upstream('PUT', '/repos/olivia/shop/contents/.github/workflows/autobuild.yml', {
      message: 'workflow',
      content: Buffer.from(WORKFLOW).toString('base64'),
    });
    expect(put.status).toBe(201);
    expect(await github.workflow('autobuild.yml')).toBe('there');
    const inputs = { issue: '7', kind: 'build' };
    const { run_id = 0 } = await github.dispatchWorkflow('autobuild.yml', 'main', inputs);
    const waiting = await github.dispatchWorkflow('autobuild.yml', 'main', inputs);
    expect(await github.workflowRun(run_id)).toMatchObject({ status: 'in_progress', name: 'autobuild #7' });
    expect(await github.workflowRun(waiting.run_id ?? 0)).toMatchObject({ status: 'queued' });
    expect(await github.workflowJobs(run_id, 1)).toEqual([
      { id: expect.any(Number), conclusion: null, began_at: expect.any(String) },
    ]);
    await expect(github.dispatchWorkflow('autobuild.yml', 'main', { kind: 'build' })).rejects.toThrow(
      /issue/,
    );
    await expect(
      github.dispatchWorkflow('autobuild.yml', 'main', { issue: '1', other: 'x' }),
    ).rejects.toThrow(/other/);
    await github.cancelRun(run_id);
    await until('the next one runs', () => started.length === 2);
    started[1]?.end('success');
    await until(
      'it is told',
      async () => (await github.workflowRun(waiting.run_id ?? 0))?.conclusion === 'success',
    );
    expect(
      (await github.workflowRuns('autobuild.yml', '2026-01-01')).map(({ conclusion }) => conclusion),
    ).toEqual(['success', 'cancelled']);
    expect(checkPayload('workflow_run.completed', await delivered('workflow_run', 'completed'))).toEqual([]);
    expect(problems()).toEqual([]);
  });

  test('deliveries that failed, by pages, and sent again under the same id', async () => {
    const deliveries = createAppDeliveries(asApp);
    // Nobody listens.
    const from = new Date().toISOString();
    const issue = await newIssue();
    for (let count = 0; count < 4; count += 1) await olivia().comment(issue, `hello ${count}`);
    await local.heard();
    await local.webhooks.settled();
    const { failed, complete } = await deliveries.failedSince(from);
    expect(complete).toBe(true);
    const last = local.webhooks.deliveries.at(-1);
    expect(failed.at(-1)?.guid).toBe(last?.id);
    expect(failed.length).toBeGreaterThan(4);
    const octokit = await asApp();
    const guids: string[] = [];
    for (let cursor: string | undefined = '', page = 0; cursor !== undefined && page < 50; page += 1) {
      const parameters = { per_page: 2, ...(cursor && { cursor }) };
      const answer: { data: { guid: string }[]; headers: { link?: string } } = await octokit.request(
        'GET /app/hook/deliveries',
        parameters,
      );
      guids.push(...answer.data.map(({ guid }) => guid));
      cursor = /cursor=([^&>]+)/.exec(answer.headers.link ?? '')?.[1];
    }
    expect(guids).toEqual(local.webhooks.attempts.map(({ delivery }) => delivery.id).toReversed());
    await deliveries.redeliver(failed.at(-1)?.id ?? '');
    await local.webhooks.settled();
    const again = local.webhooks.attempts.at(-1);
    expect(again).toMatchObject({ redelivery: true, delivery: { id: last?.id } });
    expect(String(again?.id)).not.toBe(failed.at(-1)?.id);
    await expect(deliveries.redeliver('5')).rejects.toMatchObject({ status: 404 });
    expect(problems()).toEqual([]);
  });

  test('only the App itself sees its deliveries', async () => {
    const answer = await local.callAs('olivia', 'GET', '/app/hook/deliveries');
    expect(answer.status).toBe(401);
  });

  test('Actions secrets: whether there is one of that name', async () => {
    expect([await github.secretExists('THERE'), await github.secretExists('MISSING')]).toEqual([true, false]);
    expect(problems()).toEqual([]);
  });

  test('GraphQL: a folded comment, and who edited one', async () => {
    const issue = await newIssue();
    const comment = await github.createComment(issue, '- [ ] box');
    expect(await github.lastEdit(comment.node_id)).toEqual({});
    await createPerson(local, 'walter').edit(comment, '- [x] box');
    expect(await github.lastEdit(comment.node_id)).toMatchObject({ by: 'walter' });
    await github.minimizeComment(comment.node_id);
    expect(local.minimized).toContain(comment.node_id);
  });

  test('what was done to an issue, by whom, and when it was edited', async () => {
    const number = await newIssue();
    await olivia().label(number, 'autobuild');
    const path = `/repos/olivia/shop/issues/${number}`;
    await local.callAs('walter', 'PATCH', path, { title: 'Other', body: 'Other.' });
    await local.callAs('walter', 'PATCH', path, { body: 'Only words.' });
    await local.callAs('walter', 'PUT', `${path}/lock`, {});
    await github.removeLabel(number, 'autobuild');
    await olivia().closeIssue(number);
    expect(await github.issueEvents(number)).toMatchObject([
      { event: 'labeled', actor: 'olivia', actor_type: 'User', label: 'autobuild' },
      { event: 'renamed', actor: 'walter' },
      { event: 'locked', actor: 'walter' },
      { event: 'unlabeled', actor_type: 'Bot', app_id: local.appId, label: 'autobuild' },
      { event: 'closed', actor: 'olivia' },
    ]);
    const { node_id = '' } = (await github.issue(number)) ?? {};
    expect(await github.lastEdit(node_id)).toMatchObject({ by: 'walter' });
    expect(problems()).toEqual([]);
  });
});

describe('webhooks are as GitHub describes them', () => {
  test('labels whole, edits with what they changed, comments of the App marked', async () => {
    const issue = await newIssue();
    await olivia().label(issue, 'autobuild');
    expect(checkPayload('issues.labeled', await delivered('issues', 'labeled'))).toEqual([]);
    await olivia().unlabel(issue, 'autobuild');
    expect(checkPayload('issues.unlabeled', await delivered('issues', 'unlabeled'))).toEqual([]);
    const comment = await github.createComment(issue, 'before');
    await createPerson(local, 'walter').edit(comment, 'after');
    const edited = await delivered('issue_comment', 'edited');
    expect(edited).toMatchObject({
      changes: { body: { from: 'before' } },
      comment: { body: 'after', performed_via_github_app: { id: local.appId } },
      sender: { login: 'walter', type: 'User' },
      installation: { id: 100 },
    });
    expect(checkPayload('issue_comment.edited', edited)).toEqual([]);
    expect(checkPayload('issue_comment.created', await delivered('issue_comment', 'created'))).toEqual([]);
  });

  test('a comment on a pull request says so', async () => {
    const pull = (await olivia().pullRequests())[0]?.number ?? 0;
    await olivia().comment(pull, 'hello');
    await until('the comment', () => local.webhooks.deliveries.at(-1)?.event === 'issue_comment');
    const payload = local.webhooks.deliveries.at(-1)?.payload;
    expect(payload).toMatchObject({ issue: { number: pull, pull_request: { merged_at: null } } });
    expect(checkPayload('issue_comment.created', payload)).toEqual([]);
  });

  test('an edited pull request says what was changed, and who edited it last is known', async () => {
    const pull = (await olivia().pullRequests())[0];
    if (!pull) throw new Error('There is no pull request.');
    const walter = createPerson(local, 'walter');
    await walter.describePullRequest(pull.number, 'other words');
    await until('the edit', () => local.webhooks.deliveries.at(-1)?.event === 'pull_request');
    const edited = local.webhooks.deliveries.at(-1)?.payload;
    expect(edited).toMatchObject({
      changes: { body: { from: pull.body } },
      pull_request: { number: pull.number, body: 'other words', head: { sha: pull.head.sha } },
      sender: { login: 'walter' },
    });
    expect(checkPayload('pull_request.edited', edited)).toEqual([]);
    const { node_id = '' } = (await github.pullRequest(pull.number)) ?? {};
    expect(await github.lastEdit(node_id)).toMatchObject({ by: 'walter' });
    const path = `/repos/olivia/shop/pulls/${pull.number}`;
    expect((await local.callAs('rita', 'PATCH', path, { body: 'mine' })).status).toBe(403);
  });

  test('a pull request is not merged by a person who can only read', async () => {
    const number = (await olivia().pullRequests())[0]?.number ?? 0;
    const merge = `/repos/olivia/shop/pulls/${number}/merge`;
    for (const login of ['rita', 'tina'])
      expect((await local.callAs(login, 'PUT', merge, {})).status, login).toBe(403);
    expect((await github.pullRequest(number))?.state).toBe('open');
    expect(problems()).toEqual([]);
  });

  test('a pull request that is closed says by whom, also later, and can be opened again', async () => {
    const number = (await olivia().pullRequests())[0]?.number ?? 0;
    const walter = createPerson(local, 'walter');
    await walter.closePullRequest(number);
    const closed = await delivered('pull_request', 'closed');
    expect(closed).toMatchObject({ pull_request: { number, merged: false }, sender: { login: 'walter' } });
    expect(await github.issueEvents(number)).toMatchObject([{ event: 'closed', actor: 'walter' }]);
    await walter.reopenPullRequest(number);
    expect(await delivered('pull_request', 'reopened')).toMatchObject({ pull_request: { number } });
    expect((await github.pullRequest(number))?.state).toBe('open');
    expect(problems()).toEqual([]);
  });

  test('a review is told, listed, and shows as something new', async () => {
    const number = (await olivia().pullRequests())[0]?.number ?? 0;
    const before = (await github.pullRequest(number))?.updated_at ?? '';
    const review = await createPerson(local, 'walter').review(number, 'REQUEST_CHANGES', '/guide Like this');
    const told = await delivered('pull_request_review', 'submitted');
    expect(told).toMatchObject({
      review: { id: review.id, body: '/guide Like this', state: 'changes_requested' },
      pull_request: { number },
      sender: { login: 'walter' },
    });
    expect(checkPayload('pull_request_review.submitted', told)).toEqual([]);
    expect(await github.reviews(number)).toMatchObject([{ body: '/guide Like this', author: 'walter' }]);
    expect(((await github.pullRequest(number))?.updated_at ?? '') > before).toBe(true);
    await github.reactToReview(review.node_id, 'rocket');
    expect(local.reviewReactions.get(review.node_id)).toEqual(['rocket']);
    expect(problems()).toEqual([]);
  });

  test('a merge takes the branch as it is now, keeps what was merged since, and closes its issue', async () => {
    const text = (content: string) => Buffer.from(content).toString('base64');
    const { name, sha } = await github.defaultBranch();
    const publish = async (branch: string, path: string, content: string, body: string) => {
      const commit = (words: string) =>
        github.commit({
          ...{ branch, parent: sha, message: path, force: true },
          files: [{ path, mode: '100644', content: text(words) }],
        });
      await commit('not yet\n');
      const pull = await github.createPullRequest({ branch, base: name, title: path, body, draft: false });
      return { ...pull, head: (await commit(content)).sha };
    };
    const issue = await newIssue();
    const one = await publish('one', 'one.txt', 'one\n', `Closes #${issue}`);
    const two = await publish('two', 'two.txt', 'two\n', 'More');
    const clash = await publish('clash', 'one.txt', 'other\n', 'The same file');
    const files = async ({ number }: { number: number }) =>
      (await local.callAs('rita', 'GET', `/repos/olivia/shop/pulls/${number}/files`)).body;
    const changed = [{ filename: 'one.txt', status: 'added', patch: expect.stringContaining('+one') }];
    expect(await files(one)).toMatchObject(changed);
    const walter = createPerson(local, 'walter');
    await Promise.all([walter.merge(one.number), olivia().merge(two.number)]);
    const tip = (await github.defaultBranch()).sha;
    expect([await github.file('one.txt', tip), await github.file('two.txt', tip)]).toEqual([
      'one\n',
      'two\n',
    ]);
    expect(await files(one)).toMatchObject(changed);
    const read = await github.pullRequest(one.number);
    expect(read).toMatchObject({ merged: true, head_sha: one.head });
    expect(await github.file('one.txt', read?.merge_sha ?? '')).toBe('one\n');
    expect(await github.issueEvents(one.number)).toMatchObject([{ event: 'closed', actor: 'walter' }]);
    expect(await github.issue(issue)).toMatchObject({ state: 'closed' });
    expect(await delivered('issues', 'closed')).toMatchObject({ sender: { login: 'walter' } });
    const refused = await local.callAs('walter', 'PUT', `/repos/olivia/shop/pulls/${clash.number}/merge`, {});
    expect(refused.status).toBe(405);
    await walter.closePullRequest(clash.number);
    expect(problems()).toEqual([]);
  });

  test('each has an id of its own', () => {
    const ids = local.webhooks.deliveries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
