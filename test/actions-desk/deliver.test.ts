import { afterEach, expect, test } from 'vitest';
import { digestOf } from '../../src/claims/digest-of.ts';
import type { Verification } from '../../src/core/contracts/verification.ts';
import { GitHubError } from '../../src/core/ports/github-port.ts';
import { PASSING, type Run, startRun } from '../core/run-builder.ts';
import { leave, openWorld, type World } from './desk-world.ts';

let world: World;
afterEach(() => world?.close());

const FILE = { path: 'made.txt', mode: '100644', status: 'added', content: btoa('made\n') };

interface Begun {
  issue: number;
  run: Run;
  changeset: string;
  result: { verification: Verification; changeset: string };
}

/** A labelled issue whose build is under way. */
async function begin(): Promise<Begun> {
  world = await openWorld();
  const issue = await world.app.olivia.openIssue({ title: 'Make it', body: 'As said.' });
  await world.app.olivia.label(issue, 'autobuild');
  const { head_sha } = await world.desks();
  const { brief } = await world.brief(issue);
  const changeset = JSON.stringify({ base_sha: head_sha, files: [FILE], left_out: [] });
  const result = { verification: PASSING, changeset: digestOf(Buffer.from(changeset)) };
  const run = startRun({ run: brief.run, freshVerification: true, startMs: world.clock.ms });
  return { issue, run: run.beginTurn(), changeset, result };
}

function finish(run: Run): Run {
  return run.endTurn({ report: { status: 'implemented', summary: 'It is made' }, verification: PASSING });
}

/** GitHub refuses or loses from then on what `broken` names. */
function breaking(method: string, error: () => Error) {
  return new Proxy(world.github, {
    get: (target, name) =>
      name === method ? () => Promise.reject(error()) : (Reflect.get(target, name) as unknown),
  });
}

test('N-1: deliver that runs again does nothing a second time', async () => {
  const { issue, run, changeset, result } = await begin();
  const left = { ...leave(finish(run), 0, changeset), result };
  await world.deliver(left);
  const before = await world.comments(issue);
  await world.deliver(left);
  expect(await world.comments(issue)).toEqual(before);
  expect(await world.app.olivia.pullRequests()).toHaveLength(1);
});

test('N-1: without a result, or with one of other work, nothing is published, and the work is verified in another round', async () => {
  for (const result of [undefined, { verification: PASSING, changeset: 'a'.repeat(64) }]) {
    const { issue, run, changeset } = await begin();
    await world.deliver({ ...leave(finish(run), 0, changeset), result });
    expect(await world.state(issue)).toMatchObject({ status: 'building', verifying: 1 });
    expect(world.calls).toContain('dispatchWorkflow');
    await world.close();
  }
});

test('N-1: the work of a paused run is kept, although its job was stopped', async () => {
  const { issue, run, changeset } = await begin();
  await world.app.olivia.comment(issue, '/pause');
  const [event] = world.events();
  if (!event) throw new Error('there is no event');
  const before = world.actionsRun();
  await world.desk(event);
  expect(world.calls).toContain('cancelRun');
  await world.deliver({ ...leave(finish(run), 0, changeset), conclusions: ['cancelled'] }, {}, before);
  const kept = await world.look(issue, ({ store }) => store.blobs.get(run.state.run, 'changeset'));
  expect(kept && Buffer.from(kept).toString()).toBe(changeset);
  expect((await world.state(issue)).status).toBe('waiting_for_input');
});

test('N-4: where Actions may not open pull requests, people get the name of the setting and a link', async () => {
  const { issue, run, changeset, result } = await begin();
  const github = breaking(
    'createPullRequest',
    () =>
      new GitHubError('GitHub Actions is not permitted to create or approve pull requests.', { status: 403 }),
  );
  await world.deliver({ ...leave(finish(run), 0, changeset), result }, { github });
  const [reply] = (await world.comments(issue)).filter((body) => body.includes('autobuild:reply'));
  await expect(
    `${reply?.replace(/ mac=[\w-]+|run=[\w-]+|op=[\w.-]+/g, '').replaceAll(/127\.0\.0\.1:\d+/g, 'github.test')}\n`,
  ).toMatchFileSnapshot('../golden/comments/no-server-no-pull-requests.md');
  // The setting was turned on: whatever happens next on the issue opens it.
  await world.app.olivia.comment(issue, '/status');
  await world.desks();
  expect(await world.app.olivia.pullRequests()).toHaveLength(1);
  expect(
    (await world.comments(issue)).filter((body) => body.includes('does not let GitHub Actions')),
  ).toHaveLength(1);
});

test('N-4: a workflow file cannot be committed here by any permission, so none is asked for', async () => {
  const { issue, run, changeset, result } = await begin();
  const github = breaking(
    'commit',
    () =>
      new GitHubError('Resource not accessible by integration', {
        status: 403,
        missingPermission: 'workflows=write',
      }),
  );
  await world.deliver({ ...leave(finish(run), 0, changeset), result }, { github });
  const [reply] = (await world.comments(issue)).filter((body) => body.includes('autobuild:reply'));
  expect(reply).toContain('GitHub does not let Actions commit files below `.github/workflows`.');
  expect(reply).not.toContain('permissions');
});

const KILLED = () => new Error('killed');

test.each(['createComment', 'createPullRequest', 'changeLabels', 'commit', 'upsertCheckRun'] as const)(
  'N-1: a desk that is killed right after %s leaves nothing undone and nothing doubled',
  async (method) => {
    const { issue, run, changeset, result } = await begin();
    const left = { ...leave(finish(run), 0, changeset), result };
    let isDead = false;
    const github = new Proxy(world.github, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          if (isDead) throw KILLED();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (name === method) isDead = true;
          if (isDead) throw KILLED();
          return answer;
        };
      },
    });
    // Nothing that it knows after its death is kept.
    const dying = {
      github,
      async openState(this: void, number: number) {
        const state = await world.open(number);
        const guard = <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) => {
          return async (...args: Args) => {
            if (isDead) throw KILLED();
            return act(...args);
          };
        };
        return { ...state, save: guard(state.save), release: guard(state.release) };
      },
    };
    await expect(world.deliver(left, dying)).rejects.toThrow('killed');
    expect(isDead).toBe(true);
    await world.deliver(left);
    expect((await world.state(issue)).status).toBe('reviewing');
    const pulls = await world.app.olivia.pullRequests();
    expect(pulls.map(({ head }) => head.ref)).toEqual([`autobuild/issue-${issue}`]);
    const marks = (await world.comments(issue)).map((body) => /op=([\w.-]+)/.exec(body)?.[1]);
    expect(new Set(marks).size).toBe(marks.length);
  },
);
