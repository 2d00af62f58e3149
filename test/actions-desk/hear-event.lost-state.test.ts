import { afterEach, expect, test } from 'vitest';
import { createPerson } from '../../src/sandbox/person.ts';
import { askOnIssue } from './ask-on-issue.ts';
import { openWorld, type World } from './desk-world.ts';

const DAY_MS = 24 * 60 * 60_000;

let world: World;
afterEach(() => world?.close());

/** A labelled issue whose agent asks for a value. */
async function ask(): Promise<number> {
  world = await openWorld();
  return askOnIssue(world);
}

const notices = async (issue: number) =>
  (await world.comments(issue)).filter((body) => body.startsWith('<!-- autobuild:notice '));

test.each([
  ['a day', 1],
  ['8 days', 8],
])(
  'N-2: a deleted state is told once to whoever answers %s later, and nothing is built again',
  async (_, days) => {
    const issue = await ask();
    const before = (await world.comments(issue)).length;
    world.storage.tips.clear();
    world.clock.ms += days * DAY_MS;
    for (const text of ['/provide colour=red', '/status']) {
      await world.app.olivia.comment(issue, text);
      expect(await world.desks()).toEqual({ next: 'none' });
    }
    const [notice, ...more] = await notices(issue);
    expect(more).toEqual([]);
    expect(notice).toContain('the state of this run is gone');
    expect(notice).toContain('remove and re-add the label `autobuild`');
    // The two comments of the person, and the notice.
    expect(await world.comments(issue)).toHaveLength(before + 3);
  },
);

test('N-2: with the state deleted, a comment of somebody without the role builds nothing either, and the label set again does', async () => {
  const issue = await ask();
  world.storage.tips.clear();
  await createPerson(world.app.github, 'rita').comment(issue, '/help');
  expect(await world.desks()).toEqual({ next: 'none' });
  expect(await notices(issue)).toHaveLength(1);
  world.events();
  await world.app.olivia.unlabel(issue, 'autobuild');
  await world.app.olivia.label(issue, 'autobuild');
  expect(await world.desks()).toMatchObject({ next: 'build' });
});
