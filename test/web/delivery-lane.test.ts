import { expect, test } from 'vitest';
import { laneOf } from '../../src/web/delivery-lane.ts';

const repository = { id: 77 };
const pull = (ref: string, repo: { id: number } | null = repository) => ({
  repository,
  pull_request: { number: 9, head: { ref, repo } },
});

test.each([
  ['an issue', { repository, issue: { number: 7 } }, '77#7'],
  ['our pull request', pull('autobuild/issue-7'), '77#7'],
  ['another pull request', pull('feature'), 'app'],
  ['a branch that only begins like ours', pull('autobuild/issue-7x'), 'app'],
  ['the same branch name in a fork', pull('autobuild/issue-7', { id: 78 }), 'app'],
  ['a pull request whose fork is gone', pull('autobuild/issue-7', null), 'app'],
  ['an installation', { installation: { id: 1 } }, 'app'],
  ['an issue without a repository', { issue: { number: 7 } }, 'app'],
  ['numbers that are none', { repository: { id: '77#7' }, issue: { number: '7' } }, 'app'],
  ['nothing', null, 'app'],
])('%s', (_, payload, lane) => {
  expect(laneOf(payload)).toBe(lane);
});
