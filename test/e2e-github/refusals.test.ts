import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DESKS, openScene, type Scene, standardFiles } from './scene.ts';
import { until } from './until.ts';

const REFUSED = 'Nothing changed: commands require write access to this repository.';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.each(DESKS)('%s', (desk) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk, files: { 'README.md': '# Shop\n' } });
    if (desk === 'Actions') await scene.sandbox.push(standardFiles('', desk));
  });
  afterAll(() => scene?.close());

  if (desk === 'App')
    test('C-2: without the workflow no run starts, and the comment says how to add it', async () => {
      const story = await scene.begin('makes');
      const told = await story.comment('Not started', '.github/workflows/autobuild.yml');
      expect(told.body).toContain('autobuild init');
      await until(
        'the label is off',
        async () => !(await scene.olivia.labels(story.issue)).includes('autobuild'),
      );
      expect(story.runs('build')).toEqual([]);
    });

  test('C-2: a config that is not valid is named by line, key, value and remedy; mended, the label starts a run', async () => {
    const files = standardFiles('', desk);
    const config = files['.github/autobuild.yml'] ?? '';
    await scene.sandbox.push({ ...files, '.github/autobuild.yml': `${config}max_turns: many\n` });
    const story = await scene.begin('makes');
    const told = await story.comment('Not started', 'max_turns');
    expect(told.body).toContain('many');
    expect(told.body).toMatch(/\| 8 \|/);
    expect(story.runs('build')).toEqual([]);
    await scene.sandbox.push(files);
    await until(
      'the label is off',
      async () => !(await scene.olivia.labels(story.issue)).includes('autobuild'),
    );
    await scene.olivia.label(story.issue, 'autobuild');
    await story.reached('done');
  });

  test('C-2: the label of somebody who may not write starts nothing', async () => {
    const story = await scene.begin('makes', { labelledBy: 'tina' });
    await story.comment('Not started', 'with write access');
    expect(story.runs('build')).toEqual([]);
  });

  test('C-4: somebody who may not write is refused politely, once; after that the reaction alone', async () => {
    const story = await scene.begin('keeps-asking');
    await story.question();
    await story.parked();
    const rita = scene.sandbox.person('rita');
    const first = await rita.comment(story.issue, '/cancel');
    await story.comment(':reply ', REFUSED);
    const second = await rita.comment(story.issue, '/provide colour=rita');
    const reactionsTo = (id: number) => scene.sandbox.github.reactions.of(id).map(({ content }) => content);
    await until('the second reaction', () => reactionsTo(second.id).includes('confused'));
    expect(reactionsTo(first.id)).toContain('confused');
    const refusals = (await story.comments()).filter(({ body }) => body.includes(REFUSED));
    expect(refusals).toHaveLength(1);
    await story.question();
    await scene.olivia.comment(story.issue, '/cancel');
    await story.reached('stopped');
  });

  test('R-13: a workflow whose set-up fails is tried three times, then asked about; the answer starts another job', async () => {
    const files = standardFiles('', desk);
    const workflow = files['.github/workflows/autobuild.yml'] ?? '';
    const broken =
      desk === 'App'
        ? workflow.replace('      # <set-up>\n', '      - run: exit 1\n')
        : workflow.replace('agent: scripted\n', 'agent: scripted\n      setup: exit 1\n');
    expect(broken).not.toBe(workflow);
    await scene.sandbox.push({ ...files, '.github/workflows/autobuild.yml': broken });
    const story = await scene.begin('makes');
    const { body } = await story.comment('autobuild:escalation ', 'the job does not start');
    expect(body).toContain('[Log of the last job](');
    expect(story.runs('build')).toHaveLength(3);
    await scene.sandbox.push(files);
    await scene.olivia.comment(story.issue, '/continue');
    await story.reached('done');
    expect(story.runs('build')).toHaveLength(4);
  });

  if (desk === 'App')
    test('C-2: Actions that are switched off are named', async () => {
      scene.sandbox.github.workflows.disable();
      const story = await scene.begin('makes');
      await story.comment('Not started', 'Actions is disabled');
    });
});
