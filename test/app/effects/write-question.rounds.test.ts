import { expect, test } from 'vitest';
import { takeRound } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();

test('R-9: what GitHub takes late after the cancel of a round is neither its question nor that it can be resumed', async () => {
  const { desk, work } = scene;
  await scene.begin('/guide Two lines');
  const run = await takeRound(desk, work.run);
  const before = await scene.said();
  desk.interfere(({ method, path, body }) =>
    method === 'POST' && path.endsWith('/comments') && JSON.stringify(body).includes('autobuild:')
      ? { status: 502, body: { message: 'Bad gateway' } }
      : undefined,
  );
  await desk.seed(run.beginTurn().askForHelp([{ key: 'colour', label: 'Colour' }]));
  for (const command of ['/pause', '/cancel']) {
    await desk.olivia.comment(work.issue, command);
    await desk.settle();
  }
  desk.interfere(() => undefined);
  desk.clock.ms += 3_600_000;
  await desk.settle();
  const said = (await scene.said()).replace(before, '');
  expect(said).toContain('was stopped: cancelled by olivia');
  expect(said).not.toContain('Answered');
  expect(said).not.toContain('Resume with `/continue`');
});
