import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { DESKS, openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000, maxConcurrency: 3 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk });
  });
  afterAll(() => scene?.close());

  const reactionsTo = ({ id }: { id: number }) =>
    scene.sandbox.github.reactions.of(id).map(({ content }) => content);

  describe.concurrent('C-4: every command in a comment does what it says, also while nothing runs', () => {
    test.for([
      { command: '/provide colour=blue', agent: 'asks', file: 'blue\n' },
      { command: '/guide Take any colour', agent: 'asks', file: 'none\n' },
      { command: '/override Leave the colour out', agent: 'asks', file: 'none\n' },
      { command: '/autobuild skip', agent: 'asks', file: 'none\n' },
      { command: '/retry', agent: 'circles', file: 'made\n' },
      { command: '/debug', agent: 'circles', file: 'made\n' },
    ])(
      '$command: a new job goes on, and the pull request is there',
      async ({ command, agent, file }, { expect }) => {
        const story = await scene.begin(agent);
        const question = await story.question();
        await story.parked();
        const given = await scene.olivia.comment(story.issue, command);
        await story.reached('done');
        const comments = await story.comments();
        expect(comments.find(({ id }) => id === question.id)?.body).toContain('✓ Answered');
        expect(reactionsTo(given)).toEqual(['eyes', 'rocket']);
        const pull = await story.pullRequest();
        expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe(file);
        expect(story.runs('build')).toHaveLength(2);
        expect(story.runs('verify')).toHaveLength(1);
      },
    );

    test('/approve: the file outside the scope is kept, and no other', async ({ expect }) => {
      const story = await scene.begin('strays', { body: 'Make done.txt.\n\n## Scope\n\n- `done.txt`\n' });
      const question = await story.question();
      expect(question.body).toContain('other.txt');
      await story.parked();
      await scene.olivia.comment(story.issue, '/approve');
      await story.reached('done');
      const pull = await story.pullRequest();
      expect(await scene.olivia.file('other.txt', pull.head.ref)).toBe('more\n');
    });

    test('/accept: the pull request says that it is partial, and nothing else starts', async ({ expect }) => {
      const story = await scene.begin('asks');
      await story.question();
      await story.parked();
      await scene.olivia.comment(story.issue, '/accept');
      await story.reached('done');
      const pull = await story.pullRequest();
      expect(pull).toMatchObject({ draft: false });
      expect(pull.body).toContain('Task completed with partial results due to need_help');
      expect(await scene.olivia.file('work.txt', pull.head.ref)).toBe('begun\n');
      expect([story.runs('build').length, story.runs('verify').length]).toEqual([1, 0]);
    });

    test.for([
      { command: '/cancel', said: 'Cancelled by olivia' },
      { command: '/terminate', said: 'Terminated by olivia' },
    ])('$command: the run ends', async ({ command, said }, { expect }) => {
      const story = await scene.begin('asks');
      await story.question();
      await scene.olivia.comment(story.issue, command);
      await story.reached('stopped');
      await story.comment(':status ', said);
      await story.parked();
      expect(story.runs('verify')).toEqual([]);
    });

    test('/status, /help, /review leave the question open; /pause and /continue end and resume', async ({
      expect,
    }) => {
      const story = await scene.begin('keeps-asking');
      const question = await story.question();
      await story.parked();
      const say = (text: string) => scene.olivia.comment(story.issue, text);
      await say('/status');
      await story.comment(':reply ', 'Waiting for you: 1 value needed');
      await say('/help');
      await story.comment(':reply ', 'What you can do now', '/provide');
      await say('/review');
      await story.comment('⏸ Review');
      const missing = await say('/continue');
      await story.comment(':reply ', 'Still missing: Colour');
      await until('the reaction', () => reactionsTo(missing).includes('confused'));
      expect((await story.question()).id).toBe(question.id);
      await say('/pause');
      await story.comment(':reply ', 'Paused: the work is saved');
      await say('/continue');
      await story.question(2);
      expect(story.runs('build').length).toBe(2);
      await say('/cancel');
      await story.reached('stopped');
      await story.parked();
    });

    test('a slip is answered with the right form; code, quotes and what is no command do nothing', async ({
      expect,
    }) => {
      const story = await scene.begin('keeps-asking');
      await story.question();
      await story.parked();
      const say = (text: string) => scene.olivia.comment(story.issue, text);
      const ignored = [
        await say('```\n/cancel\n```'),
        await say('> /cancel'),
        await say('What about /cancel?'),
      ];
      const slip = await say('/provied colour=blue');
      await story.comment(':reply ', 'Nothing changed', '/provide');
      await until('the reaction', () => reactionsTo(slip).includes('confused'));
      expect(ignored.map(reactionsTo)).toEqual([[], [], []]);
      await story.question();
      await say('/cancel');
      await story.reached('stopped');
    });
  });
});
