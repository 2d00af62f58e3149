import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun, putChangeset } from '../published-run.ts';

const SECRET = 'correct-horse-battery-9';

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

const isTree = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/trees');
const trees = () => desk.exchanges.filter(({ call }) => isTree(call)).length;
/** What was written, whenever: what is corrected a moment later was read by somebody. */
const written = (text: string) =>
  desk.exchanges.filter(({ call }) => call.method !== 'GET' && JSON.stringify(call.body ?? '').includes(text))
    .length;

function failTrees(status: number, message: string): void {
  desk.interfere((call) => (isTree(call) ? refuse(status, message) : undefined));
}

async function accept(issue: number): Promise<void> {
  await desk.olivia.comment(issue, '/accept');
  await desk.settle();
}

async function comment(issue: number, kind: 'status' | 'receipt'): Promise<string | undefined> {
  const all = await desk.olivia.comments(issue);
  return all.findLast(({ body }) => body.includes(`autobuild:${kind} `))?.body;
}

async function replies(issue: number): Promise<string[]> {
  const all = await desk.olivia.comments(issue);
  return all.map(({ body }) => body).filter((body) => body.includes('cannot be committed'));
}

test('R-10: while GitHub fails nobody is told to review what is not there; the first success says it', async () => {
  const work = await publishRun(desk);
  await putChangeset(desk, 'two\n');
  failTrees(502, 'Server Error');
  await accept(work.issue);
  for (let minute = 0; minute < 3; minute += 1) {
    expect(await comment(work.issue, 'status')).toContain('✗ Not published: GitHub has not accepted');
    expect(await desk.olivia.labels(work.issue)).toEqual(['autobuild', 'autobuild:stopped']);
    expect(await work.check()).toMatchObject({ conclusion: 'action_required' });
    desk.clock.ms += 60_000;
    await desk.settle();
  }
  expect(trees()).toBeGreaterThan(3);
  expect(written('ready for your review')).toBe(0);
  expect(await replies(work.issue)).toEqual([]);

  desk.interfere(() => undefined);
  desk.clock.ms += 600_000;
  await desk.settle();
  for (const kind of ['status', 'receipt'] as const)
    expect(await comment(work.issue, kind)).toContain('is ready for your review');
  expect(await desk.olivia.labels(work.issue)).toEqual(['autobuild', 'autobuild:done']);
  expect((await work.pull()).draft).toBe(false);
});

test('R-9: work that GitHub did not take is not published once a newer run builds the issue', async () => {
  const work = await publishRun(desk);
  const head = await work.head();
  await putChangeset(desk, 'two\n');
  failTrees(502, 'Server Error');
  await accept(work.issue);
  await desk.olivia.unlabel(work.issue, 'autobuild');
  await desk.settle();
  await desk.olivia.label(work.issue, 'autobuild');
  await desk.settle();
  await desk.olivia.comment(work.issue, '/cancel');
  await desk.settle();
  desk.interfere(() => undefined);
  desk.clock.ms += 600_000;
  await desk.settle();
  expect(await work.head()).toBe(head);
  expect((await work.pull()).draft).toBe(true);
  const told = (await desk.olivia.comments(work.issue)).filter(({ body }) => body.includes('run=r1 '));
  for (const kind of ['status', 'receipt'])
    expect(told.findLast(({ body }) => body.includes(`autobuild:${kind} `))?.body).toContain(
      '✗ Not published: a newer run of this issue replaced it',
    );
  expect(await comment(work.issue, 'status')).toContain('Cancelled by olivia');
});

test('R-10: accepted work that never arrived is not called unchanged', async () => {
  const { issue } = await desk.seed(
    startRun({ startMs: Date.now() - 3_600_000 })
      .turn()
      .beginTurn()
      .askForHelp(),
  );
  expect((await desk.state()).changes.paths).not.toEqual([]);
  await accept(issue);
  expect(await comment(issue, 'status')).toContain('✗ Not published: the work is missing or cannot be read');
});

test('R-10: where GitHub takes the work at once, nothing else is said on the way', async () => {
  const work = await publishRun(desk);
  await putChangeset(desk, 'two\n');
  await accept(work.issue);
  expect(await comment(work.issue, 'status')).toContain('is ready for your review');
  expect(written('Not published')).toBe(0);
  expect(written('autobuild:stopped')).toBe(0);
  expect(written('but not published')).toBe(0);
});

test('R-10: what GitHub does not take at all is said in its words, without secrets, and with what to do', async () => {
  const run = startRun({ startMs: Date.now() - 3_600_000 }).beginTurn();
  run.askForHelp([{ key: 'api_key', label: 'A key', secret: true }]);
  const { issue } = await desk.seed(run);
  const ref = await desk.store.vault.put('r1', 'api_key', SECRET);
  const command = { name: 'provide' as const, inputs: { api_key: { ref, length: SECRET.length } } };
  run.feed({ type: 'command', at: run.now(), command, by: 'olivia', via: 'form' });
  await desk.seed(run.beginTurn());
  await putChangeset(desk, 'two\n');
  failTrees(422, `Rule\u001b[31m violations\nfound: ${SECRET}`);
  await accept(issue);
  desk.clock.ms += 7_200_000;
  await desk.settle();
  expect(trees()).toBe(1);
  const said = await replies(issue);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('The work cannot be committed: GitHub rejected it.');
  const shown = [said[0], await comment(issue, 'status'), await comment(issue, 'receipt')];
  for (const text of shown) {
    expect(text).toContain('GitHub says: Rule violations found: ');
    expect(text).toContain('Remove and re-add the label');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('docs.github.com');
  }
  // Shown again when the values are forgotten.
  expect(JSON.stringify(await desk.store.publications.of('r1'))).not.toContain(SECRET);
  expect(shown[1]).toContain('✗ Not published: GitHub rejected the work');
});

test('R-10: what fails for hours is given up, and said likewise', async () => {
  const work = await publishRun(desk);
  await putChangeset(desk, 'two\n');
  failTrees(502, 'Server Error');
  await accept(work.issue);
  for (let time = 0; time < 20; time += 1) {
    desk.clock.ms += 600_000;
    await desk.settle();
  }
  expect(await replies(work.issue)).toHaveLength(1);
  for (const kind of ['status', 'receipt'] as const) {
    expect(await comment(work.issue, kind)).toContain('GitHub says: Server Error.');
    expect(await comment(work.issue, kind)).not.toContain('tried again');
  }
});
