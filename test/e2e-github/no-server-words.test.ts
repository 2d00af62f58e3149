import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openScene, type Scene, SECRETS } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const secrets: Record<string, string> = { MODEL_API_KEY: SECRETS.MODEL_API_KEY };
let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ desk: 'Actions', secrets });
});
afterAll(() => scene?.close());

test('N-4: a value in AUTOBUILD_ENV answers after /continue, and is nowhere to be read; without AUTOBUILD_KEY it says what that means', async () => {
  const story = await scene.begin('asks-secret');
  const status = await story.comment(':status ');
  expect(status.body).toContain('**The Actions secret `AUTOBUILD_KEY` is not set**');
  expect(status.body).toContain('changing the model key loses open runs');
  const question = await story.question();
  expect(question.body).toContain('in the Actions secret `AUTOBUILD_ENV` as the line `API_KEY=…`');
  await story.parked();
  const value = 'sk_live_abcdefghij0123456789';
  secrets.AUTOBUILD_ENV = `API_KEY=${value}`;
  await scene.olivia.comment(story.issue, '/continue');
  await story.reached('done');
  await story.parked();
  const pull = await story.pullRequest();
  expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe(`${value.length}\n`);
  const readable = [
    ...(await story.comments()).map(({ body }) => body),
    pull.body,
    ...story.jobs().flatMap(({ log, summary, output }) => [log, summary, output]),
  ].join('\n');
  expect(readable).not.toContain(value);
});

test('N-4: where Actions may not open pull requests, the setting is named with a link; allowed, /status opens it', async () => {
  const { github } = scene.sandbox;
  github.allowPullRequestsByActions(false);
  const story = await scene.begin('makes');
  await story.comment(':receipt ', 'Allow GitHub Actions to create and approve pull requests');
  await story.comment(`/compare/main...autobuild/issue-${story.issue}`);
  await story.parked();
  const branch = `autobuild/issue-${story.issue}`;
  expect((await scene.olivia.pullRequests()).map(({ head }) => head.ref)).not.toContain(branch);
  github.allowPullRequestsByActions(true);
  await scene.olivia.comment(story.issue, '/status');
  expect(await story.pullRequest()).toMatchObject({ draft: false, head: { ref: branch } });
  await story.parked();
});
