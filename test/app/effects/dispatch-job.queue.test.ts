import { afterEach, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const CONFIG = 'agent: scripted\nagents:\n  scripted: { command: ["true"] }\nverify: [npm test]\n';

async function status(issue: number): Promise<string> {
  const found = (await desk.olivia.comments(issue)).findLast(({ body }) => body.includes(':status '));
  return found?.body ?? '';
}

async function say(login: string, issue: number, text: string): Promise<void> {
  await desk.person(login).comment(issue, text);
  await desk.settle();
}

/** The run's job tells what its agent has cost, and ends. */
async function spend(run: string, dollars: number): Promise<void> {
  const { version } = await desk.store.runs.load(run);
  const at = new Date(desk.clock.ms).toISOString();
  const usage = { input_tokens: 0, output_tokens: 0, cost_usd: dollars };
  await desk.store.runs.commit(run, version, {
    input: { type: 'timer', at, timer: 'none' },
    events: [{ type: 'job_parked', at, active_ms: 0, guards: {}, usage }],
    effects: [],
  });
}

test('limits.parallel: the run that is too many says so on its issue, and starts when another one ends', async () => {
  desk = await openAppDesk({ config: `${CONFIG}limits: { parallel: 1 }\n` });
  const first = await desk.begin();
  const second = await desk.begin();
  const third = await desk.begin();
  expect(desk.github.workflows.runs).toHaveLength(1);
  const queued = (number: number) =>
    `▶ Queued: 1 run is building in this repository, this one is number ${number} in line, nothing needed from you`;
  expect(await status(second.issue)).toContain(queued(1));
  expect(await status(third.issue)).toContain(queued(2));

  await say('olivia', first.issue, '/cancel');
  expect(desk.github.workflows.runs).toHaveLength(2);
  expect(await status(second.issue)).toContain('▶ Building: a job is starting');
  expect(await status(third.issue)).toContain(queued(1));
  expect(await desk.dispatch(1, 'build', third.run)).toMatchObject({ requested_at: undefined });
});

test('limits.parallel: a run that waits for a person needs its slot again when it continues', async () => {
  desk = await openAppDesk({ config: `${CONFIG}limits: { parallel: 1 }\n` });
  const first = await desk.begin();
  await say('olivia', first.issue, '/pause');
  const second = await desk.begin();
  expect(await status(second.issue)).toContain('▶ Building');
  await say('olivia', first.issue, '/continue');
  expect(await status(first.issue)).toContain('▶ Queued: 1 run is building');
  await desk.watchJobs();
  expect(await status(first.issue)).toContain('▶ Queued: 1 run is building');
  await say('olivia', first.issue, '/cancel');
  expect(await status(first.issue)).toContain('✗ Cancelled by olivia');
});

test.each(['cancel', 'pause'] as const)(
  'limits.parallel: a /%s that comes while the dispatch is performed leaves no slot behind, and no job starts',
  async (name) => {
    desk = await openAppDesk({ config: `${CONFIG}limits: { parallel: 1 }\n` });
    const { slots } = desk.store;
    const { take } = slots;
    slots.take = async (run, most) => {
      slots.take = take;
      const at = desk.deps.now().toISOString();
      await handleInput(desk.deps, run, {
        type: 'command',
        at,
        command: { name },
        by: 'olivia',
        via: 'comment',
      });
      return take(run, most);
    };
    const first = await desk.begin();
    expect(desk.github.workflows.runs).toHaveLength(0);
    expect(await desk.store.dispatches.open(first.run)).toEqual([]);
    const second = await desk.begin();
    expect(desk.github.workflows.runs).toHaveLength(1);
    expect(await status(second.issue)).toContain('▶ Building: a job is starting');
  },
);

test('limits.parallel: three runs build at once unless the config says otherwise', async () => {
  desk = await openAppDesk();
  for (let count = 1; count <= 4; count += 1) await desk.begin();
  expect(desk.github.workflows.runs).toHaveLength(3);
});

test('limits.monthly_dollars: over the budget a run pauses, and only a maintainer lets it continue', async () => {
  desk = await openAppDesk({ config: `${CONFIG}limits: { monthly_dollars: 5 }\n` });
  const first = await desk.begin();
  await spend(first.run, 5.5);
  const { issue, run } = await desk.begin();
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect(await desk.state(run)).toMatchObject({ status: 'waiting_for_input' });
  const replies = async () => (await desk.olivia.comments(issue)).map(({ body }) => body).join('\n');
  expect(await replies()).toContain('have cost `$5.50`');
  expect(await replies()).toContain('by someone with the role maintain');

  await say('walter', issue, '/continue');
  expect(desk.github.workflows.runs).toHaveLength(1);
  expect(await replies()).toContain('Nothing changed: /continue requires the maintain role');
  await say('walter', issue, '/status');
  await say('olivia', issue, '/continue');
  expect(desk.github.workflows.runs).toHaveLength(2);
  expect(await desk.state(run)).toMatchObject({ status: 'building' });
});

test('limits.monthly_dollars: in the next month anyone who may give the command continues the run', async () => {
  desk = await openAppDesk({ config: `${CONFIG}limits: { monthly_dollars: 5 }\n` });
  const first = await desk.begin();
  await spend(first.run, 5.5);
  const { issue } = await desk.begin();
  desk.clock.ms += 32 * 24 * 3_600_000;
  await say('walter', issue, '/continue');
  expect(desk.github.workflows.runs).toHaveLength(2);
});
