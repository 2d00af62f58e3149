import { beforeEach, expect, test } from 'vitest';
import type { OctokitLike } from '../../../src/github/client/client.ts';
import { rememberReads, type Tell } from '../../../src/github/client/remember-reads.ts';

const ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
const COMMENT = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
const REF = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
const COMMIT = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
const LABEL = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const SAY = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

let now = 0;
let sent: string[] = [];
let fails = false;
let github: OctokitLike;
let tell: Tell;
beforeEach(() => {
  [now, sent, fails] = [0, [], false];
  const call = async (route: string) => {
    sent.push(route);
    if (fails) throw new Error('no answer');
    return { data: sent.length };
  };
  const client = { request: call } as unknown as OctokitLike;
  ({ octokit: github, tell } = rememberReads(client, () => now));
});
const ask = (route: string, options = {}) => github.request(route, options);
const mutate = (query: string) => ask('POST /graphql', { query });
const asked = (route: string) => sent.filter((one) => one === route).length;

test('N-1: an issue is asked for once, until it is changed by us or some time has passed', async () => {
  const one = await ask(ISSUE, { issue_number: 1 });
  expect(await ask(ISSUE, { issue_number: 1 })).toBe(one);
  await ask(ISSUE, { issue_number: 2 });
  expect(asked(ISSUE)).toBe(2);
  await ask(SAY, { issue_number: 1 });
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(2);
  await ask(LABEL, { issue_number: 1 });
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(3);
  await mutate('mutation ($id: ID!) { addLabelsToLabelable(input: {}) { x } }');
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(4);
  await mutate('mutation ($id: ID!) { minimizeComment(input: {}) { x } }');
  await ask('POST /graphql', { query: 'query { x }' });
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(4);
  now += 20_000;
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(5);
});

test('N-1: what we do to a branch forgets no issue', async () => {
  for (const _ of [1, 2]) {
    await ask(ISSUE, { issue_number: 1 });
    expect(asked(ISSUE)).toBe(1);
    await ask('PATCH /repos/{owner}/{repo}/git/refs/{ref}');
  }
});

test('N-1: a changed pull request forgets no issue', async () => {
  await ask(ISSUE, { issue_number: 1 });
  await mutate('mutation ($id: ID!) { updatePullRequest(input: {}) { x } }');
  await mutate('mutation ($id: ID!) { markPullRequestReadyForReview(input: {}) { x } }');
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(1);
});

test('N-1: what was told is not asked for, for a short time, and only where it was told', async () => {
  const main = { ref: 'heads/main' };
  tell(ISSUE, { issue_number: 1 }, { number: 1 });
  tell(REF, main, { object: { sha: 'a' } });
  expect(await ask(ISSUE, { issue_number: 1 })).toMatchObject({ status: 200, data: { number: 1 } });
  expect(await ask(REF, main)).toMatchObject({ data: { object: { sha: 'a' } } });
  expect(sent).toEqual([]);
  // Another branch, and the same one a second time once it was asked for, are read each time.
  await ask(REF, { ref: 'heads/other' });
  await ask(REF, { ref: 'heads/other' });
  expect(asked(REF)).toBe(2);
  now += 20_000;
  await ask(ISSUE, { issue_number: 1 });
  await ask(REF, main);
  await ask(REF, main);
  expect([asked(ISSUE), asked(REF)]).toEqual([1, 4]);
});

test('N-1: a branch that was told is asked for again after we wrote to one; an issue after we labelled it', async () => {
  const main = { ref: 'heads/main' };
  tell(REF, main, {});
  tell(ISSUE, { issue_number: 1 }, {});
  await ask('PATCH /repos/{owner}/{repo}/git/refs/{ref}');
  await ask(REF, main);
  await ask(ISSUE, { issue_number: 1 });
  expect([asked(REF), asked(ISSUE)]).toEqual([1, 0]);
  await ask(LABEL, { issue_number: 1 });
  await ask(ISSUE, { issue_number: 1 });
  expect(asked(ISSUE)).toBe(1);
});

test('N-1: comments and pull requests are read each time, because a box may be ticked in between', async () => {
  await ask(PULL, { pull_number: 2 });
  await ask(PULL, { pull_number: 2 });
  expect(asked(PULL)).toBe(2);
  await ask(COMMENT, { comment_id: 1 });
  await ask(COMMENT, { comment_id: 1 });
  expect(asked(COMMENT)).toBe(2);
});

test('N-1: a commit stays known, and a failure does not', async () => {
  fails = true;
  await expect(ask(COMMIT, { commit_sha: 'a' })).rejects.toThrow('no answer');
  fails = false;
  await ask(COMMIT, { commit_sha: 'a' });
  await ask(LABEL, { issue_number: 1 });
  now += 3_600_000;
  await ask(COMMIT, { commit_sha: 'a' });
  expect(asked(COMMIT)).toBe(2);
});
