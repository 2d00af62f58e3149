import { afterEach, beforeEach, expect, test } from 'vitest';
import { handleInput } from '../../../src/app/handle-input.ts';
import type { GitHub } from '../../../src/core/ports/github-port.ts';
import { type Call, refuse } from '../../../src/sandbox/github/gap.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { publishRun, putChangeset } from '../published-run.ts';

let desk: AppDesk;
beforeEach(async () => {
  desk = await openAppDesk();
});
afterEach(() => desk.close());

/** Calls by which people would see the work. */
function published(): string[] {
  return desk.exchanges
    .filter(({ call: { method, path } }) => method !== 'GET' && /\/git\/refs|\/pulls|\/check-runs/.test(path))
    .map(({ call }) => `${call.method} ${call.path}`);
}

async function bodies(issue: number): Promise<string[]> {
  return (await desk.olivia.comments(issue)).map(({ body }) => body);
}

async function cancel(): Promise<void> {
  const at = desk.deps.now().toISOString();
  const command = { name: 'cancel' as const };
  await handleInput(desk.deps, 'r1', { type: 'command', at, command, by: 'olivia', via: 'comment' }, []);
}

/** A person cancels while this call of the App's is on its way. */
function cancelDuring(change: (real: GitHub) => Partial<GitHub>): void {
  const { github } = desk.deps;
  desk.deps.github = async (repository) => {
    const real = await github(repository);
    return { ...real, ...change(real) };
  };
}

test.each(['/cancel', '/terminate'])('R-9: %s drops a publish that is queued', async (command) => {
  await putChangeset(desk, 'one\n');
  const run = askingRun(['colour']).park();
  run.say(command);
  const { issue } = await desk.seed(run);
  expect(published()).toEqual([]);
  expect(await desk.olivia.pullRequests()).toEqual([]);
  expect((await bodies(issue)).join()).toContain('autobuild:status ');
});

test.each([
  { what: '/cancel', act: (issue: number) => desk.olivia.comment(issue, '/cancel') },
  { what: 'the label removed', act: (issue: number) => desk.olivia.unlabel(issue, 'autobuild') },
  { what: 'the issue closed', act: (issue: number) => desk.olivia.closeIssue(issue) },
])('R-9: $what while GitHub rejected the work: it is not tried again', async ({ act }) => {
  const isTree = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/trees');
  desk.interfere((call) => (isTree(call) ? refuse(502, 'Server Error') : undefined));
  await putChangeset(desk, 'one\n');
  const { issue } = await desk.seed(askingRun(['colour']).park());
  await act(issue);
  await desk.settle();
  expect((await desk.state()).status).toBe('cancelled');
  desk.interfere(() => undefined);
  desk.clock.ms += 3_600_000;
  await desk.settle();
  expect(published()).toEqual([]);
  expect((await bodies(issue)).join()).toContain('ancelled by olivia');
});

test('R-9: a cancel between the commit and the branch moves no branch', async () => {
  cancelDuring((real) => ({
    commit: (options) =>
      real.commit({
        ...options,
        async onCreated(sha) {
          await cancel();
          await options.onCreated?.(sha);
        },
      }),
  }));
  await putChangeset(desk, 'one\n');
  await desk.seed(askingRun(['colour']).park());
  expect(desk.exchanges.some(({ call }) => call.path.endsWith('/git/commits'))).toBe(true);
  expect(published()).toEqual([]);
  expect((await desk.state()).status).toBe('cancelled');
});

test('R-9, G-11: a cancel between the branch and the pull request opens none; the branch is kept', async () => {
  cancelDuring((real) => ({
    async commit(options) {
      const made = await real.commit(options);
      await cancel();
      return made;
    },
  }));
  await putChangeset(desk, 'one\n');
  const { issue } = await desk.seed(askingRun(['colour']).park());
  expect(await desk.olivia.pullRequests()).toEqual([]);
  expect(await desk.olivia.file('src/login.ts', `autobuild/issue-${issue}`)).toBe('one\n');
});

test('R-9: a question and a review that nobody has seen are not shown after the cancel', async () => {
  const run = askingRun(['colour']);
  run.say('/review');
  run.say('/cancel');
  const { issue } = await desk.seed(run);
  const said = (await bodies(issue)).join();
  expect(said).toContain('autobuild:status ');
  expect(said).not.toMatch(/autobuild:(escalation|question|reply) /);
});

test('R-9: a question that GitHub refused is not shown after the cancel, although it was tried', async () => {
  await desk.deps.store.comments.save('r1.e1', { run: 'r1' });
  const run = askingRun(['colour']);
  run.say('/cancel');
  const { issue } = await desk.seed(run);
  expect((await bodies(issue)).join()).not.toContain('autobuild:escalation ');
});

test('R-9: a question that was seen is closed by the cancel', async () => {
  const { issue } = await desk.seed(askingRun(['colour']));
  const open = (await bodies(issue)).find((body) => body.includes('autobuild:escalation '));
  expect(open).toBeDefined();
  await desk.olivia.comment(issue, '/cancel');
  await desk.settle();
  expect(await bodies(issue)).not.toContain(open);
});

test('G-7: /accept while a publish is queued brings the work to a pull request', async () => {
  const run = askingRun(['colour']).park();
  run.say('/accept');
  const work = await publishRun(desk, { run });
  expect(await work.pull()).toMatchObject({ state: 'open', draft: false });
});
