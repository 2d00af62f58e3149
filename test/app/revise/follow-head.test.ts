import { beforeEach, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import { PASSING, tests } from '../../core/run-builder.ts';
import { commitOnBranch } from '../published-run.ts';
import { beginRound, confirm, pushFiles, putRoundWork } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene({ freshVerification: true });
const { git } = scene;
let { desk, work, branch } = scene;
beforeEach(async () => {
  ({ desk, work, branch } = scene);
  await scene.remark({ path: 'src/login.ts', line: 1, body: 'A constant?' });
});

const ANSWER = { status: 'implemented', summary: 'Did it', remarks: [{ id: 'R1', result: 'fixed' }] };

/** A file of somebody else on the branch. */
const pushFile = (path: string) => pushFiles(desk, branch, { [path]: 'theirs\n' });

/** The round at its end, after somebody pushed. The lane publishes it. */
async function endRound(push: () => Promise<string>): Promise<{ head: string; pushed: string }> {
  const head = await work.head();
  const run = await beginRound(desk, work.run, head, work.number);
  const pushed = await push();
  await putRoundWork(desk, head, 'two\n');
  confirm(run.turn({ report: ANSWER, verification: PASSING, changes: CHANGES }));
  await desk.seed(run);
  return { head, pushed };
}

const CHANGES = { paths: ['src/login.ts'], added: 1, removed: 1 };

const parentsOf = async (sha: string) =>
  (await git<{ parents: { sha: string }[] }>('GET', `/commits/${sha}`)).parents.map((parent) => parent.sha);
const reviews = async () =>
  (await desk.person('walter').reviews(work.number)).filter(({ user }) => user.login === 'autobuild[bot]');
const said = async () => (await desk.olivia.comments(work.issue)).map(({ body }) => body).join();

/** The fresh job says that everything passes. */
async function verify(): Promise<void> {
  const { changeset = '' } = await desk.state();
  const at = new Date(desk.clock.ms).toISOString();
  const input = { type: 'verification' as const, at, verification: PASSING, changeset };
  await handleInput(desk.deps, 'r1', input);
  await desk.settle();
}

test('V-5: a push while the round works: its work is verified again on that head, and appended to it', async () => {
  const { pushed } = await endRound(() => pushFile('by-hand.txt'));
  const { revision, verifying, status } = await desk.state();
  expect({ status, verifying, head: revision?.head }).toEqual({
    status: 'building',
    verifying: 1,
    head: pushed,
  });
  expect(await desk.dispatch(2, 'verify')).toMatchObject({ verification: '2.moved-1' });
  expect(await work.head()).toBe(pushed);
  expect(await reviews()).toEqual([]);
  await verify();
  expect(await parentsOf(await work.head())).toEqual([pushed]);
  expect(await desk.olivia.file('src/login.ts', branch)).toBe('two\n');
  expect(await desk.olivia.file('by-hand.txt', branch)).toBe('theirs\n');
  expect(await reviews()).toHaveLength(1);
  expect((await desk.state()).revisions).toMatchObject([{ number: 2, outcome: 'done', head: pushed }]);
  const receipts = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes(':receipt '));
  expect(receipts).toHaveLength(1);
});

test('V-5: a second push gives the work a branch of its own, and nothing is moved', async () => {
  await endRound(() => pushFile('by-hand.txt'));
  const again = await pushFile('and-more.txt');
  await verify();
  expect(await work.head()).toBe(again);
  const own = `${branch}-r1`;
  expect(await desk.olivia.file('src/login.ts', own)).toBe('two\n');
  expect(await said()).toContain(`Round 2 is pushed to \`${own}\`, because`);
});

test('V-5: the old pull request leads to the new one, where the remarks are answered', async () => {
  await endRound(() => pushFile('src/login.ts'));
  const [made] = (await desk.olivia.pullRequests()).filter(({ head }) => head.ref === `${branch}-r1`);
  const left = (await desk.olivia.comments(work.number)).filter(({ body }) => body.includes(':reply '));
  expect(left).toHaveLength(1);
  expect(left[0]?.body).toContain('Round 2 is in another pull request, because this branch has commits by');
  expect(left[0]?.body).toContain(
    `[Pull request ${made?.number}](http://${desk.github.host}/olivia/shop/pull/${made?.number})`,
  );
  const [summary] = await desk.person('walter').reviews(made?.number ?? 0);
  expect(summary?.body).toContain('**Round 2: 1 fixed.**');
  const head = made?.head.sha.slice(0, 7);
  expect(summary?.body).toContain(
    `The remarks on #${work.number}:\n\n- \`src/login.ts\`: Fixed in \`${head}\`.`,
  );
  expect(await reviews()).toEqual([]);
  // The next publish tells nobody again.
  await desk.perform({ type: 'publish', ready: true }, { id: 'again' });
  await desk.settle();
  expect(
    (await desk.olivia.comments(work.number)).filter(({ body }) => body.includes(':reply ')),
  ).toHaveLength(1);
});

test('V-5: a push to a file of the round gives the work a branch of its own at once', async () => {
  const { pushed } = await endRound(() => pushFile('src/login.ts'));
  expect((await desk.state()).status).toBe('reviewing');
  expect(await work.head()).toBe(pushed);
  expect(await desk.olivia.file('src/login.ts', `${branch}-r1`)).toBe('two\n');
});

/** A branch of somebody else, with a commit of theirs. */
async function makeTheirs(name: string): Promise<string> {
  const sha = await work.head();
  await desk.github.upstream('POST', '/repos/olivia/shop/git/refs', { ref: `refs/heads/${name}`, sha });
  return commitOnBranch(desk, name, sha);
}

test('V-5: a round whose own branch has commits of others uses the next one, and says so once', async () => {
  const own = `${branch}-r1`;
  const theirs = await makeTheirs(own);
  await endRound(() => pushFile('src/login.ts'));
  expect((await desk.state()).status).toBe('reviewing');
  const { body } = await desk.github.upstream('GET', `/repos/olivia/shop/git/ref/heads/${own}`);
  expect(body).toMatchObject({ object: { sha: theirs } });
  expect(await desk.olivia.file('src/login.ts', `${own}-2`)).toBe('two\n');
  expect((await said()).match(/is pushed to/g)).toHaveLength(1);
});

test('R-2, V-5: a round that stops before its own branch is made takes the same one again', async () => {
  let isDown = true;
  desk.interfere(({ method, path }) =>
    isDown && method === 'POST' && path.endsWith('/git/refs')
      ? { status: 502, body: { message: 'Server Error' } }
      : undefined,
  );
  await endRound(() => pushFile('src/login.ts'));
  isDown = false;
  desk.clock.ms += 600_000;
  await desk.settle();
  expect(await desk.olivia.file('src/login.ts', `${branch}-r1`)).toBe('two\n');
  const heads = (await desk.olivia.pullRequests()).map(({ head }) => head.ref).toSorted();
  expect(heads).toEqual([branch, `${branch}-r1`]);
  expect((await said()).match(/is pushed to/g)).toHaveLength(1);
});

test('V-5: a push without changes needs no new verification', async () => {
  const { pushed } = await endRound(async () => commitOnBranch(desk, branch, await work.head()));
  expect((await desk.state()).status).toBe('reviewing');
  expect(await parentsOf(await work.head())).toEqual([pushed]);
  expect(await desk.dispatch(2, 'verify')).toMatchObject({ verification: '2.1' });
  expect(await reviews()).toHaveLength(1);
  expect((await reviews())[0]?.body).toContain('verified on a clean checkout');
});

test('V-5: what fails on the new head is the next turn of the round', async () => {
  await endRound(() => pushFile('by-hand.txt'));
  const { changeset = '' } = await desk.state();
  const at = new Date(desk.clock.ms).toISOString();
  const verification = tests(3, 5, { failing: ['a', 'b'] });
  await handleInput(desk.deps, 'r1', { type: 'verification', at, verification, changeset });
  await desk.settle();
  const { status, revision, revisions } = await desk.state();
  expect({ status, number: revision?.number, revisions }).toEqual({
    status: 'building',
    number: 2,
    revisions: [],
  });
  expect(await desk.dispatch(3)).toBeDefined();
  expect(await reviews()).toEqual([]);
});

test('V-5: a crash after the work was moved, and before the run knows: the next try moves it again', async () => {
  const { commit } = desk.store.runs;
  desk.store.runs.commit = async (run, version, done, ...rest) => {
    if (done.input.type !== 'head_moved') return commit(run, version, done, ...rest);
    desk.store.runs.commit = commit;
    throw new Error('killed');
  };
  const { pushed } = await endRound(() => pushFile('by-hand.txt'));
  desk.clock.ms += 60_000;
  await desk.settle();
  expect((await desk.state()).revision?.head).toBe(pushed);
  await verify();
  expect(await parentsOf(await work.head())).toEqual([pushed]);
});

test('V-5: a push right before the branch would move is no refusal: the next try builds on it', async () => {
  let pushed = '';
  desk.interfere(({ method, path }) => {
    if (pushed !== '' || method !== 'PATCH' || !path.includes('/git/refs/')) return undefined;
    pushed = 'under way';
    return { status: 422, body: { message: 'Update is not a fast forward' } };
  });
  const begun = desk.deps.github;
  desk.deps.github = async (where) => {
    const github = await begun(where);
    return {
      ...github,
      async commit(options) {
        return github.commit({
          ...options,
          async onCreated(sha) {
            await options.onCreated?.(sha);
            if (pushed === '') await pushFile('by-hand.txt');
          },
        });
      },
    };
  };
  await endRound(async () => '');
  desk.clock.ms += 60_000;
  await desk.settle();
  expect((await desk.state()).status).toBe('building');
  expect(await said()).not.toContain('rejected');
  await verify();
  expect(await desk.olivia.file('by-hand.txt', branch)).toBe('theirs\n');
  expect(await desk.olivia.file('src/login.ts', branch)).toBe('two\n');
});

test.each([
  ['under the same title', 'Add a login page'],
  ['although its title reads otherwise by now', 'Another title'],
])(
  'R-2, V-5: the commit of a round whose response was lost is found %s, and not made twice',
  async (_, title) => {
    let lost = false;
    const begun = desk.deps.github;
    desk.deps.github = async (where) => {
      const github = await begun(where);
      return {
        ...github,
        async commit(options) {
          const message = lost ? options.message.replace('Add a login page', title) : options.message;
          const made = await github.commit({ ...options, message });
          if (lost) return made;
          lost = true;
          throw new Error('the response was lost');
        },
      };
    };
    const { head } = await endRound(async () => '');
    desk.clock.ms += 60_000;
    await desk.settle();
    expect(await parentsOf(await work.head())).toEqual([head]);
    expect(await said()).not.toContain('is pushed to');
    expect(await reviews()).toHaveLength(1);
  },
);

test('R-2, V-5: the response of a push is lost, and somebody pushes on top before the next try: the work has one place', async () => {
  let lost = '';
  const begun = desk.deps.github;
  desk.deps.github = async (where) => {
    const github = await begun(where);
    return {
      ...github,
      async commit(options) {
        const made = await github.commit(options);
        if (lost !== '') return made;
        lost = made.sha;
        throw new Error('the response was lost');
      },
    };
  };
  await endRound(async () => '');
  const pushed = await pushFile('by-hand.txt');
  desk.clock.ms += 60_000;
  await desk.settle();
  expect(await work.head()).toBe(pushed);
  expect(await parentsOf(pushed)).toEqual([lost]);
  expect((await desk.olivia.pullRequests()).map(({ number }) => number)).toEqual([work.number]);
  expect(await desk.olivia.file('src/login.ts', `${branch}-r1`)).toBeUndefined();
  expect(await said()).not.toContain('is pushed to');
  expect((await desk.state()).status).toBe('reviewing');
  expect((await desk.store.publications.of('r1')).unpublished).toBeNull();
  expect(await reviews()).toHaveLength(1);
});
