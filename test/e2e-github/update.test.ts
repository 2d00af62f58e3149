import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DESKS, openScene, type Scene, type Story, standardFiles } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** A commit of olivia on the default branch. */
async function pushToMain({ sandbox: { github } }: Scene, path: string, text: string): Promise<string> {
  const at = `/repos/olivia/shop/contents/${path}`;
  const there = await github.callAs('olivia', 'GET', at);
  const { sha } = (there.status === 200 ? there.body : {}) as { sha?: string };
  const content = Buffer.from(text).toString('base64');
  const answer = await github.callAs('olivia', 'PUT', at, {
    ...{ message: 'Main says hello', content, branch: 'main', sha },
  });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return (answer.body as { commit: { sha: string } }).commit.sha;
}

async function parentsOf({ sandbox }: Scene, sha: string): Promise<string[]> {
  const { body } = await sandbox.github.upstream('GET', `/repos/olivia/shop/git/commits/${sha}`);
  return (body as { parents: { sha: string }[] }).parents.map((parent) => parent.sha);
}

const logsOf = (scene: Scene, story: Story) => () =>
  [
    ...scene.apps.map((app) => app.log().slice(-6_000)),
    ...story.jobs().map(({ log }) => log.slice(-3_000)),
  ].join('\n');

const agentStarts = (story: Story) =>
  story.jobs().filter(({ log }) => log.includes('the agent is at work')).length;

async function updated(scene: Scene, story: Story, before: string) {
  const pull = await until(
    'a new head',
    async () => {
      const now = await story.pullRequest();
      return now.head.sha !== before && now;
    },
    logsOf(scene, story),
  );
  await story.reached('done');
  return pull;
}

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk, files: { ...standardFiles('', desk), 'shared.txt': 'first\n' } });
  });
  afterAll(() => scene?.close());

  /** The description with the box. Without a server no push is heard of, and every word of a person makes the desk look. */
  const shownBox = (story: Story) =>
    until(
      'the box',
      async () => {
        const { body } = await story.pullRequest();
        if (body.includes('autobuild:option id=m.update')) return body;
        await scene.lookAgain(story);
        return undefined;
      },
      logsOf(scene, story),
    );

  test('V-6: a conflict is shown, ticked and resolved by the agent: two parents, verified afresh', async () => {
    const story = await scene.begin('updates');
    await story.reached('done');
    const first = await story.pullRequest();
    const main = await pushToMain(scene, 'shared.txt', 'first\nby olivia\n');
    const shown = await shownBox(story);
    expect(shown).toContain('**Update with `main`**: 1 file conflicts (`shared.txt`); the agent resolves it');
    const walter = scene.sandbox.person('walter');
    await walter.describePullRequest(
      first.number,
      shown.replace('- [ ] <!-- autobuild:option id=m.update', '- [x] <!-- autobuild:option id=m.update'),
    );
    const second = await updated(scene, story, first.head.sha);
    expect(await parentsOf(scene, second.head.sha)).toEqual([first.head.sha, main]);
    expect(await scene.olivia.file('shared.txt', second.head.ref)).toBe('first\nby the agent\nby olivia\n');
    expect(await scene.olivia.file('done.txt', second.head.ref)).toBe('made\n');
    expect(story.runs('verify')).toHaveLength(2);
    expect(agentStarts(story)).toBe(2);
    expect((await story.pullRequest()).body).not.toContain('m.update');
  });

  test('V-6: an update without a conflict needs no agent, and is verified all the same', async () => {
    const story = await scene.begin('updates');
    await story.reached('done');
    const first = await story.pullRequest();
    const main = await pushToMain(scene, 'other.txt', 'another file\n');
    await scene.sandbox.person('walter').comment(first.number, '/continue update');
    const second = await updated(scene, story, first.head.sha);
    expect(await parentsOf(scene, second.head.sha)).toEqual([first.head.sha, main]);
    expect(await scene.olivia.file('other.txt', second.head.ref)).toBe('another file\n');
    expect(await scene.olivia.file('shared.txt', second.head.ref)).toContain('by the agent\n');
    expect(story.runs('verify')).toHaveLength(2);
    expect(agentStarts(story)).toBe(1);
  });
});
