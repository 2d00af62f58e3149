import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestOf } from '../../src/claims/digest-of.ts';
import { PASSING, type Run, startRun } from '../core/run-builder.ts';
import { openTestDesk, TARGET, type TestDesk } from '../web/desk.ts';

const CI = '.github/workflows/ci.yml';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (path: string, more: object = {}) => ({
  path,
  mode: '100644',
  status: 'added',
  content: base64('text\n'),
  ...more,
});

let desk: TestDesk;
let run: Run;
let token: string;
beforeEach(async () => {
  desk = await openTestDesk();
  run = startRun({ freshVerification: true }).beginTurn();
  await desk.seed(run);
  const claimed = await call('POST', '/claim', {
    ticket: await desk.ticket(),
    actions_run_id: 900,
    attempt: 1,
  });
  token = String(claimed.json.token);
});
afterEach(() => desk.close());

async function call(method: string, path: string, json: unknown) {
  const response = await fetch(`${desk.url}/api/jobs${path}`, {
    method,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: JSON.stringify(json),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const put = (files: object[], base_sha = TARGET.head_sha) =>
  call('PUT', '/blobs/changeset', { base_sha, files, left_out: [] });

const replies = async () =>
  (await desk.store.runs.events('r1')).flatMap(({ commit }) =>
    commit.effects.flatMap((effect) => (effect.type === 'reply' ? [effect.reply] : [])),
  );

/** As the job does when the agent says that it is done and the checks pass. */
async function claimCompletion(): Promise<void> {
  run.endTurn({ report: { status: 'implemented', summary: 'All done' }, verification: PASSING });
  const { input } = run.commits.at(-1) ?? {};
  if (input?.type !== 'claim') throw new Error('the last input is no claim');
  expect((await call('POST', '/report', input.envelope)).status).toBe(200);
}

const stored = async () => {
  const { state } = await desk.store.runs.load('r1');
  if (!state) throw new Error('there is no run');
  return state;
};

test.each([
  ['a link', [file('latest', { mode: '120000' })], undefined, 'files.0.mode'],
  ['another base', [file('a')], 'b'.repeat(40), 'the run builds on'],
  ['a path outside', [file('../a')], undefined, '"../a"'],
])('S-12: %s is refused with the reason, and people are told once', async (_, files, base, reason) => {
  for (let time = 0; time < 3; time += 1) {
    const answer = await put(files, base);
    expect(answer).toEqual({ status: 422, json: { error: expect.stringContaining(reason) } });
  }
  expect(await desk.store.blobs.get('r1', 'changeset')).toBeUndefined();
  expect(desk.logged()).toContain('changeset refused');
  expect(await replies()).toEqual([
    {
      tone: 'refused',
      title: 'The job sent work that cannot be committed, so it was rejected.',
      detail: expect.stringContaining(reason),
    },
  ]);
});

test('what a person can approve is taken, and asked about when the work is complete', async () => {
  expect((await put([file('src/a.ts'), file(CI)])).status).toBe(200);
  await claimCompletion();
  const state = await stored();
  expect(state).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
  expect(state.escalations[0]?.triggers[0]?.evidence.proposed).toMatchObject([
    { path: CI, why: 'workflow', held: false, finished: true },
  ]);
});

test('K-10: a job that talks of changed files and hands in none is asked about', async () => {
  await claimCompletion();
  const state = await stored();
  expect(state.turns[0]?.changes.paths).not.toEqual([]);
  expect(state).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
  expect(state.escalations[0]?.triggers).toMatchObject([{ evidence: { missing_work: 1 } }]);
});

test('complete work is verified under the digest it was claimed with', async () => {
  expect((await put([file('src/a.ts')])).status).toBe(200);
  const bytes = await desk.store.blobs.get('r1', 'changeset');
  await claimCompletion();
  expect(await stored()).toMatchObject({ verifying: 1, changeset: digestOf(bytes ?? new Uint8Array()) });
});

test('S-13: complete work with a secret in it goes back to the agent', async () => {
  const seeded = run.commits.length;
  run.askForHelp([{ key: 'api_key', label: 'A key', secret: true }]);
  const ref = await desk.store.vault.put('r1', 'api_key', 'S3CRETvalue99');
  const inputs = { api_key: { ref, length: 13 } };
  const at = run.now();
  run.feed({ type: 'command', at, command: { name: 'provide', inputs }, by: 'rosa', via: 'form' });
  run.take();
  const before = (await desk.store.runs.load('r1')).version;
  for (const [index, commit] of run.commits.slice(seeded).entries())
    await desk.store.runs.commit('r1', before + index, commit);
  expect((await put([file('src/a.ts', { content: base64('const key = "S3CRETvalue99"') })])).status).toBe(
    200,
  );
  await claimCompletion();
  const state = await stored();
  expect(state.verifying).toBeUndefined();
  expect(state.answers.at(-1)?.instruction).toContain('- src/a.ts: the value of api_key');
  expect(JSON.stringify(await desk.store.runs.events('r1'))).not.toContain('S3CRET');
});
