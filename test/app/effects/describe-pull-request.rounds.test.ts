import { expect, test } from 'vitest';
import { actAndSettle } from '../published-run.ts';
import { pushFiles } from '../revise-desk.ts';
import { useReviseScene } from '../revise-scene.ts';

const scene = useReviseScene();
const { begin, finish, described } = scene;

/** Of the rows of rounds, by number: they say who asked, and by what. */
async function commits(): Promise<Record<string, string>> {
  const rows = (await described()).matchAll(/^\| (\d+) \|[^|]*,[^|]*\|[^|]*\|([^|]*)\|/gm);
  return Object.fromEntries([...rows].map(([, round, commit = '']) => [round, commit.trim()]));
}

test('V-8: a round on top of the commit of a person has its commit, and a commit that only runs CI is no round’s', async () => {
  const { desk, work, branch } = scene;
  await pushFiles(desk, branch, { 'by-hand.txt': 'x\n' });
  await begin('/guide Use a constant');
  await finish();
  const second = (await work.head()).slice(0, 7);
  expect((await commits())[2]).toContain(second);
  await begin('/guide Another');
  await finish({ text: 'three\n' });
  const third = (await work.head()).slice(0, 7);
  expect(await commits()).toMatchObject({
    2: expect.stringContaining(second),
    3: expect.stringContaining(third),
  });
  await pushFiles(desk, branch, { 'by-hand.txt': 'y\n' });
  await desk.perform({ type: 'describe_pull' });
  await actAndSettle(desk, 'pull_request', async () => desk.person('walter').tickRunCi(await work.pull()));
  await begin('/guide A fourth');
  await finish({ text: 'four\n' });
  expect((await commits())[3]).toBe('');
});
