import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decide } from '../src/core/decide/decide.ts';
import { RULES } from '../src/guards/rules.ts';
import { unpackCheckpoint } from '../src/runner/checkpoint/pack-checkpoint.ts';
import { ActionRunner } from './action/action-run.ts';
import { listenAsRunner } from './action/actions-runner.ts';
import { Run } from './core/run-builder.ts';
import { git, makeWorktree, type TemporaryWorktree } from './runner/temporary-worktree.ts';
import { openTestDesk, TARGET, type TestDesk } from './web/desk.ts';

const CANARY = 'canary-of-the-job';
const VALUE = 'value-of-the-operator';

/** Asks for a value first; with it, goes on from the file it wrote before. */
const AGENT = `
echo '::set-env name=EVIL::1'
echo 'x ##[add-path]/evil'
if [ -z "$AUTOBUILD_INPUT_API_KEY" ]; then
  env | grep -c canary > leaked.txt
  cat AGENTS.md > rules.txt
  printf 'half\\n' > 'hälfte.txt'
  rm old.txt
  printf '<<<NEED_HELP>>>\\nwhat_i_tried: looked\\nwhat_i_need: the key\\ninputs:\\n  - key: api_key\\n    label: Key\\n    secret: true\\n<<<END_HELP>>>\\n'
  exec sleep 60
fi
echo "the key is $AUTOBUILD_INPUT_API_KEY"
grep -q half 'hälfte.txt' && [ ! -e old.txt ] && printf 'whole\\n' > done.txt
printf '{"status":"implemented","summary":"Made it whole","blocked_report":{"blocking_issues":[],"attempts_made":[],"suggested_alternatives":[],"human_action_required":"none"}}' > "$AUTOBUILD_REPORT"
`;

const runner = new ActionRunner();
let desk: TestDesk;
let origin: TemporaryWorktree;
let head: string;

beforeAll(() => runner.bundle(), 60_000);
afterAll(() => runner.close());
beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  origin = makeWorktree({
    'old.txt': 'old\n',
    'AGENTS.md': 'be kind\n',
    '.github/autobuild.yml':
      'agents:\n  scripted:\n    command: [sh, agent.sh]\nlimits:\n  hold_minutes: 0\n',
    'agent.sh': AGENT,
  });
  head = git(origin.worktree, 'rev-parse', 'HEAD').trim();
  await request('r1');
});
afterEach(() => desk.close());

/** A run that nobody works on yet. */
async function request(id: string): Promise<void> {
  const run = new Run({ agents: ['scripted'], checks: ['test -f done.txt'], freshVerification: true });
  const [commit] = run.commits;
  if (!commit) throw new Error('no commit');
  const events = commit.events.map((event) =>
    event.type === 'run_requested' ? { ...event, run: id } : event,
  );
  const target = { ...TARGET, issue: id === 'r1' ? 7 : 8, head_sha: head };
  await desk.store.runs.commit(id, 0, { ...commit, events, target });
}

async function eventFor(kind: 'build' | 'verify', job: number, changes: Record<string, string> = {}) {
  const ticket = await desk.ticket({ job, kind });
  return {
    inputs: {
      ticket,
      desk: desk.url,
      kind,
      head_sha: head,
      issue: '7',
      operation: `r1.${job}.0`,
      ...changes,
    },
  };
}

const env = {
  GITHUB_TOKEN: CANARY,
  ACTIONS_RUNTIME_TOKEN: CANARY,
  INPUT_SECRET: CANARY,
  MODEL_KEY: 'for the agent',
};
const stateOf = async () => {
  const { state } = await desk.store.runs.load('r1');
  if (!state) throw new Error('no run');
  return state;
};

async function provide(): Promise<void> {
  const response = await fetch(`${desk.url}/api/runs/r1/provide-input`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-autobuild-request': '1',
      authorization: 'Bearer user-rosa',
    },
    body: JSON.stringify({ inputs: { api_key: VALUE } }),
  });
  expect(response.status).toBe(200);
}

describe('the bundle as the job', () => {
  test('P-7: builds, asks, parks; the next job goes on elsewhere; a fresh job verifies', async () => {
    const event = await eventFor('build', 1);
    const first = await runner.run({ event, origin: origin.worktree, env });
    expect(first.out).not.toContain('Autobuild itself failed');
    expect(first.code).toBe(0);
    expect(first.outputs).toMatchObject({ status: 'parked', run: 'r1' });
    expect(first.outputs['pull-request']).toContain('rosa/shop/pulls?q=head%3Aautobuild%2Fissue-7');
    expect(await stateOf()).toMatchObject({ status: 'waiting_for_input', job_live: false, jobs: 1 });
    // G-5: as the status comment and the draft pull request show it.
    expect((await stateOf()).changes).toEqual({
      paths: ['hälfte.txt', 'leaked.txt', 'old.txt', 'rules.txt'],
      added: 3,
      removed: 1,
    });

    // S-10: nothing the agent printed is a command; S-13: the ticket is hidden before anything else is said.
    const { commands, shown } = listenAsRunner(first.out);
    expect(commands[0]).toEqual({ name: 'add-mask', data: event.inputs.ticket });
    // S-17: the pre step claims, hides what it keeps for the main step, and the main step works with a token of its own.
    expect(shown).toContain('Claimed: this job is there to build.');
    expect(commands.filter(({ name }) => name === 'add-mask').length).toBeGreaterThan(2);
    expect(commands.map(({ name }) => name).filter((name) => /set-env|add-path/.test(name))).toEqual([]);
    expect(shown).toContain('::set-env name=EVIL::1');
    expect(shown).not.toContain(event.inputs.ticket);
    expect(first.summary).toContain('### Autobuild: Add a login page');
    expect(first.summary).not.toMatch(/\[ \]/);

    // B-7: it asked without a report of its own; the artifact step finds what was measured.
    expect(readReport(first.worktree)).toMatchObject({
      measured_by: 'autobuild',
      human_action_required: expect.stringMatching(
        /^Human intervention required\.\n.*did not report why[\s\S]*the key/,
      ),
      measured: { turn: 1 },
    });

    const blob = await desk.store.blobs.get('r1', 'checkpoint');
    const { changeset } = await unpackCheckpoint(blob ?? new Uint8Array(), 'r1');
    const saved = Object.fromEntries(
      changeset.files.map(({ path, content }) => [
        path,
        content && Buffer.from(content, 'base64').toString(),
      ]),
    );
    // S-4: no token of the job was in the agent's environment. S-3: it read the commit's rules.
    expect(saved).toEqual({
      'hälfte.txt': 'half\n',
      'leaked.txt': '0\n',
      'old.txt': null,
      'rules.txt': 'be kind\n',
    });

    await provide();
    const second = await runner.run({ event: await eventFor('build', 2), origin: origin.worktree, env });
    expect(second.code).toBe(0);
    expect(readFileSync(join(second.worktree, 'done.txt'), 'utf8')).toBe('whole\n');
    const heard = listenAsRunner(second.out);
    const masked = heard.commands.findIndex(({ name, data }) => name === 'add-mask' && data === VALUE);
    expect(masked).toBeGreaterThan(0);
    // S-13: the value itself is printed only to tell the runner to hide it.
    expect(heard.shown).toContain('the key is •••');
    expect(second.out.split('\n').filter((line) => line.includes(VALUE))).toEqual([`::add-mask::${VALUE}`]);
    // B-6: where the workflow's artifact step looks for it.
    expect(readReport(second.worktree)).toMatchObject({ human_action_required: 'none' });
    expect(await stateOf()).toMatchObject({ verifying: 1, job_live: false });

    const verified = await runner.run({ event: await eventFor('verify', 2), origin: origin.worktree });
    expect(verified.code).toBe(0);
    expect(verified.outputs.status).toBe('verified');
    expect(await stateOf()).toMatchObject({
      status: 'reviewing',
      fresh: { ok: true },
      finished: { partial: false },
    });
    expect(existsSync(join(verified.worktree, '.autobuild'))).toBe(false);
  });

  describe('with an agent that does not end', () => {
    let event: Awaited<ReturnType<typeof eventFor>>;

    beforeEach(async () => {
      origin.write('agent.sh', 'printf x > begun.txt; exec sleep 60\n');
      git(origin.worktree, 'commit', '-q', '-a', '-m', 'slow');
      head = git(origin.worktree, 'rev-parse', 'HEAD').trim();
      await request('r2');
      const ticket = await desk.ticket({ run: 'r2' });
      event = { inputs: { ...(await eventFor('build', 1)).inputs, ticket } };
    });

    async function expectSaved(): Promise<void> {
      expect((await desk.store.runs.load('r2')).state).toMatchObject({ job_live: false, jobs: 1, turn: 1 });
      const blob = await desk.store.blobs.get('r2', 'checkpoint');
      const { changeset } = await unpackCheckpoint(blob ?? new Uint8Array(), 'r2');
      expect(changeset.files.map(({ path }) => path)).toEqual(['begun.txt']);
    }

    test('R-9: a cancelled Actions run saves the work before Actions kills it', async () => {
      const ended = runner.run({ event, origin: origin.worktree });
      await until('the agent is at work', async () => runner.exists('begun.txt'));
      runner.interrupt();
      const { code, outputs } = await ended;
      expect({ code, status: outputs.status }).toEqual({ code: 0, status: 'parked' });
      await expectSaved();
    });

    test('R-5: a job that was given up as lost and comes back ends quietly, and says why', async () => {
      const ended = runner.run({ event, origin: origin.worktree });
      await until('the agent is at work', async () => runner.exists('begun.txt'));
      const { version, state } = await desk.store.runs.load('r2');
      const at = new Date(desk.clock.ms).toISOString();
      const input = { type: 'job_lost', at, reason: 'Actions said so' } as const;
      const { events, effects } = decide(state, input, RULES);
      await desk.store.runs.commit('r2', version, { input, events, effects });
      const { code, out, outputs, summary } = await ended;
      expect({ code, status: outputs.status }).toEqual({ code: 0, status: 'replaced' });
      expect(out).not.toContain('::error');
      expect(out).toContain('The App no longer accepts this job (This job is over:');
      expect(summary).toContain('the run continues without it');
      expect((await desk.store.runs.load('r2')).version).toBe(version + 1);
      expect(await desk.store.blobs.get('r2', 'checkpoint')).toBeUndefined();
    });

    test('K-7: before its time is over, the job hands the work to a successor, also one without a pre step', async () => {
      const { code, outputs } = await runner.run({
        event,
        origin: origin.worktree,
        env: { AUTOBUILD_JOB_MINUTES: '0.1' },
        pre: false,
      });
      expect({ code, status: outputs.status }).toEqual({ code: 0, status: 'handed_over' });
      await expectSaved();
      const events = await desk.store.runs.events('r2');
      expect(events.at(-1)?.commit.effects).toContainEqual({ type: 'dispatch_job', job: 2 });
    });
  });
});

describe('what keeps a job from working is said, with the remedy, and exits 1', () => {
  const errorOf = (out: string) =>
    listenAsRunner(out).commands.find(({ name }) => name === 'error')?.data ?? '';

  test('no event file', async () => {
    const { code, out } = await runner.run({});
    expect(code).toBe(1);
    expect(errorOf(out)).toContain('GITHUB_EVENT_PATH is not set');
  });

  test.each([
    ['another event', { action: 'opened' }, 'not started by workflow_dispatch'],
    ['no ticket', { inputs: { desk: 'http://127.0.0.1:1' } }, 'missing or not valid: ticket, kind, head_sha'],
    ['no address', { inputs: { ...someInputs(), desk: undefined } }, 'address of the App is not known'],
  ])('%s', async (_, event, words) => {
    const { code, out } = await runner.run({ event });
    expect(code).toBe(1);
    expect(errorOf(out)).toContain(words);
  });

  test('an event file that is no JSON, without showing what is in it', async () => {
    const file = join(runner.top, 'broken.json');
    writeFileSync(file, '{"inputs":{"ticket":"secret-ticket"');
    const { code, out } = await runner.run({ env: { GITHUB_EVENT_PATH: file } });
    expect(code).toBe(1);
    expect(errorOf(out)).toContain('it is not JSON');
    expect(out).not.toContain('secret-ticket');
  });

  test('S-17: a ticket that was used, and a desk other than the workflow’s', async () => {
    const used = await runner.run({
      event: { inputs: { ...someInputs(), desk: desk.url } },
      origin: origin.worktree,
    });
    expect(used.code).toBe(1);
    expect(errorOf(used.out)).toContain('unknown, used or expired');
    const event = await eventFor('build', 1, { desk: 'https://evil.example.com' });
    const led = await runner.run({ event, origin: origin.worktree, env: { INPUT_DESK: desk.url } });
    expect(led.code).toBe(1);
    expect(errorOf(led.out)).toContain('https://evil.example.com');
  });

  test('R-9: a run that was cancelled while the job waited for its runner: it ends quietly, as cancelled', async () => {
    const event = await eventFor('build', 1);
    const { version, state } = await desk.store.runs.load('r1');
    const at = new Date(desk.clock.ms).toISOString();
    const input = { type: 'command', at, command: { name: 'cancel' }, by: 'rosa', via: 'comment' } as const;
    const { events, effects } = decide(state, input, RULES);
    await desk.store.runs.commit('r1', version, { input, events, effects });
    const late = await runner.run({ event, origin: origin.worktree });
    expect(late.code).toBe(0);
    expect(late.out).not.toContain('::error');
    expect(late.out).toContain('The run is over (cancelled)');
    expect(late.outputs).toEqual({ status: 'cancelled' });
    expect(late.summary).toContain('The run is over (cancelled)');
  });

  test('another commit than the run builds on', async () => {
    origin.write('new.txt', 'new\n');
    git(origin.worktree, 'add', '-A');
    git(origin.worktree, 'commit', '-q', '-m', 'moved');
    const { code, out } = await runner.run({ event: await eventFor('build', 1), origin: origin.worktree });
    expect(code).toBe(1);
    expect(errorOf(out)).toContain(`the run builds on ${head}`);
    expect((await stateOf()).jobs).toBe(0);
  });

  test('a ticket of the other kind', async () => {
    const event = await eventFor('verify', 1, { kind: 'build' });
    const { code, out } = await runner.run({ event, origin: origin.worktree });
    expect(code).toBe(1);
    expect(errorOf(out)).toContain('there to verify');
  });
});

function readReport(worktree: string): unknown {
  return JSON.parse(readFileSync(join(worktree, '.autobuild/issue-7/blocked_report.json'), 'utf8'));
}

function someInputs() {
  return { ticket: 'x'.repeat(40), kind: 'build', head_sha: 'a'.repeat(40), issue: '7', operation: 'r1.1.0' };
}

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await sleep(20);
  }
}
