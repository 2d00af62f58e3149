import { expect, test } from 'vitest';
import { readEvent } from '../../src/actions-desk/read-event.ts';

const PERSON = { login: 'rosa', type: 'User' };
const repository = { id: 77 };
const OUR_MARK = '<!-- autobuild:escalation run=r1 esc=1 op=r1.e1 mac=x -->';
const head = (ref: string, id = 77) => ({ ref, repo: { id } });
const read = (name: string, payload: object) =>
  readEvent({ name, payload: { sender: PERSON, repository, ...payload } }, 'autobuild');

test.each([
  ['our label', 'issues', { action: 'labeled', label: { name: 'Autobuild' }, issue: { number: 7 } }],
  ['a closed issue', 'issues', { action: 'closed', issue: { number: 7 } }],
  [
    'a command',
    'issue_comment',
    { action: 'created', issue: { number: 7 }, comment: { id: 1, body: '/status' } },
  ],
  [
    'an edit of a comment of ours',
    'issue_comment',
    { action: 'edited', issue: { number: 7 }, comment: { id: 1, body: OUR_MARK, user: { type: 'Bot' } } },
  ],
  [
    'a pull request of ours that was closed',
    'pull_request_target',
    { action: 'closed', pull_request: { number: 9, head: head('autobuild/issue-7') } },
  ],
  [
    'a description of ours that a person edited',
    'pull_request_target',
    {
      action: 'edited',
      changes: { body: { from: '' } },
      pull_request: { number: 9, head: head('autobuild/issue-7') },
    },
  ],
  [
    'a push to a pull request of ours',
    'pull_request_target',
    { action: 'synchronize', pull_request: { number: 9, head: head('autobuild/issue-7') } },
  ],
  [
    'a review with a command, on a branch of the run',
    'pull_request_review',
    {
      action: 'submitted',
      review: { body: '/guide x' },
      pull_request: { number: 9, head: head('autobuild/issue-7-i7-a1') },
    },
  ],
  [
    'a review that requests changes',
    'pull_request_review',
    {
      action: 'submitted',
      review: { body: null, state: 'changes_requested' },
      pull_request: { number: 9, head: head('autobuild/issue-7') },
    },
  ],
  ['a round that a desk asked for', 'workflow_dispatch', { inputs: { issue: '7', operation: 'r1.3.0' } }],
])('N-1: %s is for issue 7', (_, name, payload) => {
  expect(read(name, payload)).toMatchObject({ about: 'issue', issue: 7 });
});

test.each([
  ['another label', 'issues', { action: 'labeled', label: { name: 'bug' }, issue: { number: 7 } }],
  [
    'talk',
    'issue_comment',
    { action: 'created', issue: { number: 7 }, comment: { id: 1, body: 'see src/a.ts' } },
  ],
  [
    'a command of a bot',
    'issue_comment',
    { action: 'created', sender: { type: 'Bot' }, issue: { number: 7 }, comment: { id: 1, body: '/cancel' } },
  ],
  [
    'an edit that makes talk a command',
    'issue_comment',
    { action: 'edited', issue: { number: 7 }, comment: { id: 1, body: '/cancel', user: { type: 'User' } } },
  ],
  [
    'a fork with a branch like ours',
    'pull_request_target',
    { action: 'closed', pull_request: { number: 9, head: head('autobuild/issue-7', 78) } },
  ],
  [
    'somebody’s pull request',
    'pull_request_target',
    { action: 'closed', pull_request: { number: 9, head: head('fix') } },
  ],
  [
    'a description that a bot edited',
    'pull_request_target',
    {
      action: 'edited',
      changes: { body: { from: '' } },
      sender: { type: 'Bot' },
      pull_request: { number: 9, head: head('autobuild/issue-7') },
    },
  ],
  [
    'a new title of a pull request of ours',
    'pull_request_target',
    {
      action: 'edited',
      changes: { title: { from: '' } },
      pull_request: { number: 9, head: head('autobuild/issue-7') },
    },
  ],
  ['a round for no issue', 'workflow_dispatch', { inputs: { issue: '7; rm', operation: 'x' } }],
  ['a push', 'push', {}],
])('N-1: %s is for nobody here', (_, name, payload) => {
  expect(read(name, payload).about).toBe('nothing');
});

test('N-1: a push to a pull request of ours tells nothing itself, so the pull request is read', () => {
  const pull_request = { number: 9, head: head('autobuild/issue-7') };
  expect(read('pull_request', { action: 'synchronize', pull_request })).toEqual({ about: 'issue', issue: 7 });
});

test('N-1: an edited description goes to its handler', () => {
  const pull_request = { number: 9, head: head('autobuild/issue-7') };
  const payload = { action: 'edited', changes: { body: { from: '' } }, pull_request };
  const handler = { name: 'pull_request.edited', pull: 9 };
  expect(read('pull_request_target', payload)).toMatchObject({ handler });
});

test('N-1: a comment on a pull request has to be asked for its issue', () => {
  const payload = {
    action: 'created',
    issue: { number: 9, pull_request: {} },
    comment: { id: 1, body: '/status' },
  };
  expect(read('issue_comment', payload)).toMatchObject({ about: 'pull request', pull: 9 });
});

test.each([null, 'text', [], { action: {} }])('N-1: an event file with %j is for nobody here', (payload) => {
  expect(readEvent({ name: 'issues', payload }, 'autobuild').about).toBe('nothing');
});
