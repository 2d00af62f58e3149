import { expect, test } from 'vitest';
import { givenUp } from '../../src/app/unpublished.ts';
import type { Call } from '../../src/sandbox/github/gap.ts';
import { startRun } from '../core/run-builder.ts';
import { putChangeset } from './published-run.ts';
import { pushToMain } from './revise/push-to-main.ts';
import { giveValue, takeRound, VALUE } from './revise-desk.ts';
import { useReviseScene } from './revise-scene.ts';

const scene = useReviseScene();
const { begin, finish, finishUnpublished, said } = scene;

const LABEL = 're-add the label';
const isCommit = ({ method, path }: Call) => method === 'POST' && path.endsWith('/git/commits');
const refuseCommits = () =>
  scene.desk.interfere((call) => (isCommit(call) ? { status: 422, body: { message: 'No' } } : undefined));

test('V-1: a round that GitHub refuses names /continue in status and reply, and that begins a round with its work', async () => {
  await begin('/guide Use a constant');
  await finishUnpublished();
  const text = await said();
  expect(text).toContain('✗ Not published: GitHub rejected the work');
  expect(text.match(/Reply `\/continue` to start another round with this work/g)).toHaveLength(3);
  expect(text).not.toContain(LABEL);
  expect(await begin('/continue')).toMatchObject({ number: 3, unpublished: true });
});

test('V-1: each round that is refused is told of', async () => {
  await begin('/guide Use a constant');
  await finishUnpublished();
  await begin('/continue');
  await finishUnpublished();
  expect((await said()).match(/\*\*The work cannot be committed: GitHub rejected it\.\*\*/g)).toHaveLength(2);
});

test('S-13, V-1: work with a secret in it is not kept, so only /guide is named, and that begins a round', async () => {
  const { desk, work } = scene;
  await begin('/guide Use a constant');
  const run = await giveValue(desk, work, await takeRound(desk, work.run));
  await finish({ run, text: `const token = "${VALUE}";\n` });
  const text = await said();
  expect(text).toContain('The work was not committed: it contains secret values.');
  expect(text).toContain('Reply `/guide <what to change>` to start another round.');
  expect(text).not.toContain('with this work');
  expect(text).not.toContain(LABEL);
  expect(await begin('/guide Read it from the environment')).toMatchObject({ number: 3 });
});

test('V-6: an update that is refused names /continue update, and that merges again', async () => {
  const { desk, work } = scene;
  await pushToMain(desk, 'README.md', 'of main\n');
  await begin('/continue update');
  const saved = JSON.parse(new TextDecoder().decode(await desk.store.blobs.get('r1', 'changeset')));
  const merged = { ...saved, merge: { ...saved.merge, done: true } };
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(JSON.stringify(merged)));
  refuseCommits();
  for (const words of ['/pause', '/accept']) {
    await desk.olivia.comment(work.issue, words);
    await desk.settle();
  }
  desk.interfere(() => undefined);
  const text = await said();
  expect(text).toContain('✗ Not published: GitHub rejected the work');
  expect(text).toContain('Reply `/continue update` to try again');
  expect(text).not.toContain(LABEL);
  expect(await begin('/continue update')).toMatchObject({ number: 3, update: { branch: 'main' } });
});

/** The build of another issue, which somebody accepts while GitHub takes no commit. */
async function acceptRefused(issue: number): Promise<string> {
  const { desk } = scene;
  refuseCommits();
  await desk.olivia.comment(issue, '/accept');
  await desk.settle();
  desk.interfere(() => undefined);
  expect((await desk.state('r2')).status).toBe('reviewing');
  return (await desk.olivia.comments(issue)).map(({ body }) => body).join('\n');
}

async function putOther(text: string): Promise<void> {
  await putChangeset(scene.desk, text);
  const bytes = await scene.desk.store.blobs.get('r1', 'changeset');
  await scene.desk.store.blobs.put('r2', 'changeset', bytes ?? new Uint8Array());
}

test('V-1: a first build without a pull request names the label, because no round can begin, and /continue says the same', async () => {
  const { desk } = scene;
  const run = startRun({ run: 'r2', startMs: Date.now() - 60_000 }).beginTurn();
  const { issue } = await desk.seed(run);
  await putOther('new\n');
  const text = await acceptRefused(issue);
  expect(text).toContain('Remove and re-add the label to build it again.');
  expect(text).not.toContain('`/continue`');
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  const [last] = (await desk.olivia.comments(issue)).slice(-1);
  expect(last?.body).toContain('No round was started: there is no open pull request.');
  expect(last?.body).toContain('Remove and re-add the label to build it again.');
});

test('V-1: a first build whose draft is open names /continue, and that begins a round with its work', async () => {
  const { desk } = scene;
  const run = startRun({ run: 'r2', startMs: Date.now() - 60_000 }).beginTurn();
  await putOther('new\n');
  const { issue } = await desk.seed(run);
  await desk.perform({ type: 'publish', ready: false }, { run: 'r2' });
  expect((await desk.store.publications.of('r2')).pull).toBeDefined();
  await putOther('newer\n');
  const text = await acceptRefused(issue);
  expect(text).toContain('Reply `/continue` to start another round with this work');
  expect(text).not.toContain(LABEL);
  await desk.olivia.comment(issue, '/continue');
  await desk.settle();
  expect((await desk.state('r2')).revision).toMatchObject({ number: 2, unpublished: true });
});

test('N-4: work that was given up names the log of the desk that has one', () => {
  expect(givenUp('round', { live: true }).detail).toContain("The App's log says why");
  const { detail } = givenUp('round', { live: false });
  expect(detail).toContain('The log of the newest workflow run of this issue says why.');
  expect(detail).not.toContain('App');
});
