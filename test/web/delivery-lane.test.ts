import { expect, test } from 'vitest';
import { isOthersCi, isOthersPush, laneOf } from '../../src/web/delivery-lane.ts';

const repository = { id: 77 };
const pull = (ref: string, repo: { id: number } | null = repository) => ({
  repository,
  pull_request: { number: 9, head: { ref, repo } },
});

test.each([
  ['an issue', { repository, issue: { number: 7 } }, '77#7'],
  ['our pull request', pull('autobuild/issue-7'), '77#7'],
  ['another pull request', pull('feature'), '77#'],
  ['a branch that only begins like ours', pull('autobuild/issue-7x'), '77#'],
  ['the same branch name in a fork', pull('autobuild/issue-7', { id: 78 }), '77#'],
  ['a pull request whose fork is gone', pull('autobuild/issue-7', null), '77#'],
  [
    'a suite of checks on our branch',
    { repository, check_suite: { head_branch: 'autobuild/issue-7' } },
    '77#7',
  ],
  [
    'a check on our branch',
    { repository, check_run: { check_suite: { head_branch: 'autobuild/issue-7-r1' } } },
    '77#7',
  ],
  ['a status', { repository, branches: [{ name: 'main' }, null, { name: 'autobuild/issue-7' }] }, '77#7'],
  ['a push', { repository, installation: { id: 1 }, ref: 'refs/heads/main' }, '77#'],
  ['an installation', { installation: { id: 1 } }, 'app#1'],
  ['an issue without a repository', { issue: { number: 7 } }, 'app#'],
  ['numbers that are none', { repository: { id: '77#7' }, issue: { number: '7' } }, 'app#'],
  ['nothing', null, 'app#'],
])('R-14: the lane of %s', (_, payload, lane) => {
  expect(laneOf(payload)).toBe(lane);
});

test('V-7: CI on branches that are not ours is not stored', () => {
  expect(isOthersCi('check_suite', { check_suite: { head_branch: 'main' } })).toBe(true);
  expect(isOthersCi('check_run', { check_run: { check_suite: { head_branch: null } } })).toBe(true);
  expect(isOthersCi('status', { branches: 7 })).toBe(true);
  expect(isOthersCi('status', { branches: [{ name: 'autobuild/issue-7' }] })).toBe(false);
  expect(isOthersCi('check_suite', { check_suite: { head_branch: 'autobuild/issue-7' } })).toBe(false);
  expect(isOthersCi('issues', {})).toBe(false);
});

test('V-6: of all pushes, only those to the default branch are stored', () => {
  const push = (ref: unknown) => ({ ref, repository: { id: 77, default_branch: 'main' } });
  expect(isOthersPush('push', push('refs/heads/main'))).toBe(false);
  expect(isOthersPush('push', push('refs/heads/autobuild/issue-7'))).toBe(true);
  expect(isOthersPush('push', push('refs/tags/main'))).toBe(true);
  expect(isOthersPush('push', {})).toBe(true);
  expect(isOthersPush('issues', {})).toBe(false);
});
