import { afterEach, expect, test } from 'vitest';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';
import { pushToMain } from '../revise/push-to-main.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const told = async (issue: number) =>
  (await desk.olivia.comments(issue)).filter(({ body }) => body.includes('has new commits since'));

async function answer(issue: number): Promise<void> {
  await desk.olivia.comment(issue, '/provide colour=red');
  await desk.github.heard();
  await desk.settle();
}

async function tipOfMain(): Promise<string> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  return (body as { object: { sha: string } }).object.sha;
}

test('V-6: a base that moved while the run waited for a person is told once, when it resumes', async () => {
  desk = await openAppDesk();
  const head_sha = await tipOfMain();
  const { issue } = await publishRun(desk, { run: askingRun(['colour']).park(), target: { head_sha } });
  await pushToMain(desk, 'README.md', 'of main\n');
  expect(await told(issue)).toEqual([]);
  await answer(issue);
  const [said, ...more] = await told(issue);
  expect(said?.body).toContain('`main` has new commits since this run began.');
  expect(said?.body).toContain(`The run continues on \`${head_sha.slice(0, 7)}\`.`);
  expect(said?.body).toContain('`/continue update`');
  expect(more).toEqual([]);
  for (const command of ['/pause', '/continue']) {
    desk.clock.ms += 60_000;
    await desk.olivia.comment(issue, command);
    await desk.github.heard();
    await desk.settle();
  }
  expect(await told(issue)).toHaveLength(1);
});

test('V-6: a base that stayed is not mentioned', async () => {
  desk = await openAppDesk();
  const target = { head_sha: await tipOfMain() };
  const { issue } = await publishRun(desk, { run: askingRun(['colour']).park(), target });
  await answer(issue);
  expect(await told(issue)).toEqual([]);
});
