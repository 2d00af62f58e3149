import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { passSecretLine } from '../../src/core/contracts/actions-secret.ts';
import { handle } from '../../src/core/decide/handle.ts';
import { RULES } from '../../src/guards/rules.ts';
import { Run } from '../core/run-builder.ts';
import { git, makeWorktree, type TemporaryWorktree } from '../runner/temporary-worktree.ts';
import { openTestDesk, TARGET, type TestDesk } from '../web/desk.ts';
import { ActionRunner } from './action-run.ts';
import { listenAsRunner } from './actions-runner.ts';

const VALUE = 'value-of-the-actions-secret';

/** Asks for a key; with it, says it aloud everywhere. */
const AGENT = `
if [ -z "$AUTOBUILD_INPUT_SHOP_KEY" ]; then
  printf '<<<NEED_HELP>>>\\nwhat_i_tried: looked\\nwhat_i_need: the key\\ninputs:\\n  - key: shop.key\\n    label: Key\\n    secret: true\\n<<<END_HELP>>>\\n'
  sleep 3 && touch woken.txt
  exec sleep 60
fi
[ "$SHOP_KEY" = "$AUTOBUILD_INPUT_SHOP_KEY" ] && printf '%s' "$SHOP_KEY" | wc -c > done.txt
printf '{"status":"implemented","summary":"Used %s"}' "$SHOP_KEY" > "$AUTOBUILD_REPORT"
`;

const runner = new ActionRunner();
let desk: TestDesk;
let origin: TemporaryWorktree;
let head: string;

beforeAll(() => runner.bundle(), 60_000);
afterAll(() => runner.close());
afterEach(() => desk.close());
beforeEach(() => begin(0));

async function begin(holdMinutes: number): Promise<void> {
  desk = await openTestDesk();
  origin = makeWorktree({
    '.github/autobuild.yml': `agents:\n  scripted:\n    command: [sh, agent.sh]\nlimits:\n  hold_minutes: ${holdMinutes}\n`,
    'agent.sh': AGENT,
  });
  head = git(origin.worktree, 'rev-parse', 'HEAD').trim();
  // The checks run the agent's code: the secret is not for them.
  const checks = ['test -f done.txt && test -z "$SHOP_KEY"'];
  const [commit] = new Run({ agents: ['scripted'], checks, freshVerification: true }).commits;
  if (!commit) throw new Error('no commit');
  await desk.store.runs.commit('r1', 0, { ...commit, target: { ...TARGET, head_sha: head } });
}

async function playJob(job: number, env: Record<string, string> = {}) {
  const ticket = await desk.ticket({ job, kind: 'build' });
  const common = { desk: desk.url, kind: 'build', head_sha: head, issue: '7', operation: `r1.${job}.0` };
  const ended = await runner.run({ event: { inputs: { ticket, ...common } }, origin: origin.worktree, env });
  expect(ended.out).not.toContain('Autobuild itself failed');
  return ended;
}

const stateOf = async () => {
  const { state } = await desk.store.runs.load('r1');
  if (!state) throw new Error('no run');
  return state;
};

/** What the App decides when somebody ticks "I added them as Actions secrets". */
async function carryOn(): Promise<void> {
  const { pending } = await stateOf();
  await handle(
    desk.store.runs,
    RULES,
    'r1',
    {
      type: 'command',
      at: new Date().toISOString(),
      command: { name: 'continue', new_approach: false },
      by: 'rosa',
      via: 'tick',
      escalation: pending,
      actions_secrets: { 'shop.key': { name: 'SHOP_KEY', found: 'yes' } },
    },
    { seen: [`tick:${pending}`] },
  );
}

test('P-9: the workflow passes the secret: the agent has it, and nobody reads it', async () => {
  await playJob(1);
  await carryOn();
  const second = await playJob(2, { SHOP_KEY: VALUE });
  expect(readFileSync(join(second.worktree, 'done.txt'), 'utf8').trim()).toBe(String(VALUE.length));
  expect(await stateOf()).toMatchObject({
    verifying: 1,
    turns: [{ title: expect.stringMatching(/^Used /) }],
  });
  const kept = JSON.stringify([await stateOf(), await desk.store.runs.events('r1')]);
  expect(kept).not.toContain(VALUE);
  const { commands } = listenAsRunner(second.out);
  expect(commands).toContainEqual({ name: 'add-mask', data: VALUE });
});

test('P-9: the workflow does not pass it: the job says which line is missing, and asks again', async () => {
  await playJob(1);
  await carryOn();
  const second = await playJob(2, { SHOP_KEY: '' });
  expect(second.outputs.status).toBe('parked');
  const state = await stateOf();
  expect(state).toMatchObject({ status: 'waiting_for_input', pending: 'e2', job_live: false });
  const question = state.escalations[1];
  expect(question?.what_i_need).toContain(`\`${passSecretLine('SHOP_KEY')}\``);
  expect(question?.what_i_need).toContain('under `env` of the Autobuild step');
  expect(question?.inputs).toMatchObject([{ key: 'shop.key', secret: true }]);
  await carryOn();
  const third = await playJob(3, { SHOP_KEY: VALUE });
  expect(readFileSync(join(third.worktree, 'done.txt'), 'utf8').trim()).toBe(String(VALUE.length));
});

test('P-9: a job that began before the secret was named makes room for one that has it', async () => {
  await desk.close();
  await begin(2);
  const first = playJob(1);
  const deadline = Date.now() + 60_000;
  while ((await stateOf()).pending === undefined && Date.now() < deadline) await sleep(50);
  await carryOn();
  expect((await first).outputs.status).toBe('parked');
  const state = await stateOf();
  expect(state).toMatchObject({ status: 'building', job_live: false });
  expect(state.escalations).toHaveLength(1);
  const commits = await desk.store.runs.events('r1');
  expect(commits.at(-1)?.commit.effects).toContainEqual({ type: 'dispatch_job', job: 2 });
  const second = await playJob(2, { SHOP_KEY: VALUE });
  expect(readFileSync(join(second.worktree, 'done.txt'), 'utf8').trim()).toBe(String(VALUE.length));
  // The one that could not have it was not let go on.
  expect(existsSync(join(second.worktree, 'woken.txt'))).toBe(false);
});
