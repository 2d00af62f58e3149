import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { actAndSettle, type Published, publishRun, putChangeset } from '../published-run.ts';

let desk: AppDesk;
let work: Published;
let number: number;
/** The draft has the work of the first turn. */
beforeEach(async () => {
  desk = await openAppDesk();
  work = await publishRun(desk);
  ({ number } = await work.pull());
});
afterEach(() => desk.close());

const aside = () => `autobuild/issue-${work.issue}-r1-build`;
const onAside = () => desk.olivia.file('src/login.ts', aside());
const MINUTE_MS = 60_000;
/** Somebody takes the draft as it is. */
async function merge(): Promise<void> {
  const github = await desk.deps.github((await desk.store.runs.target('r1')) as RunTarget);
  const node = (await github.pullRequest(number))?.node_id ?? '';
  await github.markReady(node);
  await actAndSettle(desk, 'pull_request', () => desk.olivia.merge(number));
}
const close = () => actAndSettle(desk, 'pull_request', () => desk.olivia.closePullRequest(number));

async function wait(): Promise<void> {
  desk.clock.ms += 10 * MINUTE_MS;
  await desk.settle();
}

/** The build is accepted with other files than those of the draft. GitHub answers these calls with that status. */
async function acceptWith(status: number, isMet: (call: Call) => boolean, text = 'two\n'): Promise<void> {
  await putChangeset(desk, text);
  desk.interfere((call) => (isMet(call) ? refuse(status, 'Not today') : undefined));
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect((await desk.store.publications.of('r1')).unpublished).toBeTruthy();
}

const isCommit = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/commits');

async function said(): Promise<string> {
  return (await desk.olivia.comments(work.issue)).map(({ body }) => body).join('\n');
}

const endings = [
  ['merged', merge, 'approved'],
  ['closed', close, 'rejected'],
] as const;

test.each(endings)(
  'V-1: %s before any round, with work of the build that GitHub had refused: it is on a branch of its own, and people are told, once',
  async (how, act, status) => {
    await acceptWith(422, isCommit);
    desk.interfere(() => undefined);
    await act();
    await wait();
    expect((await desk.state()).status).toBe(status);
    expect(await onAside()).toBe('two\n');
    const words = `**The work was not pushed: pull request \`#${number}\` was ${how} before.**`;
    expect((await said()).split(words)).toHaveLength(2);
    expect(await said()).toContain(`It is on the branch \`${aside()}\`, without a pull request.`);
    const receipt = (await desk.olivia.comments(work.issue)).find(({ body }) =>
      body.includes('autobuild:receipt'),
    );
    expect(receipt?.body).not.toContain('Reply `/continue`');
  },
);

test.each(endings)(
  'V-1: %s while the push of the build is tried again: its work is on a branch of its own, and the pull request has nothing new',
  async (how, act) => {
    const head = await work.head();
    await acceptWith(502, isCommit);
    await act();
    desk.interfere(() => undefined);
    await wait();
    await wait();
    expect(await work.head()).toBe(head);
    expect(await onAside()).toBe('two\n');
    expect((await said()).split(`was ${how} before.**`)).toHaveLength(2);
  },
);

test('V-1: closed and reopened before the push of the build is tried again: the run has ended, so nothing is pushed there', async () => {
  const head = await work.head();
  await acceptWith(502, isCommit);
  await close();
  await actAndSettle(desk, 'pull_request', () => desk.olivia.reopenPullRequest(number));
  desk.interfere(() => undefined);
  await wait();
  await wait();
  expect((await desk.state()).status).toBe('rejected');
  expect(await work.head()).toBe(head);
  expect(await onAside()).toBe('two\n');
});

test.each(endings)(
  'V-1: %s with the work of the build on it, of which GitHub had only refused the description: there is no branch',
  async (_, act) => {
    await acceptWith(422, ({ method, path }) => method === 'POST' && path.endsWith('/graphql'), 'one\n');
    desk.interfere(() => undefined);
    await act();
    await wait();
    expect(await onAside()).toBeUndefined();
    expect(await said()).not.toContain('was not pushed');
  },
);

test.each(endings)(
  'R-2, V-1: the response of the push of a build is lost, and the pull request is %s before the next try: nothing is pushed again',
  async (_, act) => {
    const { github } = desk.deps;
    let isLost = false;
    desk.deps.github = async (where) => {
      const real = await github(where);
      const commit: typeof real.commit = async (options) => {
        const made = await real.commit(options);
        if (isLost) return made;
        isLost = true;
        throw new Error('the response was lost');
      };
      return { ...real, commit };
    };
    await putChangeset(desk, 'two\n');
    await desk.olivia.comment(work.issue, '/accept');
    await desk.settle();
    expect(isLost).toBe(true);
    await act();
    await wait();
    expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${work.issue}`)).toBe('two\n');
    expect(await onAside()).toBeUndefined();
    expect(await said()).not.toContain('was not pushed');
  },
);

test('V-1: merged early, with a question open: people wanted the work as it was, so that there is no branch', async () => {
  await putChangeset(desk, 'half of it\n');
  await merge();
  await wait();
  expect((await desk.state()).status).toBe('approved');
  expect(await onAside()).toBeUndefined();
});
