import { afterEach, expect, test } from 'vitest';
import type { Delivered } from '../../src/actions-desk/deliver.ts';
import type { DeskParts, Taking } from '../../src/actions-desk/desk-parts.ts';
import { digestOf } from '../../src/claims/digest-of.ts';
import type { Verification } from '../../src/core/contracts/verification.ts';
import { userError } from '../../src/core/error-catalogue.ts';
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
  for (const kind of ['autobuild:status', 'autobuild:receipt']) {
    const [body] = (await world.comments(issue)).filter((text) => text.includes(kind));
    expect(body).toContain(
      '✗ Not published: the branch is pushed, but Actions may not open its pull request',
    );
    expect(body).toMatch(
      /link below[^\n]*\n- \[Open the pull request\]\(\S+main\.\.\.autobuild\/issue-1\?expand=1\)/,
    );
  }
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

test('N-1: a build that runs again after its delivery finds no brief, so that no agent starts; another job keeps its own', async () => {
  const { issue, run } = await begin();
  const first = world.actionsRun();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  await world.deliver(left);
  expect(await world.look(issue, ({ getEntry }) => getEntry('brief'))).toBeUndefined();
  await world.app.olivia.comment(issue, '/provide colour=red');
  expect(await world.desks()).toMatchObject({ next: 'build' });
  await world.deliver(left, {}, first);
  expect((await world.brief(issue)).brief.job).toBe(2);
});

test('N-1: the delivery of a job that was stopped leaves the brief of its successor', async () => {
  const { issue, run } = await begin();
  const first = world.actionsRun();
  await world.app.olivia.comment(issue, '/pause');
  await world.desks();
  await world.app.olivia.comment(issue, '/continue');
  expect(await world.desks()).toMatchObject({ next: 'build' });
  await world.deliver({ ...leave(run, 0), conclusions: ['cancelled'] }, {}, first);
  expect((await world.brief(issue)).operation).toBeDefined();
});

test('N-1: work counts although an earlier run for the same job was asked for and never heard of', async () => {
  const { issue, run, changeset, result } = await begin();
  // GitHub answers without the id of the run that it starts, which dies before its desk can take the job.
  const github = { ...world.github, dispatchWorkflow: async () => ({}) };
  await world.deliver({ conclusions: ['failure'] }, { github });
  await world.app.olivia.comment(issue, '/guide Be quick');
  expect(await world.desks()).toMatchObject({ next: 'build' });
  const { brief, operation } = await world.brief(issue);
  const open = await world.look(issue, ({ store }) => store.dispatches.open(brief.run));
  expect(open.map(({ op, job }) => [op === operation, job])).toEqual([
    [false, brief.job],
    [true, brief.job],
  ]);
  const next = startRun({ run: brief.run, startMs: world.clock.ms });
  next.state = (await world.brief(issue)).state;
  const from = next.commits.length;
  const left = leave(finish(next.startJob().baseline().beginTurn()), from, changeset);
  await world.deliver({ ...left, result });
  expect((await world.state(issue)).status).toBe('reviewing');
  expect(run.state.run).toBe(brief.run);
});

test('N-3: more claims than a state can hold are dropped and named, and the rest of the job counts', async () => {
  const { issue, run } = await begin();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  const noise = 'x'.repeat(1_500_000);
  const readWork: Delivered['readWork'] = (place) => {
    const read = left.readWork?.(place) ?? expect.fail('nothing was left');
    const [first, ...rest] = read.entries;
    if (first?.type !== 'claim') return expect.fail('there is no claim');
    const died = [1, 2, 3].map((count) => ({
      type: 'claim' as const,
      envelope: { ...first.envelope, seq: 900 + count, type: 'agent_died', data: { reason: noise } },
    }));
    return { ...read, entries: [first, ...died, ...rest] };
  };
  await world.deliver({ readWork });
  expect(await world.state(issue)).toMatchObject({ status: 'waiting_for_input' });
  expect(world.warned.join()).toContain('"dropped":{"agent_died":2}');
  expect((await world.comments(issue)).join()).toContain(
    'left 2 entries that do not count:** beyond the 2 MiB that one job may say (2)',
  );
});

test('N-3: people see in the status that entries of a job were dropped, how many and why', async () => {
  const { issue, run } = await begin();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  const skipped = { 'out of order': 2, 'of another run or job': 1 };
  const readWork: Delivered['readWork'] = (place) => ({
    ...(left.readWork?.(place) ?? expect.fail('nothing was left')),
    skipped,
  });
  await world.deliver({ readWork });
  const status = () => world.comments(issue).then((all) => all.find((body) => body.includes(':status ')));
  expect(await status()).toContain(
    '**Job 1 left 3 entries that do not count:** out of order (2), of another run or job (1).',
  );
});

test('N-3: finished work that was lost is not called unchanged: people are told, and `/retry` builds it again', async () => {
  const { issue, run } = await begin();
  const left = leave(finish(run), 0);
  const readWork: Delivered['readWork'] = (place) => ({
    ...(left.readWork?.(place) ?? expect.fail('nothing was left')),
    skipped: { 'a blob that is missing, changed or too large': 1 },
  });
  await world.deliver({ readWork });
  const said = (await world.comments(issue)).join('\n');
  expect(said).toContain('Waiting for you: the agent says it is done, but its work cannot be read');
  expect(said).toContain('what it left is missing or cannot be read');
  expect(said).toContain('**Retry**: another turn, which hands the work in again. `/retry`');
  expect(said).not.toMatch(/no file was changed|work is saved/);
  await world.app.olivia.comment(issue, '/retry');
  const outputs = await world.desks();
  expect(outputs).toMatchObject({ next: 'build' });
  expect(await world.state(issue)).toMatchObject({ status: 'building' });
});

test('N-3: people see in the status what of a job the rules refuse', async () => {
  const { issue, run, changeset } = await begin();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  const readWork: Delivered['readWork'] = (place) => {
    const read = left.readWork?.(place) ?? expect.fail('nothing was left');
    const last = read.entries.at(-1);
    if (last?.type !== 'claim') return expect.fail('there is no claim');
    const died = (seq: number, change: object) => ({
      type: 'claim' as const,
      envelope: { ...last.envelope, seq: 900 + seq, type: 'agent_died', data: { reason: 'x' }, ...change },
    });
    const work = { type: 'blob' as const, name: 'changeset' as const, bytes: Buffer.from(changeset) };
    return {
      ...read,
      entries: [died(1, { protocol: 999 }), ...read.entries, work, died(2, {}), died(3, {})],
    };
  };
  await world.deliver({ readWork });
  expect(await world.state(issue)).toMatchObject({ status: 'waiting_for_input' });
  const status = (await world.comments(issue)).find((body) => body.includes(':status '));
  expect(status).toContain(
    '**Job 1 left 4 entries that do not count:** of an unknown version (1), work that came too late (1), said after the run had stopped this job (2).',
  );
});

test('N-3: a verification that does not count is noted beside what else of the job does not', async () => {
  const { issue, run, changeset } = await begin();
  const left = leave(finish(run), 0, changeset);
  const readWork: Delivered['readWork'] = (place) => ({
    ...(left.readWork?.(place) ?? expect.fail('nothing was left')),
    skipped: { 'out of order': 2 },
  });
  await world.deliver({ readWork, result: { verification: PASSING, changeset: 'a'.repeat(64) } });
  const noted = await world.look(issue, ({ store }) => store.cursors.get('dropped', run.state.run));
  expect(noted).toEqual({
    job: 1,
    reasons: { 'out of order': 2, 'a verification of other work, or by other checks': 1 },
  });
});

test('N-3: what a job of a run that is over says is no news', async () => {
  const { issue, run, changeset } = await begin();
  const before = world.actionsRun();
  await world.app.olivia.comment(issue, '/cancel');
  await world.desks();
  await world.deliver({ ...leave(finish(run), 0, changeset), conclusions: ['cancelled'] }, {}, before);
  expect((await world.state(issue)).status).toBe('cancelled');
  expect((await world.comments(issue)).join()).not.toContain('not count');
});

test('N-3: work that no state can hold is dropped, and the delivery succeeds without it', async () => {
  const { issue, run } = await begin();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  const openState: DeskParts['openState'] = async (number, taking) => {
    const state = await world.open(number, taking);
    const save = async () => {
      const { pending } = (await state.store.runs.load(run.state.run)).state ?? {};
      if (pending !== undefined)
        throw userError('state_too_large', { ref: 'refs/x', entry: 'state', megabytes: 40 });
      await state.save();
    };
    return { ...state, save };
  };
  await world.deliver(left, { openState });
  expect(world.warned.join()).toContain('what the jobs left does not fit');
  // The job is lost, and another one does it.
  expect(await world.state(issue)).toMatchObject({ status: 'pending', job_live: false });
  expect(world.calls).toContain('dispatchWorkflow');
  expect((await world.comments(issue)).join()).not.toContain('too large');
});

test('N-2: a delivery waits for a state that is in use for as long as its job has time, and says so', async () => {
  const { issue, run } = await begin();
  const left = leave(run.askForHelp([{ key: 'colour', label: 'Colour' }]).park(), 0);
  const busyFor = (minutes: number): Partial<DeskParts> => {
    const until = world.clock.ms + minutes * 60_000;
    return {
      openState(number, taking) {
        if (world.clock.ms >= until) return world.open(number, taking);
        world.clock.ms += taking.waitMs;
        return Promise.reject(userError('state_busy', { ref: 'refs/x', holder: 'the job `desk`' }));
      },
    };
  };
  await expect(world.deliver(left, busyFor(30))).rejects.toMatchObject({ code: 'state_busy' });
  expect(await world.state(issue)).toMatchObject({ status: 'pending' });
  world.warned.length = 0;
  await world.deliver(left, busyFor(6));
  expect(world.warned.filter((line) => line.startsWith('this job waits for the state: '))).toHaveLength(6);
  expect(await world.state(issue)).toMatchObject({ status: 'waiting_for_input' });
});

test('N-1: a build that Actions ended because its time was over is lost and replaced; one that a person cancelled pauses', async () => {
  for (const minutes of [356, 30]) {
    const { issue } = await begin();
    world.clock.ms += minutes * 60_000;
    await world.deliver({ conclusions: ['cancelled', 'skipped'] });
    const isCancel = minutes === 30;
    expect((await world.state(issue)).paused !== undefined).toBe(isCancel);
    const told = (await world.comments(issue)).join();
    expect(told.includes('the job was cancelled in Actions')).toBe(isCancel);
    const { run, losses } = await world.state(issue);
    const journal = await world.look(issue, ({ store }) => store.runs.events(run));
    const lost = journal.flatMap(({ commit }) => commit.events).find(({ type }) => type === 'job_lost');
    if (!isCancel) expect(lost).toMatchObject({ reason: 'the job hit its time limit of 355 minutes' });
    expect(losses ?? 0).toBe(isCancel ? 0 : 1);
    await world.close();
  }
});

test('N-1: a build whose first word came late and whose time was over, as GitHub tells it, is replaced', async () => {
  const { issue } = await begin();
  world.clock.ms += 340 * 60_000;
  const at = (minutes: number) => new Date(world.clock.ms - minutes * 60_000).toISOString();
  const steps = [{ name: 'Set up job', status: 'completed', conclusion: 'success', number: 1 }];
  const times = { run_attempt: 1, conclusion: 'cancelled', started_at: at(355), completed_at: at(0), steps };
  world.app.interfere(({ path }) =>
    path.endsWith(`/runs/${world.actionsRun()}/jobs`)
      ? { status: 200, body: { total_count: 1, jobs: [times] } }
      : undefined,
  );
  await world.deliver({ conclusions: ['cancelled', 'skipped'] });
  const state = await world.state(issue);
  expect(state.losses).toBe(1);
  expect(state.paused).toBeUndefined();
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
      async openState(this: void, number: number, taking: Taking) {
        const state = await world.open(number, taking);
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
