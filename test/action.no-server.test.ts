import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { briefFor } from '../src/core/decide/orders/brief-for.ts';
import type { HeldBrief } from '../src/core/ports/held-brief.ts';
import { digestOf } from '../src/link/artifact-format.ts';
import { packOutput, readResult } from '../src/link/job-output.ts';
import { readArtifact, readChangesetFile } from '../src/link/read-artifact.ts';
import { deriveBriefKey } from '../src/store/ref/keys.ts';
import { createSealedEntry } from '../src/store/ref/sealed-entry.ts';
import { createSealer } from '../src/store/seal.ts';
import { ActionRunner, type Ended } from './action/action-run.ts';
import { Run, startRun } from './core/run-builder.ts';
import { git, makeWorktree, type TemporaryWorktree } from './runner/temporary-worktree.ts';

const MODEL_KEY = randomBytes(24).toString('hex');
const GIVEN = 'token-of-a-service';
const REPOSITORY = { id: 77, name: 'acme/web' };
const [WORK_KEY, CHECKPOINT_KEY, OTHER_KEY] = Array.from({ length: 3 }, () =>
  randomBytes(32).toString('base64'),
);
const KEYS = { work: WORK_KEY ?? '', checkpoint: CHECKPOINT_KEY ?? '' };

const AGENT = `
env | sed 's/=.*//' | sort > names.txt
case "$PATH" in */evil*) echo evil >> names.txt;; esac
if [ "$1" = leak ]; then
  echo "$SERVICE_TOKEN" > leaked.txt
  said="$SERVICE_TOKEN $MODEL_KEY"
fi
if [ "$1" = ask ]; then
  printf '<<<NEED_HELP>>>\\nwhat_i_tried: looked\\nwhat_i_need: a word\\n<<<END_HELP>>>\\n'
  exec sleep 600
fi
printf 'whole\\n' > done.txt
printf '{"status":"implemented","summary":"Made it whole %s"}' "$said" > "$AUTOBUILD_REPORT"
`;

const runner = new ActionRunner();
let origin: TemporaryWorktree;
let head: string;
let entries: Record<string, Uint8Array>;
let url: string;

/** As much of GitHub as a build reads: the ref of the issue, and its blobs. */
const server = createServer((request, response) => {
  const answer = (status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const [, blob] = /\/git\/blobs\/(\w+)$/.exec(request.url ?? '') ?? [];
  if (request.headers.authorization !== 'token read-only') return answer(401, { message: 'Bad credentials' });
  if (blob) {
    const content = Buffer.from(entries[blob] ?? '').toString('base64');
    return answer(200, { sha: blob, encoding: 'base64', content });
  }
  if (!request.url?.endsWith('/graphql')) return answer(404, { message: 'Not Found' });
  const tree = { oid: 't', entries: Object.keys(entries).map((name) => ({ name, oid: name })) };
  const own = { target: { oid: 'c', message: '{}', tree, file: null } };
  return answer(200, { data: { repository: { id: 'R_1', own, branch: null } } });
});

beforeAll(async () => {
  await runner.bundle();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 60_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  runner.close();
});
beforeEach(() => open('[sh, agent.sh]'));

function open(command: string): void {
  origin = makeWorktree({
    'agent.sh': AGENT,
    '.github/autobuild.yml': `agents:\n  scripted:\n    command: ${command}\nverify: [test -f done.txt]\nisolation: best\n`,
  });
  head = git(origin.worktree, 'rev-parse', 'HEAD').trim();
  entries = {};
  hold();
}

/** The desk leaves a brief for the next build. */
function hold(parts: Partial<HeldBrief> = {}): void {
  const { state } = new Run({ agents: ['scripted'], checks: ['test -f done.txt'], freshVerification: true });
  const held: HeldBrief = {
    operation: 'op-1',
    brief: briefFor(state),
    place: { owner: 'acme', repo: 'web', issue: 7, head_sha: head, default_branch: 'main' },
    state,
    version: 1,
    inputs: {},
    keys: KEYS,
    ...parts,
  };
  const key = deriveBriefKey({ modelKey: MODEL_KEY, repository: REPOSITORY });
  const entry = createSealedEntry({ repository: REPOSITORY, issue: 7, entry: 'brief' }, { key });
  entries.brief = entry.seal(Buffer.from(JSON.stringify(held)));
}

function build(env: Record<string, string> = {}): Promise<Ended> {
  return runner.run({
    origin: origin.worktree,
    env: {
      INPUT_PART: 'build',
      INPUT_ISSUE: '7',
      INPUT_OPERATION: 'op-1',
      INPUT_VARIABLE: 'MODEL_KEY',
      GITHUB_API_URL: url,
      GITHUB_REPOSITORY: REPOSITORY.name,
      GITHUB_REPOSITORY_ID: String(REPOSITORY.id),
      GITHUB_TOKEN: 'read-only',
      AUTOBUILD_MODEL_KEY: MODEL_KEY,
      AUTOBUILD_ENV: `# for the agent\nSERVICE_TOKEN=${GIVEN}\nnonsense\nPATH=/evil`,
      ...env,
    },
  });
}

const temporaryOf = ({ worktree }: Ended) => join(dirname(dirname(worktree)), 'temp');
const workOf = (ended: Ended) => join(temporaryOf(ended), 'autobuild-work');
const read = (ended: Ended, job = 1) =>
  readArtifact({
    directory: workOf(ended),
    run: 'r1',
    job,
    sealer: createSealer(KEYS.work),
    began: new Date(0),
    now: new Date(Date.now() + 60_000),
  });

async function verify(files: (temp: string) => void, env: Record<string, string> = {}): Promise<Ended> {
  return runner.run({
    origin: origin.worktree,
    prepare: files,
    env: {
      INPUT_PART: 'verify',
      INPUT_ISSUE: '7',
      INPUT_HEAD_SHA: head,
      INPUT_BASE_SHA: head,
      INPUT_CHECKS: '["test -f done.txt"]',
      ...env,
    },
  });
}

test('N-1: a build without a server works from its brief, and leaves claims and work; a fresh job verifies it', async () => {
  const built = await build();
  expect(built.out).not.toContain('Autobuild itself failed');
  expect(built.code).toBe(0);
  expect(built.outputs).toMatchObject({ status: 'parked', run: 'r1', complete: 'true' });
  const { entries: left, isLastWordThere, skipped } = read(built);
  expect(left.map((entry) => (entry.type === 'claim' ? entry.envelope.type : entry.name))).toEqual([
    'job_started',
    'baseline_recorded',
    'turn_started',
    'changeset',
    'turn_ended',
    'checkpoint',
    'parked',
  ]);
  expect([isLastWordThere, skipped]).toEqual([true, {}]);
  // What the agent has: the key under its name, and what people gave; not what opens the state, nor a token of GitHub.
  const names = readFileSync(join(built.worktree, 'names.txt'), 'utf8').split('\n');
  expect(names).toEqual(expect.arrayContaining(['MODEL_KEY', 'SERVICE_TOKEN']));
  for (const name of ['AUTOBUILD_ENV', 'AUTOBUILD_MODEL_KEY', 'AUTOBUILD_KEY', 'GITHUB_TOKEN', 'evil'])
    expect(names).not.toContain(name);
  expect(built.out).toMatch(/AUTOBUILD_ENV: line 3 is not KEY=value\.[\s\S]*AUTOBUILD_ENV: line 4 sets PATH/);

  const changeset = readChangesetFile(workOf(built)) ?? expect.fail('no changeset');
  const verified = await verify((temp) => {
    mkdirSync(join(temp, 'autobuild-work'));
    writeFileSync(join(temp, 'autobuild-work', 'changeset.json'), changeset);
  });
  expect(verified.code).toBe(0);
  expect(verified.outputs.status).toBe('verified');
  expect(readResult(verified.outputs.result ?? '')).toMatchObject({
    changeset: digestOf(changeset),
    verification: { ok: true, checks: [{ command: 'test -f done.txt', ok: true }] },
  });

  // From the desk, as an output that the workflow writes into a file.
  const again = await verify((temp) =>
    writeFileSync(join(temp, 'autobuild-changeset'), `${packOutput(changeset)}\n`),
  );
  expect(readResult(again.outputs.result ?? '')).toMatchObject({ changeset: digestOf(changeset) });
  const nothing = await verify(() => undefined);
  expect(nothing.outputs.status).toBe('not_verified');
  expect(readResult(nothing.outputs.result ?? '')).toMatchObject({
    changeset: null,
    verification: { ok: false },
  });
}, 60_000);

test('N-3: a question ends the build at once, and nothing is there to verify', async () => {
  open('[sh, agent.sh, ask]');
  const built = await build();
  expect(built.code).toBe(0);
  expect(built.outputs).toMatchObject({ status: 'parked', complete: 'false' });
  const types = read(built).entries.map((entry) =>
    entry.type === 'claim' ? entry.envelope.type : entry.name,
  );
  expect(types.slice(-5)).toEqual(['tripped', 'agent_frozen', 'changeset', 'checkpoint', 'parked']);
  expect(existsSync(join(workOf(built), 'changeset.json'))).toBe(false);
  // B-6: what is uploaded is a copy that is out of the agent's worktree.
  const report = readFileSync(join(temporaryOf(built), 'autobuild-report/blocked_report.json'), 'utf8');
  expect(JSON.parse(report)).toMatchObject({ measured_by: 'autobuild' });
}, 60_000);

test('N-3: a value of the job that no question named is in no claim, in no check, and in no work that is shown', async () => {
  open('[sh, agent.sh, leak]');
  const checks = ['test -f done.txt', 'test -z "$SERVICE_TOKEN$MODEL_KEY"'];
  const { state } = new Run({ agents: ['scripted'], checks, freshVerification: true });
  hold({ brief: briefFor(state), state });
  const built = await build();
  expect(built.outputs).toMatchObject({ status: 'parked', complete: 'true' });
  const files = readdirSync(workOf(built), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.length).toBeGreaterThan(2);
  for (const { parentPath, name } of files)
    for (const text of [GIVEN, Buffer.from(GIVEN).toString('base64'), 'Made it whole'])
      expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain(text);
  const shown = JSON.parse(Buffer.from(readChangesetFile(workOf(built)) ?? []).toString('utf8'));
  expect(shown.files.map(({ path }: { path: string }) => path)).toEqual(['done.txt', 'names.txt']);
  expect(shown.left_out).toEqual([{ path: 'leaked.txt', problem: 'it contains a secret of the job' }]);
  const { entries: left, isLastWordThere } = read(built);
  expect(isLastWordThere).toBe(true);
  const claims = JSON.stringify(left.filter(({ type }) => type === 'claim'));
  expect(claims).toContain('Made it whole ••• •••');
  for (const value of [GIVEN, MODEL_KEY]) expect(claims).not.toContain(value);
}, 60_000);

test('N-3: a short, common value is looked for in files if a question asked for it as a secret', async () => {
  open('[sh, agent.sh, leak]');
  const env = { AUTOBUILD_ENV: 'SERVICE_TOKEN=sesame\n' };
  const run = startRun({ agents: ['scripted'], checks: ['test -f done.txt'], freshVerification: true });
  run
    .beginTurn()
    .askForHelp([{ key: 'service-token', label: 'Token', secret: true }])
    .park();
  run.say('/guide It is in AUTOBUILD_ENV');
  const job = run.state.jobs + 1;
  hold({ brief: { ...briefFor(run.state), job }, state: run.state });
  const built = await build(env);
  const [saved] = read(built, job).entries.flatMap((entry) =>
    entry.type === 'blob' && entry.name === 'changeset' ? [entry.bytes] : [],
  );
  expect(JSON.parse(Buffer.from(saved ?? []).toString('utf8')).left_out).toEqual([
    { path: 'leaked.txt', problem: 'it contains a secret of the job' },
  ]);
}, 60_000);

test('N-4: a line that the job does not take is told in the question that comes back, without its value', async () => {
  open('[sh, agent.sh, leak]');
  const run = startRun({ agents: ['scripted'], checks: ['test -f done.txt'], freshVerification: true });
  run
    .beginTurn()
    .askForHelp([{ key: 'npm_token', label: 'Token', secret: true }])
    .park();
  run.feed({
    type: 'command',
    at: run.now(),
    command: { name: 'continue', new_approach: false },
    by: 'rosa',
    via: 'comment',
    escalation: 'e1',
    // As records have it from before such names were replaced.
    actions_secrets: { npm_token: { name: 'NPM_TOKEN', found: 'unknown', shared: 'AUTOBUILD_ENV' } },
  });
  const job = run.state.jobs + 1;
  hold({ brief: { ...briefFor(run.state), job }, state: run.state });
  const built = await build({ AUTOBUILD_ENV: 'NPM_TOKEN=npm_abcdefghij\n' });
  const claims = JSON.stringify(read(built, job).entries.filter(({ type }) => type === 'claim'));
  expect(claims).toContain('add the line `AGENT_NPM_TOKEN=…` to its value, then tick');
  expect(claims).toContain('line 1 sets NPM_TOKEN, which is not for agents: name it AGENT_NPM_TOKEN');
  expect(claims).not.toContain('npm_abcdefghij');
}, 60_000);

test('N-1: a build that is not meant any more does nothing, and one without a key says what is missing', async () => {
  const late = await build({ INPUT_OPERATION: 'op-2' });
  expect([late.code, late.outputs]).toEqual([0, { status: 'replaced' }]);
  expect(late.out).toContain('not needed any more');
  expect(existsSync(workOf(late))).toBe(false);
  const keyless = await build({ AUTOBUILD_MODEL_KEY: '' });
  expect(keyless.code).toBe(1);
  expect(keyless.out).toContain('pass it to the workflow as `model_key`');
  const other = await build({ AUTOBUILD_MODEL_KEY: 'another' });
  expect(other.code).toBe(1);
  expect(other.out).toContain("Most likely the model's key was changed since the desk wrote it.");
  expect(other.out).not.toContain(MODEL_KEY);
}, 60_000);

test.each<[string, () => Uint8Array]>([
  ['of another key', () => sealCheckpoint(OTHER_KEY ?? '')],
  ['cut off', () => sealCheckpoint(KEYS.checkpoint).subarray(0, 40)],
  ['no checkpoint', () => sealCheckpoint(KEYS.checkpoint)],
])(
  'N-3: a checkpoint that cannot be read (%s) counts as none: the build works from the task and the files, and says so',
  async (_, made) => {
    const files = [{ path: 'before.txt', mode: '100644', status: 'added', content: btoa('before\n') }];
    hold({ changeset: btoa(JSON.stringify({ base_sha: head, files, left_out: [] })) });
    entries.checkpoint = made();
    const built = await build();
    expect([built.code, built.outputs.complete]).toEqual([0, 'true']);
    expect(built.out).toMatch(
      /^::warning title=Autobuild::.*(?:starts a new conversation, from the task and the work so far|checkpoint)/m,
    );
    expect(readFileSync(join(built.worktree, 'before.txt'), 'utf8')).toBe('before\n');
  },
  60_000,
);

function sealCheckpoint(key: string): Uint8Array {
  const entry = createSealedEntry({ repository: REPOSITORY, issue: 7, entry: 'checkpoint' }, { key });
  return entry.seal(Buffer.from('not a checkpoint'));
}
