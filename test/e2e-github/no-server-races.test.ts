import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Call } from '../../src/sandbox/github/gap.ts';
import { openScene, type Scene, SECRETS, type Story } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const STATE = /\/git\/refs?\/|\/graphql$/;

let scene: Scene;
const secrets: Record<string, string> = { ...SECRETS };
let look: (call: Call) => void = () => undefined;
let change: (folder: string) => void = () => undefined;
beforeAll(async () => {
  scene = await openScene({
    desk: 'Actions',
    secrets,
    onArtifact(_, name, folder) {
      if (name === 'autobuild-work') change(folder);
    },
    interfere(call) {
      look(call);
      return undefined;
    },
  });
});
afterAll(() => scene?.close());
beforeEach(() => {
  look = () => undefined;
  change = () => undefined;
  Object.assign(secrets, SECRETS);
});

const reactionsTo = ({ id }: { id: number }) =>
  scene.sandbox.github.reactions.of(id).map(({ content }) => content);
const countOf = async (story: Story, text: string) =>
  (await story.comments()).filter(
    ({ body, user }) => user.login === 'github-actions[bot]' && body.includes(text),
  ).length;

/** A run that waits for its value, and no job of it runs. */
async function waiting(): Promise<Story> {
  const story = await scene.begin('keeps-asking');
  await story.question();
  await story.parked();
  return story;
}

async function stop(story: Story): Promise<void> {
  await scene.olivia.comment(story.issue, '/cancel');
  await story.reached('stopped');
  await story.parked();
}

/** Every comment of ours has an operation of its own. Two with the same one are a comment that was doubled. */
async function expectNoneTwice(story: Story): Promise<void> {
  const ops = (await story.comments()).flatMap(({ body }) => / op=(\S+)/.exec(body)?.[1] ?? []);
  expect(new Set(ops).size).toBe(ops.length);
}

test('N-2: four comments at once: each is answered, once', async () => {
  const story = await waiting();
  const { olivia } = scene;
  const walter = scene.sandbox.person('walter');
  const said = await Promise.all([
    olivia.comment(story.issue, '/status'),
    walter.comment(story.issue, '/help'),
    olivia.comment(story.issue, '/guide Be quick'),
    walter.comment(story.issue, '/provied colour=blue'),
  ]);
  await until('all are answered', () => said.every((comment) => reactionsTo(comment).length > 0));
  await story.parked();
  expect(await countOf(story, 'Waiting for you: 1 value needed\n')).toBeLessThan(2);
  expect(await countOf(story, 'What you can do now')).toBe(1);
  expect(await countOf(story, 'Nothing changed')).toBe(1);
  await expectNoneTwice(story);
  await stop(story);
});

test('N-2: 20 comments while a desk is queued: GitHub drops the runs of most, and no comment is lost or doubled', async () => {
  const story = await waiting();
  const { runner, github } = scene.sandbox;
  const before = github.workflows.runs.length;
  runner.pause(({ job }) => job === 'desk');
  const said: { id: number }[] = [];
  for (let count = 1; count <= 20; count += 1)
    said.push(await scene.olivia.comment(story.issue, `/guide Hint number ${count}.`));
  await github.heard();
  await github.workflows.settled();
  runner.resume();
  await until('all are answered', () => said.every((comment) => reactionsTo(comment).includes('rocket')));
  await story.parked();
  const dropped = github.workflows.runs.slice(before).filter(({ conclusion }) => conclusion === 'cancelled');
  expect(dropped.length).toBeGreaterThan(10);
  for (const comment of said) expect(reactionsTo(comment)).toEqual(['eyes', 'rocket']);
  await expectNoneTwice(story);
  await stop(story);
});

describe('N-2: a desk that loses its power is followed by one that does all of it, once', () => {
  test.each([
    ['before it saved', (call: Call) => call.path.endsWith('/collaborators/olivia/permission')],
    ['after it saved', (call: Call) => call.method === 'POST' && call.path.endsWith('/reactions')],
    ['after its reaction', (call: Call) => call.method === 'POST' && call.path.endsWith('/comments')],
    ['when it gives the state back', undefined],
  ])('%s', async (_, isMoment) => {
    const story = await waiting();
    const { github } = scene.sandbox;
    let killed: number | undefined;
    let hasWritten = false;
    look = (call) => {
      const running = github.workflows.runs.at(-1);
      if (killed !== undefined || !running || call.caller.kind === 'person') return;
      const isNow = isMoment ? isMoment(call) : hasWritten && STATE.test(call.path);
      hasWritten ||= call.method === 'POST' && call.path.endsWith('/comments');
      if (!isNow) return;
      killed = running.id;
      github.killJob(running.id, 'desk');
    };
    const first = await scene.olivia.comment(story.issue, '/help');
    await until('it was killed', () => killed !== undefined);
    await story.parked();
    look = () => undefined;
    const second = await scene.olivia.comment(story.issue, '/status');
    await until('both are answered', () =>
      [first, second].every((comment) => reactionsTo(comment).includes('rocket')),
    );
    await story.parked();
    expect(await countOf(story, 'What you can do now')).toBe(1);
    await expectNoneTwice(story);
    await stop(story);
  });
});

test('N-2: a command while the delivery is between its save and its effects, and the delivery run again: each takes effect once', async () => {
  const { github, runner } = scene.sandbox;
  const story = await scene.begin('keeps-asking');
  let said: Promise<{ id: number }> | undefined;
  look = (call) => {
    const isQuestion = String((call.body as { body?: unknown } | undefined)?.body).includes(':escalation ');
    if (call.method !== 'POST' || !call.path.endsWith('/comments') || !isQuestion) return;
    said ??= scene.olivia.comment(story.issue, '/provide colour=blue');
  };
  await story.question();
  const given = await until('it was said', () => said);
  await story.reached('done');
  await story.parked();
  expect(reactionsTo(given)).toEqual(['eyes', 'rocket']);
  await expectNoneTwice(story);
  const pull = await story.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('blue\n');
  const comments = (await story.comments()).length;
  const builds = runner.finished.filter(({ job }) => job === 'build').length;
  for (const { id } of story.runs()) expect(github.workflows.rerun(id)).toBe(true);
  await story.parked();
  expect((await story.comments()).length).toBe(comments);
  expect(runner.finished.filter(({ job }) => job === 'build')).toHaveLength(builds);
  expect((await story.pullRequest()).head.sha).toBe(pull.head.sha);
});

test('N-2: another key: the state is left as it is, and the desk says what to do; with the old key it goes on', async () => {
  const story = await waiting();
  secrets.AUTOBUILD_KEY = 'another-key-that-nobody-knows-of'.repeat(2);
  const { runs } = scene.sandbox.github.workflows;
  const before = runs.length;
  await scene.olivia.comment(story.issue, '/help');
  await until('its desk ended', () => runs[before]?.status === 'completed');
  expect(runs[before]?.conclusion).toBe('failure');
  const desk = story.jobs().at(-1);
  expect(desk?.log).toContain('AUTOBUILD_KEY');
  secrets.AUTOBUILD_KEY = SECRETS.AUTOBUILD_KEY;
  await stop(story);
  await story.comment('What you can do now');
});

test('N-2: another key of the model: an open run goes on with what its jobs left, because AUTOBUILD_KEY is the same', async () => {
  const story = await waiting();
  await story.parked();
  secrets.MODEL_API_KEY = 'another-model-key';
  const given = await scene.olivia.comment(story.issue, '/provide colour=blue');
  await story.reached('done');
  expect(reactionsTo(given)).toEqual(['eyes', 'rocket']);
  const pull = await story.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('blue\n');
  for (const { log } of story.jobs()) expect(log).not.toContain('starts a new conversation');
  secrets.MODEL_API_KEY = SECRETS.MODEL_API_KEY;
});

test('N-2: another key of the model while a build works: its delivery, and a command meanwhile, have what they need', async () => {
  const { runner } = scene.sandbox;
  runner.pause(({ job }) => job === 'build');
  const story = await scene.begin('makes');
  await until('its desk ended', () => story.jobs().some(({ job }) => job === 'desk'));
  secrets.MODEL_API_KEY = 'another-model-key';
  const said = await scene.olivia.comment(story.issue, '/guide Be quick');
  await until('it is answered', () => reactionsTo(said).includes('rocket'));
  runner.resume();
  await story.reached('done');
  await story.parked();
  for (const { job, conclusion } of story.jobs()) expect([job, conclusion]).toEqual([job, 'success']);
  await expectNoneTwice(story);
  secrets.MODEL_API_KEY = SECRETS.MODEL_API_KEY;
});

test('N-1: "Re-run failed jobs" of a delivery that died takes in what its build left; of a build that died, it starts no agent', async () => {
  const { github } = scene.sandbox;
  const story = await scene.begin('keeps-asking');
  let killed: number | undefined;
  look = (call) => {
    const running = github.workflows.runs.at(-1);
    const isDelivery = 'job' in call.caller && call.caller.job === 'deliver';
    if (killed !== undefined || !running || !isDelivery) return;
    killed = running.id;
    github.killJob(running.id, 'deliver');
  };
  const died = await until('it was killed', () => killed);
  await story.parked();
  look = () => undefined;
  expect(await countOf(story, ':escalation ')).toBe(0);
  expect(github.workflows.rerun(died, 'failed')).toBe(true);
  await story.question();
  await story.parked();
  expect(await countOf(story, ':escalation ')).toBe(1);
  expect(story.jobs().filter(({ job }) => job === 'build')).toHaveLength(1);

  let lost: number | undefined;
  const given = await scene.olivia.comment(story.issue, '/provide colour=blue');
  await until('a build begins', () => {
    const running = github.workflows.runs.at(-1);
    if (running?.jobs.find(({ job }) => job === 'build')?.status !== 'in_progress') return false;
    lost ??= running.id;
    github.killJob(running.id, 'build');
    return true;
  });
  await story.reached('done');
  await story.parked();
  expect(reactionsTo(given)).toEqual(['eyes', 'rocket']);
  const comments = (await story.comments()).length;
  expect(github.workflows.rerun(lost ?? 0, 'failed')).toBe(true);
  await story.parked();
  const again = story
    .jobs()
    .filter(({ job }) => job === 'build')
    .at(-1);
  expect(again?.log).toContain('This job is not needed any more');
  expect((await story.comments()).length).toBe(comments);
  await expectNoneTwice(story);
});

test('N-2: the ref deleted: the desk of the next comment ends, and nothing hangs', async () => {
  const story = await waiting();
  await scene.sandbox.github.upstream('DELETE', `/repos/olivia/shop/git/refs/autobuild/issue-${story.issue}`);
  const { runs } = scene.sandbox.github.workflows;
  const before = runs.length;
  await scene.olivia.comment(story.issue, '/help');
  await until('its desk ended', () => runs[before]?.status === 'completed');
});

describe('N-3: whatever a build leaves, the delivery succeeds and publishes nothing of it', () => {
  const claims = (folder: string) => join(folder, 'claims.jsonl');
  test.each<[string, (folder: string) => void]>([
    ['missing', (folder) => rmSync(folder, { recursive: true })],
    ['cut off', (folder) => truncateSync(claims(folder), 40)],
    [
      'of another run',
      (folder) => {
        const text = readFileSync(claims(folder), 'utf8');
        writeFileSync(claims(folder), text.replaceAll(/"run":"i\d+/g, '"run":"i999'));
      },
    ],
    [
      'symlinks',
      (folder) => {
        rmSync(claims(folder));
        symlinkSync('/etc/passwd', claims(folder));
      },
    ],
    ['huge', (folder) => writeFileSync(claims(folder), `{"type":"${'x'.repeat(30_000_000)}"}\n`)],
    [
      'forged',
      (folder) => {
        mkdirSync(join(folder, 'blobs'), { recursive: true });
        writeFileSync(join(folder, 'blobs', 'f'.repeat(64)), '{"files":[]}');
        const envelope = { run: 'x', job: 1, seq: 1, at: '1999-01-01T00:00:00.000Z', type: 'turn_ended' };
        writeFileSync(
          claims(folder),
          `${JSON.stringify(envelope)}\n{"blob":"changeset","sha256":"${'f'.repeat(64)}"}\n`,
        );
      },
    ],
  ])('%s', async (_, damage) => {
    const { runner, github } = scene.sandbox;
    change = damage;
    const story = await scene.begin('makes');
    const delivered = await until('its delivery', () => story.jobs().find(({ job }) => job === 'deliver'));
    expect(delivered.conclusion).toBe('success');
    change = () => undefined;
    // The next job does it.
    await story.reached('done');
    await story.parked();
    expect((await story.pullRequest()).draft).toBe(false);
    expect(await countOf(story, ':receipt ')).toBe(1);
    expect(runner.waiting).toEqual([]);
    expect(github.workflows.problems).toEqual([]);
  });
});
