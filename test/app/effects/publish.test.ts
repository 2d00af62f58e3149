import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk, SEEDED_ACTIONS_RUN } from '../app-desk.ts';
import { actAndSettle, commitOnBranch, publishRun, putChangeset } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

test('what no commit can carry is named on the pull request, with the reason', async () => {
  desk = await openAppDesk();
  const leftOut = [
    { path: 'latest', problem: 'it is a symbolic link' },
    { path: 'x`@olivia`', problem: 'closes #1 <!-- -->' },
  ];
  const work = await publishRun(desk, { leftOut });
  const { body } = await work.pull();
  expect(body).toContain('**Not in this pull request:**\n\n- `latest`, because it is a symbolic link\n');
  expect(body).not.toContain('closes #1 <');
  expect(body).toMatch(/^- .*@olivia/m);
});

test('where nothing can be committed there is no pull request, and the issue says why', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const changeset = {
    base_sha: 'a'.repeat(40),
    files: [],
    left_out: [{ path: 'l', problem: 'it is a link' }],
  };
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(JSON.stringify(changeset)));
  await desk.olivia.comment(issue, '/accept');
  await desk.settle();
  expect(await desk.olivia.pullRequests()).toEqual([]);
  const said = (await desk.olivia.comments(issue)).map(({ body }) => body).join('\n');
  expect(said).toContain('No pull request: none of the 1 changed files can be committed');
  expect(said).toContain('l: it is a link');
});

test('the check follows the run: waiting, building, done', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  expect(await work.check()).toMatchObject({ status: 'completed', conclusion: 'action_required' });
  await desk.olivia.comment(work.issue, '/provide colour=red');
  await desk.settle();
  expect(await work.check()).toMatchObject({ status: 'in_progress', conclusion: null });
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await work.check()).toMatchObject({ status: 'completed', conclusion: 'neutral' });
});

test.each([
  { command: '/pause', conclusion: 'action_required' },
  { command: '/cancel', conclusion: 'cancelled' },
  { command: '/terminate', conclusion: 'cancelled' },
])('the check after $command is $conclusion', async ({ command, conclusion }) => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await desk.olivia.comment(work.issue, command);
  await desk.settle();
  expect(await work.check()).toMatchObject({ status: 'completed', conclusion });
});

test('a check is written when it changes, not with every status', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const writes = () =>
    desk.exchanges.filter(({ call }) => call.method !== 'GET' && call.path.includes('/check-runs')).length;
  const before = writes();
  await desk.olivia.comment(work.issue, '/provide colour=red');
  await desk.settle();
  await desk.olivia.comment(work.issue, '/guide Like this');
  await desk.olivia.comment(work.issue, '/guide And that');
  await desk.settle();
  expect(writes()).toBe(before + 1);
});

test('links lead to where GitHub is seen: status, question, pull request', async () => {
  desk = await openAppDesk({ settings: { webUrl: 'https://github.example.com' } });
  const work = await publishRun(desk);
  const { body, number } = await work.pull();
  expect(body).toMatch(
    /\[status\]\(https:\/\/github\.example\.com\/olivia\/shop\/issues\/\d+#issuecomment-\d+\)/,
  );
  const comments = await desk.olivia.comments(work.issue);
  const status = comments.find((comment) => comment.body.includes(':status '))?.body;
  expect(status).toContain(`https://github.example.com/olivia/shop/pull/${number}`);
  expect(comments.map((comment) => comment.body).join()).not.toContain('https://github.com');
});

test('B-6: the pull request links to the artifact of the job that left the newest blocked report', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const report = {
    blocking_issues: [],
    attempts_made: [],
    suggested_alternatives: [],
    human_action_required: 'Open the till',
  };
  await desk.perform({ type: 'save_blocked_report', report });
  await desk.perform({ type: 'publish', ready: false });
  const { body } = await work.pull();
  expect(body).toContain(
    `[report as JSON](http://${desk.github.host}/olivia/shop/actions/runs/${SEEDED_ACTIONS_RUN}#artifacts)`,
  );
});

test('a pull request that was closed is over: the next run opens one of its own', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const first = await work.pull();
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  await actAndSettle(desk, 'pull_request', () => desk.olivia.closePullRequest(first.number));
  expect((await desk.state()).status).toBe('rejected');
  // Another run of the same issue, on the same branch.
  await desk.store.publications.change('r1', { pull: 0 });
  await desk.perform({ type: 'publish', ready: false });
  const second = await work.pull();
  expect(second).toMatchObject({ state: 'open', draft: true });
  expect(second.number).not.toBe(first.number);
});

test('commits that people put on the branch are left alone: the work goes to a branch of the run', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const theirs = await commitOnBranch(desk, `autobuild/issue-${work.issue}`, await work.head());
  await putChangeset(desk, 'two\n');
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await work.head()).toBe(theirs);
  const own = `autobuild/issue-${work.issue}-r1`;
  expect(await desk.olivia.file('src/login.ts', own)).toBe('two\n');
  expect((await desk.olivia.pullRequests()).map(({ head }) => head.ref)).toContain(own);
  const said = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes('is pushed to'));
  expect(said).toHaveLength(1);
  expect(said[0]?.body).toContain('Their branch was not touched');
});

/** A branch of somebody else, with a commit of theirs. */
async function makeTheirs(branch: string): Promise<string> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const { sha } = (body as { object: { sha: string } }).object;
  await desk.github.upstream('POST', '/repos/olivia/shop/git/refs', { ref: `refs/heads/${branch}`, sha });
  return commitOnBranch(desk, branch, sha);
}

const headOf = async (branch: string) =>
  (
    (await desk.github.upstream('GET', `/repos/olivia/shop/git/ref/heads/${branch}`)).body as {
      object: { sha: string };
    }
  ).object.sha;

test('V-5: a branch of the run that has commits of others is left alone, too: the next one is used', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const own = `autobuild/issue-${work.issue}-r1`;
  await commitOnBranch(desk, `autobuild/issue-${work.issue}`, await work.head());
  const theirs = await makeTheirs(own);
  await putChangeset(desk, 'two\n');
  await desk.perform({ type: 'publish', ready: false }, { id: 'second' });
  expect(await headOf(own)).toBe(theirs);
  expect(await desk.olivia.file('src/login.ts', `${own}-2`)).toBe('two\n');
  // They push to that one, too.
  const again = await commitOnBranch(desk, `${own}-2`, await headOf(`${own}-2`));
  await putChangeset(desk, 'three\n');
  await desk.olivia.comment(work.issue, '/accept');
  await desk.settle();
  expect(await headOf(`${own}-2`)).toBe(again);
  expect(await desk.olivia.file('src/login.ts', `${own}-3`)).toBe('three\n');
  const said = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes('is pushed to'));
  expect(said.map(({ body }) => /is pushed to `([^`]+)`/.exec(body)?.[1])).toEqual([`${own}-2`, `${own}-3`]);
});

test.each(['commit', 'createPullRequest'] as const)(
  'R-2, V-5: the answer to %s is lost on a branch of the run: no second branch, and one pull request for it',
  async (method) => {
    desk = await openAppDesk();
    const work = await publishRun(desk);
    await commitOnBranch(desk, `autobuild/issue-${work.issue}`, await work.head());
    await putChangeset(desk, 'two\n');
    loseAnswerOnce(desk, method);
    await desk.olivia.comment(work.issue, '/accept');
    await minutes(desk, 10);
    const heads = (await desk.olivia.pullRequests()).map(({ head }) => head.ref).toSorted();
    const branch = `autobuild/issue-${work.issue}`;
    expect(heads).toEqual([branch, `${branch}-r1`]);
    const said = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes('is pushed to'));
    expect(said).toHaveLength(1);
  },
);

test('V-5: a branch that somebody makes while the work is uploaded stays theirs', async () => {
  desk = await openAppDesk();
  const { github } = desk.deps;
  let theirs = '';
  desk.deps.github = async (repository) => {
    const real = await github(repository);
    return {
      ...real,
      commit: (options) =>
        real.commit({
          ...options,
          async onCreated(sha) {
            await options.onCreated?.(sha);
            theirs ||= await makeTheirs(options.branch);
          },
        }),
    };
  };
  await putChangeset(desk, 'one\n');
  const { issue } = await desk.seed(askingRun(['colour']).park());
  await minutes(desk, 5);
  expect(theirs).not.toBe('');
  expect(await headOf(`autobuild/issue-${issue}`)).toBe(theirs);
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${issue}-r1`)).toBe('one\n');
});

test.each(['commit', 'createPullRequest', 'upsertCheckRun'] as const)(
  'R-2: the answer to %s is lost: one commit, on the branch of the issue, and nobody is blamed',
  async (method) => {
    desk = await openAppDesk();
    loseAnswerOnce(desk, method);
    const work = await publishRun(desk);
    await minutes(desk, 10);
    expect(await work.messages()).toHaveLength(1);
    const made = desk.exchanges.filter(({ call }) => call.path.endsWith('/git/commits'));
    expect(made).toHaveLength(1);
    const heads = (await desk.olivia.pullRequests()).map(({ head }) => head.ref);
    expect(heads).toEqual([`autobuild/issue-${work.issue}`]);
    const said = (await desk.olivia.comments(work.issue)).map(({ body }) => body).join();
    expect(said).not.toContain('by somebody else');
  },
);

test('R-2: the answer is lost when the branch is moved once more: it stays ours', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  await putChangeset(desk, 'two\n');
  loseAnswerOnce(desk, 'commit');
  await desk.olivia.comment(work.issue, '/accept');
  await minutes(desk, 10);
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${work.issue}`)).toBe('two\n');
  expect(await work.messages()).toHaveLength(1);
  expect(await desk.olivia.pullRequests()).toHaveLength(1);
});

test('the title of an issue closes nothing and mentions nobody, in the commit and in the pull request', async () => {
  desk = await openAppDesk();
  const title = `Login, fixes #3 for @walter ${'x'.repeat(300)}`;
  const work = await publishRun(desk, { run: askingRun(['colour'], { task: { title } }).park() });
  const subject = (await work.messages())[0]?.split('\n')[0] ?? '';
  for (const shown of [subject, (await work.pull()).title]) {
    expect(shown).toMatch(/^Login, fixes #\u20603 for @\u2060walter x+…$/);
    expect(shown.length).toBeLessThanOrEqual(256);
  }
});

/** GitHub has done it; the App does not hear of it. */
function loseAnswerOnce(desk: AppDesk, method: 'commit' | 'createPullRequest' | 'upsertCheckRun'): void {
  const { github } = desk.deps;
  let lost = false;
  desk.deps.github = async (repository) => {
    const real = await github(repository);
    const once = async (options: never) => {
      const answer = await real[method](options);
      if (lost) return answer;
      lost = true;
      throw new Error('the answer was lost');
    };
    return { ...real, [method]: once };
  };
}

async function minutes(desk: AppDesk, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await desk.settle();
    desk.clock.ms += 60_000;
  }
}

test('C-6: closed while the work is uploaded: the branch stays, nothing is opened in its place, and the close is heard', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const head = await work.head();
  const { number } = await work.pull();
  desk.loseWebhooks(true);
  await putChangeset(desk, 'two\n');
  const { github } = desk.deps;
  desk.deps.github = async (where) => {
    const real = await github(where);
    return {
      ...real,
      async commit(options) {
        await desk.olivia.closePullRequest(number);
        return real.commit(options);
      },
    };
  };
  await desk.perform({ type: 'publish', ready: false });
  expect(await work.head()).toBe(head);
  expect((await desk.olivia.pullRequests()).map((pull) => pull.number)).toEqual([number]);
  expect((await desk.state()).closed_pull).toMatchObject({ number });
});
