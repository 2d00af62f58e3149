import { afterEach, expect, test } from 'vitest';
import type { DeskParts } from '../../src/actions-desk/desk-parts.ts';
import { userError } from '../../src/core/error-catalogue.ts';
import { askOnIssue } from './ask-on-issue.ts';
import { openWorld, type World } from './desk-world.ts';

let world: World;
afterEach(() => world?.close());

/** A labelled issue whose agent asks for a value. */
async function ask() {
  world = await openWorld();
  const issue = await askOnIssue(world);
  const ref = `refs/autobuild/issue-${issue}`;
  const tip = world.storage.tips.get(ref) ?? expect.fail('no state');
  return { issue, ref, tip };
}

const notices = async (issue: number) =>
  (await world.comments(issue)).filter((body) => body.startsWith('<!-- autobuild:notice '));

const WAYS = {
  foreign: 'which is no state that Autobuild wrote',
  damaged: 'is damaged',
};

test.each(Object.entries(WAYS))(
  'N-2: a state that is %s is told on the issue once, with the remedy, and stays as it is',
  async (way, words) => {
    const { issue, ref, tip } = await ask();
    if (way === 'foreign') world.storage.tips.set(ref, { ...tip, oid: 'f'.repeat(40), entries: {} });
    else {
      const oid = tip.entries.state ?? '';
      const blob = world.storage.blobs.get(oid) ?? expect.fail('no blob');
      world.storage.blobs.set(oid, blob.subarray(0, blob.length - 9));
    }
    const before = world.storage.tips.get(ref);
    for (const text of ['/provide colour=red', '/status']) {
      await world.app.olivia.comment(issue, text);
      await expect(world.desks()).rejects.toThrow(words);
    }
    const [notice, ...more] = await notices(issue);
    expect(more).toEqual([]);
    expect(notice).toContain(words);
    expect(notice).toContain(`**Next:** Point the ref to the commit before`);
    expect(notice).toContain(`gh api -X DELETE repos/olivia/shop/git/${ref}`);
    expect(world.storage.tips.get(ref)).toEqual(before);
  },
);

test('N-2: the error of the state is what the job fails with, also where the issue cannot be told', async () => {
  const { issue, ref, tip } = await ask();
  world.storage.tips.set(ref, { ...tip, entries: {} });
  await world.app.olivia.comment(issue, '/status');
  const event = world.events().at(-1) ?? expect.fail('no event');
  const github = { ...world.github, createComment: () => Promise.reject(new Error('not now')) };
  await expect(world.desk(event, { github })).rejects.toThrow(WAYS.foreign);
  expect(world.warned.join()).toContain('not now');
});

test('N-2: a state that is too large to be saved is told on the issue once, with the remedy', async () => {
  const { issue } = await ask();
  const openState: DeskParts['openState'] = async (number, taking) => ({
    ...(await world.open(number, taking)),
    save: () =>
      Promise.reject(userError('state_too_large', { ref: 'refs/x', entry: 'state', megabytes: 40 })),
  });
  for (const text of ['/provide colour=red', '/status']) {
    await world.app.olivia.comment(issue, text);
    const event = world.events().at(-1) ?? expect.fail('no event');
    await expect(world.desk(event, { openState })).rejects.toThrow('40 MB');
  }
  const [notice, ...more] = await notices(issue);
  expect(more).toEqual([]);
  expect(notice).toContain('### ✗ Nothing was done: the state of this run has become too large');
  expect(notice).toContain('**Next:** Keep large files that the agent makes out of the work');
});
