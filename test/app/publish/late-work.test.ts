import { describe, expect, test } from 'vitest';
import type { GitHub } from '../../../src/core/ports/github-port.ts';
import { actAndSettle } from '../published-run.ts';
import { giveValue, pushFiles, sendWork, takeRound, VALUE } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, finish, said, git } = scene;

const MINUTE_MS = 60_000;
const merge = () => scene.desk.olivia.merge(scene.work.number);
const close = () => scene.desk.olivia.closePullRequest(scene.work.number);
const aside = () => `${scene.branch}-r1-round-2`;
const onAside = () => scene.desk.olivia.file('src/login.ts', aside());
const judge = (act: () => Promise<unknown>) => actAndSettle(scene.desk, 'pull_request', act);

async function wait(ms = 2 * MINUTE_MS): Promise<void> {
  scene.desk.clock.ms += ms;
  await scene.desk.settle();
}

/** The round has a result while the pull request waits in the merge queue, which ends as told. */
async function endBefore(act: () => Promise<unknown>): Promise<void> {
  const { desk, work } = scene;
  await begin('/guide Use a constant');
  desk.github.queued.add(work.number);
  await finish();
  await judge(act);
}

/** The job that has the round sends this file. */
async function send(text: string, take = takeRound(scene.desk, scene.work.run)): Promise<void> {
  const run = await take;
  await scene.desk.seed(run);
  await sendWork(scene.desk, run, text);
}

test.each([
  ['merged', merge],
  ['closed', close],
] as const)(
  'V-1: %s at rest, with work that GitHub had refused: it is put aside, and the receipt offers no round any more',
  async (how, act) => {
    const { work } = scene;
    await begin('/guide Use a constant');
    await scene.finishUnpublished();
    expect(await said()).toContain('Reply `/continue` to start another round with this work');
    await judge(act);
    await wait();
    expect(await onAside()).toBe('two\n');
    const words = `**Round 2 was not pushed: pull request \`#${work.number}\` was ${how} before.**`;
    expect((await said()).split(words)).toHaveLength(2);
    const all = await scene.desk.olivia.comments(work.issue);
    const receipt = all.find(({ body }) => body.includes('autobuild:receipt'))?.body;
    expect(receipt).not.toContain('Reply `/continue`');
  },
);

test.each([
  ['merged', merge],
  ['closed', close],
] as const)(
  'V-1: %s before a round was pushed: its work is on a branch of its own, without a pull request, and people are told where, once',
  async (how, act) => {
    const { desk, work, branch } = scene;
    const head = await work.head();
    await endBefore(act);
    await wait();
    expect(await onAside()).toBe('two\n');
    expect(await work.head()).toBe(head);
    const { object } = await git<{ object: { sha: string } }>('GET', `/ref/heads/${aside()}`);
    const { parents, message } = await git<{ parents: { sha: string }[]; message: string }>(
      ...(['GET', `/commits/${object.sha}`] as const),
    );
    expect(parents.map(({ sha }) => sha)).toEqual([head]);
    expect(message).toContain('Round 2, asked for by walter.');
    expect(message).toContain('[skip ci]');
    expect((await desk.olivia.pullRequests()).map(({ head: { ref } }) => ref)).toEqual([branch]);
    await desk.perform({ type: 'publish', ready: true });
    await desk.settle();
    const words = `**Round 2 was not pushed: pull request \`#${work.number}\` was ${how} before.**`;
    expect((await said()).split(words)).toHaveLength(2);
    expect(await said()).toContain(`Its work is on the branch \`${aside()}\`, without a pull request.`);
    expect(await said()).toContain(
      `(http://${desk.github.host}/olivia/shop/compare/main...${aside()}?expand=1)`,
    );
  },
);

test.each([
  ['merged', merge],
  ['closed', close],
] as const)(
  'V-1: %s in a round that has changed files: they are on a branch of their own, called unverified',
  async (how, act) => {
    await begin('/guide Use a constant');
    await send('half of it\n');
    await judge(act);
    expect(await onAside()).toBe('half of it\n');
    const text = await said();
    expect(text).toContain(`Round 2 was stopped: the pull request was ${how} by olivia.`);
    expect(text).toContain(
      `**Round 2 had changed files when pull request \`#${scene.work.number}\` was ${how}.**`,
    );
    expect(text).toContain(`That work, which was not finished or verified, is on the branch \`${aside()}\``);
  },
);

test('V-1: merged in a round that has changed nothing: there is no branch, and no more is said', async () => {
  await begin('/guide Use a constant');
  await judge(merge);
  expect(await onAside()).toBeUndefined();
  expect(await said()).not.toContain('had changed files');
});

test('V-1: /terminate in a round makes no branch', async () => {
  await begin('/guide Use a constant');
  await send('half of it\n');
  await scene.desk.olivia.comment(scene.work.issue, '/terminate');
  await scene.desk.settle();
  expect(await onAside()).toBeUndefined();
});

test('V-1: the work of a round that somebody cancelled is put nowhere, also if the pull request is merged later', async () => {
  const { desk, work } = scene;
  await begin('/guide Use a constant');
  await send('half of it\n');
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  await judge(merge);
  await desk.perform({ type: 'publish', ready: true });
  await desk.settle();
  expect(await onAside()).toBeUndefined();
  expect(await said()).not.toContain('had changed files');
});

test('S-13, V-1: a file with a value that was given is not on the branch', async () => {
  const { desk, work } = scene;
  await begin('/guide Use a constant');
  const run = giveValue(desk, work, await takeRound(desk, work.run));
  await send(`const token = "${VALUE}";\n`, run);
  await judge(merge);
  expect(await onAside()).toBeUndefined();
  expect(await said()).toContain('Its work cannot be kept: none of the 1 changed files can be committed.');
  expect(JSON.stringify(desk.exchanges.map(({ call }) => call.body))).not.toContain(
    `const token = \\"${VALUE}`,
  );
});

test('R-2, V-1: the desk is killed after the branch was made, and somebody pushes to it: theirs stays, and people are told', async () => {
  const { desk } = scene;
  const { github } = desk.deps;
  let killed = false;
  desk.deps.github = async (where) => {
    const real = await github(where);
    return {
      ...real,
      async commit(options) {
        const made = await real.commit(options);
        if (killed || !options.branch.includes('-round-')) return made;
        killed = true;
        throw new Error('killed');
      },
    };
  };
  await endBefore(merge);
  await wait();
  expect(killed).toBe(true);
  expect(await onAside()).toBe('two\n');
  const theirs = await pushFiles(desk, aside(), { 'more.txt': 'theirs\n' });
  await wait(10 * MINUTE_MS);
  expect(await said()).toContain(`Its work is on the branch \`${aside()}\``);
  const { object } = await git<{ object: { sha: string } }>('GET', `/ref/heads/${aside()}`);
  expect(object.sha).toBe(theirs);
});

test('V-1: GitHub does not take the branch: people are told, with the way that is left', async () => {
  scene.desk.interfere(({ method, path }) =>
    method === 'POST' && path.endsWith('/git/refs') ? { status: 422, body: { message: 'No' } } : undefined,
  );
  await endBefore(merge);
  await wait();
  expect(await said()).toContain('The work cannot be committed: GitHub rejected it.');
  expect(await said()).toContain('Remove and re-add the label to build it again.');
  expect(await said()).not.toContain('Reply `/continue` to start');
});

/** Puts another way to commit in the place of the desk's. */
function interpose(
  commit: (real: GitHub['commit'], ...args: Parameters<GitHub['commit']>) => ReturnType<GitHub['commit']>,
): void {
  const { deps } = scene.desk;
  const { github } = deps;
  deps.github = async (where) => {
    const real = await github(where);
    return { ...real, commit: (options) => commit(real.commit, options) };
  };
}

function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

const pulls = async () => (await scene.desk.olivia.pullRequests()).map(({ number }) => number);
const NOT_PUSHED = 'Round 2 was not pushed';

describe.each([
  ['merged', merge, 'approved'],
  ['closed', close, 'rejected'],
] as const)('V-1: %s while a round is pushed', (how, act, status) => {
  async function push(commit: Parameters<typeof interpose>[0]): Promise<void> {
    await begin('/guide Use a constant');
    interpose(commit);
    await finish();
    await wait(10 * MINUTE_MS);
    expect(await pulls()).toEqual([scene.work.number]);
    expect((await scene.desk.state()).status).toBe(status);
  }

  test('during the upload: the branch stays, and the work is on a branch of its own', async () => {
    const { work } = scene;
    const head = await work.head();
    const interrupt = once(act);
    await push(async (real, options) => {
      await interrupt();
      return real(options);
    });
    expect(await work.head()).toBe(head);
    expect(await onAside()).toBe('two\n');
    expect(
      (await said()).split(`${NOT_PUSHED}: pull request \`#${work.number}\` was ${how} before.`),
    ).toHaveLength(2);
  });

  test('after it: the pull request has the work, and no other is opened', async () => {
    const interrupt = once(act);
    await push(async (real, options) => {
      const made = await real(options);
      await interrupt();
      return made;
    });
    expect(await scene.desk.olivia.file('src/login.ts', scene.branch)).toBe('two\n');
    expect(await onAside()).toBeUndefined();
    expect(await said()).not.toContain(NOT_PUSHED);
  });
});

test('V-1: merged right before the branch moves: the merge lacks the work, so it is on a branch of its own', async () => {
  const { desk, work } = scene;
  await begin('/guide Use a constant');
  const interrupt = once(merge);
  interpose((real, options) =>
    real({
      ...options,
      async onCreated(sha) {
        await options.onCreated?.(sha);
        await interrupt();
      },
    }),
  );
  await finish();
  await wait(10 * MINUTE_MS);
  expect(await desk.olivia.file('src/login.ts', 'main')).toBe('one\n');
  expect(await pulls()).toEqual([work.number]);
  expect(await onAside()).toBe('two\n');
  expect(await said()).toContain(NOT_PUSHED);
});

test('R-2, V-1: the response of a push is lost, and the pull request is merged before the next try: nothing is pushed again', async () => {
  await begin('/guide Use a constant');
  let isLost = false;
  interpose(async (real, options) => {
    const made = await real(options);
    if (isLost) return made;
    isLost = true;
    throw new Error('the response was lost');
  });
  await finish();
  await judge(merge);
  await wait(10 * MINUTE_MS);
  expect(isLost).toBe(true);
  expect(await scene.desk.olivia.file('src/login.ts', 'main')).toBe('two\n');
  expect(await onAside()).toBeUndefined();
  expect(await said()).not.toContain(NOT_PUSHED);
});

test('V-1: a published round whose commit people rewrote before they merged is not pushed again', async () => {
  const { desk, work, branch } = scene;
  await begin('/guide Use a constant');
  await finish();
  const { object } = await git<{ object: { sha: string } }>('GET', '/ref/heads/main');
  await git('PATCH', `/refs/heads/${branch}`, { sha: object.sha, force: true });
  await pushFiles(desk, branch, { 'src/login.ts': 'squashed\n' });
  await judge(merge);
  await desk.perform({ type: 'publish', ready: true });
  await desk.settle();
  expect((await desk.state()).status).toBe('approved');
  expect(await onAside()).toBeUndefined();
  expect(await said()).not.toContain(NOT_PUSHED);
  expect(await pulls()).toEqual([work.number]);
});

test('V-1: closed, then reopened while a finished round waits for the queue: the run has ended, so nothing is pushed there, and people are told', async () => {
  const { desk, work } = scene;
  const head = await work.head();
  await endBefore(async () => {
    desk.github.queued.delete(work.number);
    await close();
  });
  expect((await desk.state()).status).toBe('rejected');
  await desk.olivia.reopenPullRequest(work.number);
  await wait(10 * MINUTE_MS);
  expect(await work.head()).toBe(head);
  expect(await onAside()).toBe('two\n');
  expect(await said()).toContain(`${NOT_PUSHED}: pull request \`#${work.number}\` was closed before.`);
});

test.each([
  [
    'a secret in it',
    { status: 409, message: 'Secret detected in content' },
    1,
    'push protection found a secret in it.',
  ],
  ['no permission for workflows', { status: 404, message: 'Not Found' }, 3, 'lacks `workflows: write`'],
] as const)(
  'V-1: GitHub does not take the branch for late work, %s: people are told why, and soon',
  async (_, { status, message }, most, words) => {
    let tries = 0;
    scene.desk.interfere(({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/git/refs')) return undefined;
      tries += 1;
      return { status, body: { message } };
    });
    await endBefore(merge);
    for (let time = 0; time < 5; time += 1) await wait(10 * MINUTE_MS);
    expect(tries).toBe(most);
    expect(await said()).toContain(words);
  },
);
