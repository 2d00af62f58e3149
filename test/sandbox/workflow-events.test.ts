import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalActions, openLocalActions, REPOSITORY } from './local-actions.ts';

const DESK = `
name: desk
on:
  issues: { types: [labeled] }
  issue_comment: { types: [created] }
  pull_request_target: { types: [closed, synchronize] }
  pull_request_review: { types: [submitted] }
  pull_request_review_comment:
  schedule: [{ cron: '0 4 * * *' }]
jobs:
  desk:
    if: >-
      github.event_name == 'schedule' || github.event.sender.type == 'User' &&
      (github.event.label.name == 'autobuild' || contains(github.event.comment.body, '/') ||
      github.event.pull_request.head.repo.full_name == github.repository)
    steps: []
`;

let actions: LocalActions;
beforeAll(async () => {
  actions = await openLocalActions({ workflows: { 'desk.yml': DESK } });
});
afterAll(() => actions.github.close());

const last = () => actions.github.workflows.runs.at(-1);
const issue = () => actions.person('olivia').openIssue({ title: 'Make it', body: 'Please.' });

async function branch(name: string): Promise<void> {
  const { body } = await actions.github.upstream('GET', `${REPOSITORY}/git/ref/heads/main`);
  const { sha } = (body as { object: { sha: string } }).object;
  await actions.github.upstream('POST', `${REPOSITORY}/git/refs`, { ref: `refs/heads/${name}`, sha });
  await actions.write('work.txt', name, name);
}

test('an event that the file does not name starts no run, and a false `if:` starts no job', async () => {
  const number = await issue();
  await actions.person('olivia').label(number, 'other');
  await actions.told('issues', 'labeled');
  const runs = await actions.ended(1);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({ event: 'issues', conclusion: 'skipped', name: 'Make it' });
  expect(runs[0]?.jobs).toMatchObject([{ job: 'desk', conclusion: 'skipped' }]);
  expect(actions.started).toEqual([]);
});

test('a job gets the event as it was sent, at the newest commit of the default branch', async () => {
  const number = await issue();
  await actions.person('walter').comment(number, '/status');
  const { job, end } = await actions.job('desk');
  const head = await actions.github.upstream('GET', `${REPOSITORY}/git/ref/heads/main`);
  expect(job).toMatchObject({
    event: 'issue_comment',
    actor: 'walter',
    sha: (head.body as { object: { sha: string } }).object.sha,
    payload: { action: 'created', comment: { body: '/status' }, issue: { number } },
  });
  expect(job.payload).not.toHaveProperty('installation');
  expect(job.contexts.github).toMatchObject({ event_name: 'issue_comment', ref: 'refs/heads/main' });
  end();
});

test('a pull request is told by the file of its base; a review by the file of the pull request itself', async () => {
  await branch('work');
  const request = { title: 'Work', head: 'work', base: 'main' };
  const { body } = await actions.github.callAs('walter', 'POST', `${REPOSITORY}/pulls`, request);
  const { number } = body as { number: number };
  await actions.told('pull_request', 'opened');
  const before = actions.github.workflows.runs.length;
  // The file of the pull request names another job.
  const own = DESK.replace('  desk:\n', '  own:\n');
  await actions.write('.github/workflows/desk.yml', own, 'work');
  const { body: ref } = await actions.github.upstream('GET', `${REPOSITORY}/git/ref/heads/work`);
  const { sha } = (ref as { object: { sha: string } }).object;
  await actions.github.callAs('olivia', 'PATCH', `${REPOSITORY}/git/refs/heads/work`, { sha });
  (await actions.job('desk', 2)).end();
  expect(last()).toMatchObject({ event: 'pull_request_target', branch: 'main' });
  await actions.person('olivia').review(number, 'COMMENT', 'Look.');
  const { job, end } = await actions.job('own');
  expect(job).toMatchObject({ event: 'pull_request_review', sha, branch: 'work' });
  expect(job.contexts.github).toMatchObject({ ref: `refs/pull/${number}/merge`, head_ref: 'work' });
  end();
  const inline = { body: 'here', path: 'work.txt', commit_id: sha, line: 1 };
  await actions.github.callAs('olivia', 'POST', `${REPOSITORY}/pulls/${number}/comments`, inline);
  // A remark on its own is a review, too: GitHub tells of both.
  await actions.job('own', 3);
  const remarked = actions.started.slice(-2);
  const events = remarked.map(({ job: { event } }) => event);
  expect(events.toSorted()).toEqual(['pull_request_review', 'pull_request_review_comment']);
  for (const one of remarked) one.end();
  await actions.person('olivia').closePullRequest(number);
  (await actions.job('desk', 3)).end();
  expect(last()).toMatchObject({ event: 'pull_request_target', payload: { action: 'closed' } });
  expect(actions.github.workflows.runs.length - before).toBe(5);
});

test('a review of a pull request from a fork has no secrets, a token that only reads, and the fork’s file', async () => {
  await actions.github.callAs('rita', 'POST', `${REPOSITORY}/forks`, {});
  const evil = DESK.replace(/if: [\s\S]*steps: \[\]/, 'permissions: write-all\n    steps: []').replace(
    '  desk:\n',
    '  evil:\n',
  );
  const file = '/repos/rita/shop/contents/.github/workflows/desk.yml';
  const { body: present } = await actions.github.upstream('GET', file);
  const content = Buffer.from(evil).toString('base64');
  const { sha } = present as { sha: string };
  await actions.github.callAs('rita', 'PUT', file, { message: 'evil', content, sha });
  const request = { title: 'Fork', head: 'rita:main', base: 'main' };
  const { body } = await actions.github.callAs('rita', 'POST', `${REPOSITORY}/pulls`, request);
  const { number } = body as { number: number };
  await actions.person('olivia').review(number, 'COMMENT', 'Look.');
  const evilJob = await actions.job('evil');
  expect(Object.keys(evilJob.job.contexts.secrets)).toEqual(['GITHUB_TOKEN']);
  const comment = await evilJob.call('POST', `/issues/${number}/comments`, { body: 'mine' });
  expect(comment).toMatchObject({ status: 403, body: { message: 'Resource not accessible by integration' } });
  expect(await evilJob.call('GET', `/pulls/${number}`)).toMatchObject({ status: 200 });
  evilJob.end();
  // By the file of the base, whose `if:` looks at the head.
  const desks = actions.started.filter(({ job }) => job.job === 'desk').length;
  await actions.person('rita').closePullRequest(number);
  await actions.told('pull_request', 'closed');
  expect(actions.started.filter(({ job }) => job.job === 'desk')).toHaveLength(desks);
});

test('events that are lost start nothing; a schedule starts when its time has come', async () => {
  const before = actions.github.workflows.runs.length;
  actions.github.workflows.route(({ name }) => name !== 'issues');
  await actions.person('olivia').label(await issue(), 'autobuild');
  await actions.told('issues', 'labeled');
  actions.github.workflows.route(() => true);
  expect(actions.github.workflows.runs).toHaveLength(before);
  const desks = actions.started.filter(({ job }) => job.job === 'desk').length;
  await actions.github.workflows.fireSchedules();
  expect(last()).toMatchObject({ event: 'schedule' });
  (await actions.job('desk', desks + 1)).end();
});

test('every workflow file could be read', () => {
  expect(actions.github.workflows.problems).toEqual([]);
});
