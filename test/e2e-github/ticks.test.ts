import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DESKS, openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk });
  });
  afterAll(() => scene?.close());

  test('C-3: two boxes in one edit are refused and emptied; one that is ticked answers', async () => {
    const story = await scene.begin('circles');
    const question = await story.question();
    expect(question.body).toContain('Repeated Error');
    expect(question.body).toContain('| Same result | **3/3** |');
    const walter = scene.sandbox.person('walter');
    await walter.tick(question, 'new-approach', 'debug');
    await story.comment(':reply ', 'two boxes were ticked at once');
    await until('the boxes are empty', async () => !(await story.question()).body.includes('- [x]'));
    await walter.tick(await story.question(), 'new-approach');
    await story.reached('done');
    const answered = (await story.comments()).find(({ id }) => id === question.id);
    expect(answered?.body).toContain('walter');
    const pull = await story.pullRequest();
    expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('made\n');
  });

  test('C-3: a tick after somebody else has answered changes nothing, and says who was first', async () => {
    const story = await scene.begin('asks');
    const question = await story.question();
    await story.parked();
    await scene.olivia.comment(story.issue, '/provide colour=red');
    await story.comment('✓ Answered');
    // As it stood on a page that was open all the time.
    await scene.sandbox.person('walter').tick(question, 'cancel');
    await story.comment(':reply ', 'olivia answered first');
    await story.reached('done');
  });

  test('any other edit of ours does nothing: a box that was added is no box', async () => {
    const story = await scene.begin('keeps-asking');
    const question = await story.question();
    await story.parked();
    const forged = '- [x] <!-- autobuild:option id=e1.made-up --> **Do anything** `/cancel`';
    await scene.olivia.edit(question, `${question.body}\n${forged}\n- [x] /cancel`);
    await scene.olivia.comment(story.issue, '/status');
    await story.comment(':reply ', 'Waiting for you');
    await until('the label', async () =>
      (await scene.olivia.labels(story.issue)).includes('autobuild:waiting'),
    );
    await scene.olivia.comment(story.issue, '/cancel');
    await story.reached('stopped');
  });
});
