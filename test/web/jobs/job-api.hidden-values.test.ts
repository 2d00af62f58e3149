import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createJobLink } from '../../../src/action/job-link.ts';
import { createHttpLink } from '../../../src/link/http.ts';
import { PASSING, startRun, tests, USAGE } from '../../core/run-builder.ts';
import { openTestDesk, TARGET, type TestDesk } from '../desk.ts';

const SECRET = 'pa*ss<w0rd>[1]&q';
const PLAIN = 'light blue';
const ASKED = { key: 'postgres_password', label: 'Password', secret: true };

let desk: TestDesk;
beforeEach(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.close());

async function claim(kind: 'build' | 'verify'): Promise<string> {
  const json = { ticket: await desk.ticket({ kind }), actions_run_id: 900, attempt: 1 };
  desk.attempts[900] = 1;
  const answer = await post('/claim', json);
  return ((await answer.json()) as { token: string }).token;
}

const post = (path: string, json: unknown, token?: string) =>
  fetch(`${desk.url}/api/jobs${path}`, {
    method: 'POST',
    headers: token ? { authorization: `Bearer ${token}` } : {},
    body: JSON.stringify(json),
  });

/** A run that was given a secret, then another one for the same key, and goes on. */
async function givenRun(secret = SECRET) {
  const run = startRun().beginTurn();
  run.askForHelp([
    { key: 'key', label: 'Key', secret: true },
    { key: 'colour', label: 'Colour' },
  ]);
  const give = async (key: string, value: string) => {
    const inputs = { [key]: { ref: await desk.store.vault.put('r1', key, value), length: value.length } };
    const command = { name: 'provide' as const, inputs };
    run.feed({ type: 'command', at: run.now(), command, by: 'rosa', via: 'form' });
  };
  await give('key', secret);
  await give('key', `new-${secret}`);
  await give('colour', PLAIN);
  return run;
}

test('R-11: what a job says is freed of values before it is kept, also of a hostile job, and stays so when they are forgotten', async () => {
  const run = await givenRun();
  await desk.seed(run);
  const encoded = Buffer.from(SECRET).toString('base64');
  const said = `used ${SECRET} as ${encoded} and ${PLAIN}, then ${SECRET.slice(0, 12)}`;
  const kept = run.commits.length;
  run.endTurn({ report: { status: 'partial', summary: said } });
  const { input } = run.commits[kept] ?? expect.fail('no claim');
  const token = await claim('build');
  const { envelope } = input as Extract<typeof input, { type: 'claim' }>;
  expect((await post('/report', envelope, token)).status).toBe(200);
  const odd = { ...envelope, seq: envelope.seq + 1, type: `sang ${SECRET}`, data: { [SECRET]: SECRET } };
  expect((await post('/report', odd, token)).status).toBe(200);

  const journal = JSON.stringify(await desk.store.runs.events('r1'));
  for (const form of [SECRET, SECRET.slice(0, 12), encoded]) expect(journal).not.toContain(form);
  await desk.store.vault.forget('r1');
  const { state } = await desk.store.runs.load('r1');
  expect(state?.turns.at(-1)?.title).toBe(`used ••• as ••• and ${PLAIN}, then •••`);
  expect(JSON.stringify(state)).not.toContain(SECRET);
});

test('R-11: what the fresh job found is freed of values as well', async () => {
  const run = await givenRun();
  await desk.seed(run);
  const verification = tests(1, 2);
  const [check = expect.fail('no check')] = verification.checks;
  check.output_tail = `Error: ${SECRET} is refused`;
  const again = tests(1, 2, { failing: [`takes ${SECRET}`] });
  const with_base = { verification: again, paths: [`test/${SECRET}.ts`], files: 1 };
  const result = { verification, changeset: null, with_base };
  expect((await post('/verification', result, await claim('verify'))).status).toBe(200);
  const journal = JSON.stringify(await desk.store.runs.events('r1'));
  expect(journal).toContain('Error: ••• is refused');
  expect(journal).toContain('takes •••');
  expect(journal).toContain('test/•••.ts');
  expect(journal).not.toContain(SECRET);
});

test('P-1: a job asks again for a secret whose value is a part of its key, and the question is asked', async () => {
  const run = startRun().beginTurn().askForHelp([ASKED]);
  await desk.seed(run);
  const seeded = run.commits.length;
  const link = createHttpLink({
    baseUrl: desk.url,
    ticket: await desk.ticket(),
    actionsRun: 900,
    attempt: 1,
    now: () => new Date(),
  });
  // An open link asks for orders on and on, also while the files after this one are tested.
  onTestFinished(async () => (await link).close());
  desk.attempts[900] = 1;
  const ref = await desk.store.vault.put('r1', ASKED.key, 'postgres');
  const command = { name: 'provide' as const, inputs: { [ASKED.key]: { ref, length: 8 } } };
  run.feed({ type: 'command', at: run.now(), command, by: 'rosa', via: 'form' });
  for (const commit of run.commits.slice(seeded)) {
    const { version } = await desk.store.runs.load('r1');
    await desk.store.runs.commit('r1', version, commit);
  }
  const job = createJobLink(await link, {
    log: { group: () => undefined, print: () => undefined, mask: () => undefined },
    history: { turns: [] },
    env: {},
    limits: run.state.limits,
    onAgent: () => undefined,
    saveChanges: async () => undefined,
    saveCheckpoint: async () => undefined,
    saveReport: async () => undefined,
  });
  expect((await job.orders()).do).toBe('work');
  expect(await job.openInputs([ref])).toEqual({ [ASKED.key]: 'postgres' });
  const help = { what_i_tried: 'postgres is refused', what_i_need: 'the right one', inputs: [ASKED] };
  run.take().observe({ type: 'help_requested', turn: 1, help });
  const envelope = run.envelope('tripped', { usage: USAGE, measured: run.meter.measured() });
  expect((await job.report(envelope)).do).toBe('wait');
  const { state } = await desk.store.runs.load('r1');
  expect(state).toMatchObject({ pending: 'e2', escalations: [{}, { inputs: [ASKED] }] });
  expect(state?.escalations[1]?.what_i_tried).toBe('••• is refused');
});

test('R-11: a file that is named after a secret is told without it, when it is refused and when it is found', async () => {
  const key = 'p4ss-of-the-shop';
  const run = await givenRun(key);
  await desk.seed(run);
  const token = await claim('build');
  const putFile = (path: string) =>
    fetch(`${desk.url}/api/jobs/blobs/changeset`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        base_sha: TARGET.head_sha,
        files: [{ path, mode: '100644', status: 'added', content: '' }],
        left_out: [],
      }),
    });
  const refused = await putFile(`../${key}`);
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('../•••')]);
  expect((await putFile(`dumps/${key}.txt`)).status).toBe(200);
  run.endTurn({ report: { status: 'implemented', summary: 'All done' }, verification: PASSING });
  const { input } = run.commits.at(-1) ?? expect.fail('no claim');
  const { envelope } = input as Extract<typeof input, { type: 'claim' }>;
  expect((await post('/report', envelope, token)).status).toBe(200);
  const journal = JSON.stringify(await desk.store.runs.events('r1'));
  expect(journal).toContain('dumps/•••.txt: the value of key');
  expect(journal).not.toContain(key);
  expect(desk.logged()).not.toContain(key);
});
