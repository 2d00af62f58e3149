import { expect, test } from 'vitest';
import { createJobLink } from '../../src/action/job-link.ts';
import { defaultConfig } from '../../src/config/read-config.ts';
import { BlockedReport } from '../../src/core/contracts/agent/blocked-report.ts';
import type { Envelope } from '../../src/core/contracts/envelope.ts';
import type { GuardLimits } from '../../src/core/contracts/guard.ts';
import type { Orders } from '../../src/core/contracts/orders.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import { ordersFor } from '../../src/core/decide/orders/orders-for.ts';
import { Run } from '../core/run-builder.ts';

const OWN = {
  blocking_issues: [],
  attempts_made: [],
  suggested_alternatives: [],
  human_action_required: 'Open the till with value-from-vault and key-of-the-model',
};

/** What the job of a run leaves behind, claim by claim: `[claim, what was saved because of it]`. */
async function playJob(
  run: Run,
  opened: Record<string, string> = { token: 'value-from-vault' },
  secret: string[] | 'unsaid' = ['token'],
) {
  let orders: Orders = { do: 'park' };
  let saved: unknown[] = [];
  const masked: string[] = [];
  const sent: Envelope[] = [];
  const link = createJobLink(
    {
      async report(envelope) {
        sent.push(envelope);
        return orders;
      },
      orders: async () => orders,
      ordersAfterWait: async () => orders,
      openInputs: async () => opened,
    },
    {
      log: { group: () => undefined, print: () => undefined, mask: (value) => masked.push(value) },
      history: { turns: [] },
      env: { MODEL_API_KEY: 'key-of-the-model', PAY_TOKEN: 'value-of-the-secret', EDITOR: 'vim-editor' },
      limits: defaultConfig().guards as GuardLimits,
      onAgent: () => undefined,
      saveChanges: async () => void saved.push('changes'),
      saveCheckpoint: async () => void saved.push('checkpoint'),
      saveReport: async (report) => void saved.push(report),
    },
  );
  const [first = expect.fail('no commit')] = run.commits;
  orders = ordersFor(first.events.reduce<RunState | undefined>(evolve, undefined) ?? expect.fail('no run'));
  if (orders.do === 'work') orders = { ...orders, secret_inputs: secret === 'unsaid' ? undefined : secret };
  await link.orders();
  await link.openInputs(['ref']);
  const story: [string, unknown[]][] = [];
  let state: RunState | undefined;
  for (const { input, events } of run.commits) {
    for (const event of events) state = evolve(state, event);
    if (state) orders = ordersFor(state);
    if (input.type !== 'claim') continue;
    saved = [];
    await link.report(input.envelope);
    story.push([input.envelope.type, saved]);
  }
  return { link, story, masked, sent, reports: story.flatMap(([, kept]) => kept.filter(isReport)) };
}

const isReport = (kept: unknown) => BlockedReport.safeParse(kept).success;

test('B-7: a job that stops for a person without a report of the agent leaves what was measured', async () => {
  const run = new Run({ guards: { max_iterations: 2 } }).startJob().baseline().turns(2).park();
  const { story, reports } = await playJob(run);
  expect(reports[0]).toMatchObject({
    measured_by: 'autobuild',
    human_action_required: expect.stringMatching(
      /^Max turns exceeded\. Human intervention required\.\nThe agent did not report why/,
    ),
    measured: { turn: 2, max_turns: 2 },
    attempts_made: [
      { turn: 1, result: '3 of 5 tests pass' },
      { turn: 2, result: '3 of 5 tests pass' },
    ],
  });
  // At once, and again before the job says that it parks: an agent may have deleted it meanwhile.
  expect(story.map(([type, kept]) => [type, kept.filter(isReport).length])).toEqual([
    ['job_started', 0],
    ['baseline_recorded', 0],
    ['turn_started', 0],
    ['turn_ended', 0],
    ['turn_started', 0],
    ['turn_ended', 1],
    ['parked', 1],
  ]);
});

test('B-7: in the middle of a turn it is written once the agent stands still', async () => {
  const run = new Run().startJob().baseline().beginTurn().askForHelp();
  run.claim('agent_frozen', { escalation: run.asked.id, processes: 1, ms: 1 });
  const { story, reports } = await playJob(run);
  expect(story.at(-2)).toEqual(['tripped', []]);
  expect(reports).toEqual([
    expect.objectContaining({
      human_action_required: expect.stringContaining('It asked for: A key for the mail service'),
    }),
  ]);
});

test("B-6: the agent's own report is the one that is saved, without any value it must not show", async () => {
  const run = new Run()
    .startJob()
    .baseline()
    .turn({ report: { status: 'blocked', blocked_report: OWN } });
  run.park();
  const { reports, masked } = await playJob(run);
  expect(reports.length).toBeGreaterThan(0);
  for (const report of reports)
    expect(report).toEqual({ ...OWN, human_action_required: 'Open the till with ••• and •••' });
  expect(masked).toEqual(['value-from-vault']);
});

test('B-7: a report that was shown before does not stand for the next question', async () => {
  const run = new Run({ guards: { max_iterations: 1 } }).startJob().baseline();
  run.turn({ report: { status: 'partial', blocked_report: OWN } });
  run.say('/continue +1');
  run.turn();
  const { reports } = await playJob(run);
  expect(reports.at(-1)).toMatchObject({ measured_by: 'autobuild', earlier_report: { blocking_issues: [] } });
});

test('P-9: the value of an Actions secret is hidden in the log and in what is said, before anyone sees it', async () => {
  const run = new Run().startJob().baseline().beginTurn();
  run.askForHelp([{ key: 'token', secret: true }]);
  run.feed({
    type: 'command',
    at: run.now(),
    command: { name: 'continue', new_approach: false },
    by: 'rosa',
    via: 'comment',
    actions_secrets: { token: { name: 'PAY_TOKEN', found: 'yes' } },
  });
  run.turn({ report: { status: 'partial', summary: 'paid with value-of-the-secret' } });
  const { masked, sent } = await playJob(run);
  expect(masked).toContain('value-of-the-secret');
  expect(JSON.stringify(sent.at(-1))).toContain('paid with •••');
  expect(JSON.stringify(sent)).not.toContain('value-of-the-secret');
});

test('R-11: a secret the job opened is in nothing it says, in no form and in no part; what is none stays', async () => {
  const value = 'S3CRET/välue99"x';
  const plain = 'https://api.example.com/v2/items?limit=10';
  const run = new Run().startJob().baseline();
  const forms = [
    value,
    Buffer.from(value).toString('base64'),
    encodeURIComponent(value),
    JSON.stringify(value),
  ];
  run.turn({ report: { status: 'partial', summary: `tried ${forms.join(' and ')} at ${plain}` } });
  run.turn({ report: { status: 'partial', summary: `cut at ${value.slice(0, 10)}` } });
  const { sent, masked } = await playJob(run, { key: value, address: plain }, ['key']);
  const said = JSON.stringify(sent);
  expect(said).toContain('tried ••• and ••• and ••• and');
  expect(said).toContain(`at ${plain}`);
  expect(masked).toEqual([value]);
  expect(said).toContain('cut at •••');
  for (const form of [...forms, value.slice(0, 10)]) expect(said).not.toContain(form);
});

test('R-11: of an older desk, which does not say what is secret, every value is hidden', async () => {
  const run = new Run().startJob().baseline();
  run.turn({ report: { status: 'partial', summary: 'painted it light blue' } });
  const { sent } = await playJob(run, { colour: 'light blue' }, 'unsaid');
  expect(JSON.stringify(sent)).not.toContain('light blue');
});

test('S-13: a claim has no secret of the environment, the key of the model among them', async () => {
  const run = new Run().startJob().baseline().beginTurn();
  run.endTurn({ report: { status: 'partial', summary: 'tried key-of-the-model in vim-editor' } });
  const { sent } = await playJob(run);
  expect(JSON.stringify(sent)).toContain('tried ••• in vim-editor');
  expect(JSON.stringify(sent)).not.toContain('key-of-the-model');
});
