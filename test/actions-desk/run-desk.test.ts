import { afterEach, expect, test } from 'vitest';
import { digestOf } from '../../src/claims/digest-of.ts';
import { GitHubError } from '../../src/core/ports/github-port.ts';
import { PASSING, startRun } from '../core/run-builder.ts';
import { leave, openWorld, type World } from './desk-world.ts';

let world: World;
afterEach(() => world?.close());

async function label(): Promise<number> {
  const issue = await world.app.olivia.openIssue({ title: 'Make it', body: 'As said.' });
  world.events();
  await world.app.olivia.label(issue, 'autobuild');
  return issue;
}

/** The labelled issue, and a job that does as the desk told. */
async function begin() {
  world = await openWorld();
  const issue = await label();
  const outputs = await world.desks();
  const { brief } = await world.brief(issue);
  const run = startRun({ run: brief.run, freshVerification: true, startMs: world.clock.ms });
  return { issue, outputs, run };
}

test('N-1: from label over question and answer to a verified pull request, each event in a desk of its own', async () => {
  const { issue, outputs, run } = await begin();
  expect(outputs).toMatchObject({ next: 'build', issue: String(issue), operation: expect.any(String) });
  run
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'Colour' }])
    .park();
  await world.deliver(leave(run, 0));
  expect((await world.comments(issue)).join('\n')).toContain('### ⏸ Waiting for you: 1 value needed');
  expect(await world.state(issue)).toMatchObject({ status: 'waiting_for_input', job_live: false });

  await world.app.olivia.comment(issue, '/provide colour=red');
  const next = await world.desks();
  expect(next.next).toBe('build');
  const { inputs } = await world.brief(issue);
  expect(Object.values(inputs)).toEqual([{ key: 'colour', value: 'red' }]);

  run.say('/provide colour=red');
  const before = run.commits.length;
  run.startJob().beginTurn();
  run.endTurn({ report: { status: 'implemented', summary: 'It is made' }, verification: PASSING });
  const file = { path: 'made.txt', mode: '100644', status: 'added', content: btoa('made\n') };
  const changeset = JSON.stringify({ base_sha: next.head_sha, files: [file], left_out: [] });
  const result = { verification: PASSING, changeset: digestOf(Buffer.from(changeset)) };
  await world.deliver({ ...leave(run, before, changeset), result });
  expect((await world.state(issue)).status).toBe('reviewing');
  const [pull] = await world.app.olivia.pullRequests();
  expect(pull).toMatchObject({ draft: false, head: { ref: `autobuild/issue-${issue}` } });
  const [dispatched] = [world.calls.filter((name) => name === 'dispatchWorkflow')];
  expect(dispatched).toEqual([]);
});

test('N-1: a comment without a command costs no call', async () => {
  world = await openWorld();
  const issue = await label();
  await world.desks();
  await world.app.olivia.comment(issue, 'What do you think?');
  const [event] = world.events();
  if (!event) throw new Error('there is no event');
  const before = { ...world.storage.calls };
  expect(await world.desk(event)).toEqual({ next: 'none' });
  expect(world.calls).toEqual([]);
  expect(world.storage.calls).toEqual(before);
});

test('N-1: a comment whose run was dropped from the queue is read by the next desk, in its order', async () => {
  const { issue, run } = await begin();
  run
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'Colour' }])
    .park();
  await world.deliver(leave(run, 0));
  await world.app.olivia.comment(issue, '/provide colour=red');
  await world.app.olivia.comment(issue, '/guide Be quick');
  const last = world.events().at(-1);
  if (!last) throw new Error('there is no event');
  expect(await world.desk(last)).toMatchObject({ next: 'build' });
  const { guidance, given, pending } = await world.state(issue);
  expect(pending).toBeUndefined();
  expect(given).toEqual({});
  expect(guidance.join()).toContain('Be quick');
});

test('N-1: /cancel while the build runs ends its Actions run, and what it left changes nothing', async () => {
  const { issue, run, outputs } = await begin();
  run.beginTurn();
  const cancelled: number[] = [];
  const github = { ...world.github, cancelRun: async (id: number) => void cancelled.push(id) };
  await world.app.olivia.comment(issue, '/cancel');
  const [event] = world.events();
  if (!event) throw new Error('there is no event');
  expect(await world.desk(event, { github })).toEqual({ next: 'none' });
  expect(cancelled).toHaveLength(1);
  expect((await world.state(issue)).status).toBe('cancelled');
  expect(outputs.next).toBe('build');
});

test('N-1: a job that left nothing is lost, and the next round is another run of the same workflow', async () => {
  const { issue } = await begin();
  await world.deliver({ conclusions: ['failure'] });
  expect(world.calls).toContain('dispatchWorkflow');
  expect(await world.state(issue)).toMatchObject({ status: 'pending', job_live: false });
});

test('N-2: a round is asked for only after the state says so, or a desk that is killed then would ask twice', async () => {
  await begin();
  const saves = () => world.storage.calls.swap ?? 0;
  const before = saves();
  let savedThen = 0;
  const github = {
    ...world.github,
    async dispatchWorkflow(...args: Parameters<World['github']['dispatchWorkflow']>) {
      savedThen = saves() - before;
      return world.github.dispatchWorkflow(...args);
    },
  };
  await world.deliver({ conclusions: ['failure'] }, { github });
  // Once before all effects, and once more with the time of the request.
  expect(savedThen).toBe(2);
});

test('N-2: comments that GitHub fails to list once are read by the same desk, because the next may come days later', async () => {
  const { issue, run } = await begin();
  run
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'Colour' }])
    .park();
  await world.deliver(leave(run, 0));
  await world.app.olivia.comment(issue, '/guide Be quick');
  await world.app.olivia.comment(issue, '/cancel');
  const last = world.events().at(-1) ?? expect.fail('there is no event');
  let failures = 2;
  const github = {
    ...world.github,
    async comments(...args: Parameters<World['github']['comments']>) {
      if (failures-- > 0) throw new GitHubError('GitHub did not answer', { status: 502 });
      return world.github.comments(...args);
    },
  };
  await world.desk(last, { github });
  const { guidance, status } = await world.state(issue);
  expect([guidance.join().includes('Be quick'), status]).toEqual([true, 'cancelled']);
});

test('N-1: the desk of a later round takes the job that an earlier desk asked for, once', async () => {
  const { issue } = await begin();
  await world.deliver({ conclusions: ['failure'] });
  const operation = await world.look(issue, async ({ store }) => {
    const { run } = await worldRun(store, issue);
    return (await store.dispatches.open(run)).at(-1)?.op;
  });
  const round = { name: 'workflow_dispatch', payload: { inputs: { issue: String(issue), operation } } };
  expect(await world.desk(round)).toMatchObject({ next: 'build', operation });
  // GitHub was asked twice, because the first response was lost.
  expect(await world.desk(round)).toEqual({ next: 'none' });
});

test('N-1: a job that was stopped is not taken by the desk of its round, although its Actions run could not be cancelled', async () => {
  const { issue } = await begin();
  await world.deliver({ conclusions: ['failure'] });
  const operation = await world.look(issue, async ({ store }) => {
    const { run } = await worldRun(store, issue);
    return (await store.dispatches.open(run)).at(-1)?.op;
  });
  const github = {
    ...world.github,
    cancelRun: async () => Promise.reject(new GitHubError('Server error', { status: 500 })),
  };
  for (const command of ['/pause', '/continue']) {
    world.events();
    await world.app.olivia.comment(issue, command);
    const [event] = world.events();
    await world.desk(event ?? expect.fail('there is no event'), { github });
  }
  const round = { name: 'workflow_dispatch', payload: { inputs: { issue: String(issue), operation } } };
  expect(await world.desk(round, { github })).toEqual({ next: 'none' });
});

async function worldRun(store: Parameters<Parameters<World['look']>[1]>[0]['store'], issue: number) {
  const { repo_id } = await world.github.defaultBranch();
  return { run: (await store.runs.ofIssue(repo_id, issue)) ?? '' };
}

test('N-1: who may only read is refused here as by the hosted App', async () => {
  const { issue, run } = await begin();
  run
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'Colour' }])
    .park();
  await world.deliver(leave(run, 0));
  await world.app.person('rita').comment(issue, '/cancel');
  expect(await world.desks()).toEqual({ next: 'none' });
  expect((await world.state(issue)).status).toBe('waiting_for_input');
  expect((await world.comments(issue)).at(-1)).toContain('commands require write access');
});
