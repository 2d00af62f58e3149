import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { unpackCheckpoint } from '../../src/runner/checkpoint/pack-checkpoint.ts';
import { Run } from '../core/run-builder.ts';
import { git, makeWorktree, type TemporaryWorktree } from '../runner/temporary-worktree.ts';
import { openTestDesk, TARGET, type TestDesk } from '../web/desk.ts';
import { ActionRunner } from './action-run.ts';

const HELP = 'what_i_tried: looked\nwhat_i_need: a key\ninputs:\n  - key: api_key\n    label: Key\n';
const BLOCK = JSON.stringify(`<<<NEED_HELP>>>\n${HELP}<<<END_HELP>>>\n`);

/** Goes by the name of OpenCode: its conversation is in a database that holds the path of the worktree. */
const OPENCODE = `#!/usr/bin/env node
const fs = require('node:fs');
const data = process.env.XDG_DATA_HOME + '/opencode';
const [command, ...args] = process.argv.slice(2);
const say = (event) => console.log(JSON.stringify({ sessionID: 'ses_1', ...event }));
const obeyed = fs.existsSync('opencode.json') ? 'of the run' : 'of the commit';
fs.appendFileSync(process.env.HOME + '/invocations', [command, obeyed, ...args.slice(-2)].join(' ') + '\\n');
if (command === 'export') {
  console.error('Exporting session');
  const { id, said } = JSON.parse(fs.readFileSync(data + '/opencode.db', 'utf8'));
  if (id !== args.at(-1)) process.exit(1);
  console.log(JSON.stringify({ id, said }, null, 2));
} else if (command === 'import') {
  const session = JSON.parse(fs.readFileSync(args.at(-1), 'utf8'));
  fs.mkdirSync(data, { recursive: true });
  fs.writeFileSync(data + '/opencode.db', JSON.stringify({ ...session, directory: process.cwd() }));
} else if (!args.includes('--session')) {
  fs.mkdirSync(data, { recursive: true });
  fs.writeFileSync(data + '/opencode.db', JSON.stringify({ id: 'ses_1', said: ['first'], directory: process.cwd() }));
  fs.writeFileSync('opencode.json', '{"plugin":["evil"]}');
  say({ type: 'step_start' });
  say({ type: 'text', part: { text: ${BLOCK} } });
  say({ type: 'step_finish', part: { reason: 'stop' } });
} else {
  const { said, directory } = JSON.parse(fs.readFileSync(data + '/opencode.db', 'utf8'));
  if (directory !== process.cwd()) process.exit(1);
  say({ type: 'step_start' });
  fs.writeFileSync('done.txt', said.join());
  fs.writeFileSync(process.env.AUTOBUILD_REPORT, '{"status":"implemented"}');
  say({ type: 'step_finish', part: { reason: 'stop' } });
}
`;

const FIRST = '11111111-2222-4333-8444-555555555555';
const SECOND = '66666666-2222-4333-8444-555555555555';

/** Goes by the name of Codex: the figures of a conversation are those from its first turn on. */
const CODEX = `#!/bin/sh
say() { printf '%s\\n' "$1"; }
used() { say "{\\"type\\":\\"turn.completed\\",\\"usage\\":{\\"input_tokens\\":$1,\\"output_tokens\\":$2}}"; }
begin() { say "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"$1\\"}"; mkdir -p "$CODEX_HOME/sessions"; echo x > "$CODEX_HOME/sessions/rollout-1-$1.jsonl"; }
case "$*" in
  *"exec resume"*${FIRST}*) say '{"type":"turn.failed","error":{"message":"no rollout found for thread id"}}'; exit 1;;
  *"exec resume"*${SECOND}*) begin ${SECOND}; touch done.txt; echo '{"status":"implemented"}' > "$AUTOBUILD_REPORT"; used 50 5;;
  *) if [ ! -f half.txt ]; then begin ${FIRST}; touch half.txt; used 100 10; exit; fi
     begin ${SECOND}
     say '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":${BLOCK.replaceAll('\\n', '\\\\n')}}}'
     used 30 3;;
esac
`;

const runner = new ActionRunner();
let desk: TestDesk;
let origin: TemporaryWorktree;
let env: Record<string, string>;

beforeAll(() => runner.bundle(), 60_000);
afterAll(() => runner.close());
beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  origin = makeWorktree({ '.github/autobuild.yml': 'limits:\n  hold_minutes: 0\n' });
  const programs = join(origin.top, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'opencode'), OPENCODE, { mode: 0o755 });
  writeFileSync(join(programs, 'codex'), CODEX, { mode: 0o755 });
  const node = process.execPath.replace(/\/[^/]+$/, '');
  env = { PATH: `${programs}:${node}:/usr/local/bin:/usr/bin:/bin`, OPENAI_API_KEY: 'key-of-the-model' };
});
afterEach(() => desk.close());

async function request(agent: string): Promise<void> {
  const run = new Run({ agents: [agent], checks: ['test -f done.txt'] });
  const [commit] = run.commits;
  if (!commit) throw new Error('no commit');
  const head_sha = git(origin.worktree, 'rev-parse', 'HEAD').trim();
  await desk.store.runs.commit('r1', 0, { ...commit, target: { ...TARGET, head_sha } });
}

async function runJob(job: number) {
  const ticket = await desk.ticket({ job, kind: 'build' });
  const head_sha = git(origin.worktree, 'rev-parse', 'HEAD').trim();
  const inputs = { ticket, desk: desk.url, kind: 'build', head_sha, issue: '7', operation: `r1.${job}.0` };
  const ended = await runner.run({ event: { inputs }, origin: origin.worktree, env });
  expect(ended.code, ended.out).toBe(0);
  return ended;
}

async function provide(): Promise<void> {
  const response = await fetch(`${desk.url}/api/runs/r1/provide-input`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-autobuild-request': '1',
      authorization: 'Bearer user-rosa',
    },
    body: JSON.stringify({ inputs: { api_key: 'value-of-the-operator' } }),
  });
  expect(response.status).toBe(200);
}

const stateOf = async () => (await desk.store.runs.load('r1')).state;

test('P-7: a conversation in a database is exported, carried, imported at another path, and goes on', async () => {
  await request('opencode');
  const first = await runJob(1);
  expect(first.outputs.status).toBe('parked');
  await provide();
  const second = await runJob(2);
  expect(second.worktree).not.toBe(first.worktree);
  expect(second.out).not.toContain('starts a new conversation');
  expect(readFileSync(join(second.worktree, 'done.txt'), 'utf8')).toBe('first');
  const invocations = [first, second].map(({ worktree }, at) => {
    // The home in the box is a copy.
    const home = join(worktree, '../../temp', `autobuild-r1-${at + 1}`, 'box/home/changes');
    return readFileSync(join(home, 'invocations'), 'utf8').trim().split('\n');
  });
  // S-3: the agent's own programs obey the commit's files too, not those of the run.
  expect(invocations).toEqual([
    [expect.stringMatching(/^run of the commit/), 'export of the commit --pure ses_1'],
    [
      expect.stringMatching(/^import of the commit/),
      // Each start has a home of its own, with the conversation alone.
      'export of the commit --pure ses_1',
      expect.stringMatching(/^import of the commit/),
      'run of the commit --session ses_1',
      'export of the commit --pure ses_1',
    ],
  ]);
  // What the run made of them is in its result all the same, once a person has approved it.
  expect(existsSync(join(second.worktree, 'opencode.json'))).toBe(true);
  expect(await stateOf()).toMatchObject({
    status: 'waiting_for_input',
    escalations: [
      { status: 'resolved' },
      {
        type: 'scope_drift',
        question: expect.stringContaining('The work is finished, but it changes opencode.json'),
      },
    ],
  });
});

test('G-5: what a conversation used is counted once over two jobs, also beside one that is gone', async () => {
  await request('codex');
  expect((await runJob(1)).outputs.status).toBe('parked');
  const blob = await desk.store.blobs.get('r1', 'checkpoint');
  const { session, counted, usage } = await unpackCheckpoint(blob ?? new Uint8Array(), 'r1');
  expect({ session, usage, second: counted?.[SECOND] }).toEqual({
    session: SECOND,
    usage: { input_tokens: 130, output_tokens: 13, cost_usd: null },
    second: { input_tokens: 30, cached_tokens: 0, output_tokens: 3, cost_usd: 0 },
  });
  await provide();
  await runJob(2);
  expect(await stateOf()).toMatchObject({
    status: 'reviewing',
    usage: { input_tokens: 150, output_tokens: 15 },
  });
});
