import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { DESKS, openScene, type Scene } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000, maxConcurrency: 2 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk, config: 'waiting:\n  remind_minutes: 0.03\n' });
  });
  afterAll(() => scene?.close());

  describe.concurrent('what people are asked', () => {
    if (desk === 'App')
      test('E-12: nobody answers, so the notification is repeated; the question stays open', async ({
        expect,
      }) => {
        const story = await scene.begin('keeps-asking');
        const question = await story.question();
        await story.comment(':reminder ', 'Still waiting for you');
        await story.comment(':reminder ', 'Reminder 2');
        expect((await story.question()).id).toBe(question.id);
        await scene.olivia.comment(story.issue, '/cancel');
        await story.reached('stopped');
      });

    test('P-9: a secret that comes by comment is taken, the comment deleted, rotation advised; it is nowhere to be read', async ({
      expect,
    }) => {
      const secret = 'sk_live_abcdefghij0123456789';
      const story = await scene.begin('asks-secret');
      const question = await story.question();
      const way =
        desk === 'App'
          ? 'as the Actions secret `API_KEY`'
          : 'in the Actions secret `AUTOBUILD_ENV` as the line `API_KEY=…`';
      expect(question.body).toContain(`never put it in a comment. Save it ${way}`);
      await story.parked();
      const given = await scene.olivia.comment(story.issue, `/provide api_key=${secret}`);
      await story.comment(':reply ', 'Please rotate: Key of the shop');
      await story.reached('done');
      const comments = await story.comments();
      expect(comments.map(({ id }) => id)).not.toContain(given.id);
      const pull = await story.pullRequest();
      expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe(`${secret.length}\n`);
      // The job itself hides it, before the runner masks the log.
      expect(story.jobs().map(({ log }) => log)).toContainEqual(
        expect.stringContaining('│ the key is •••\n'),
      );
      const readable = [
        ...comments.map(({ body }) => body),
        pull.body,
        ...story.jobs().flatMap(({ log, summary, output }) => [log, summary, output]),
        ...scene.apps.map((app) => app.log()),
      ].join('\n');
      expect(readable).not.toContain(secret);
    });

    test('C-5, C-6: a blocked report is on the issue and on the pull request, and is answered there', async ({
      expect,
    }) => {
      const story = await scene.begin('blocked');
      const question = await story.question();
      expect(question.body).toContain('Task Blocked - Structured Report');
      await story.parked();
      const pull = await story.pullRequest();
      expect(pull.draft).toBe(true);
      expect(pull.body).toContain('The till does not answer');
      const job = story.jobs().find(({ artifacts }) => artifacts.some((name) => name.endsWith('.json')));
      const report = job?.artifacts.find((name) => name.endsWith('/blocked_report.json')) ?? '';
      expect(report).toContain('/autobuild-report/');
      const kept = readFileSync(join(job?.directory ?? '', 'artifacts', report), 'utf8');
      expect(JSON.parse(kept)).toMatchObject({ human_action_required: 'Open the till' });
      const given = await scene.olivia.comment(pull.number, '/guide The till is open now');
      await story.reached('done');
      expect(scene.sandbox.github.reactions.of(given.id).map(({ content }) => content)).toEqual([
        'eyes',
        'rocket',
      ]);
      expect((await story.pullRequest()).draft).toBe(false);
    });
  });
});
