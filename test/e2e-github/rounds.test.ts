import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AUTHORS, DESKS, openScene, type Scene } from './scene.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** A commit of somebody else on the branch, with a file of its own. */
async function commitByHand({ sandbox }: Scene, { ref, sha }: { ref: string; sha: string }): Promise<string> {
  const ask = async <Body>(method: string, path: string, sent?: unknown) =>
    (await sandbox.github.upstream(method, `/repos/olivia/shop/git${path}`, sent)).body as Body;
  const { tree: base } = await ask<{ tree: { sha: string } }>('GET', `/commits/${sha}`);
  const file = { path: 'by-hand.txt', mode: '100644', type: 'blob', content: 'mine\n' };
  const tree = await ask<{ sha: string }>('POST', '/trees', { base_tree: base.sha, tree: [file] });
  const commit = { message: 'By hand', tree: tree.sha, parents: [sha] };
  const made = await ask<{ sha: string }>('POST', '/commits', commit);
  await ask('PATCH', `/refs/heads/${ref}`, { sha: made.sha });
  return made.sha;
}

const REMARKS = [
  'In capitals, please.',
  'Is this needed?',
  'In capitals, too.',
  '```suggestion\nfourth and last\n```',
].map((body, index) => ({ path: 'pay.txt', line: index + 1, body }));

describe.each(DESKS)('%s', (desk) => {
  const author = AUTHORS[desk];
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ desk });
  });
  afterAll(() => scene?.close());

  test('V-4: three remarks and a suggestion are one round, answered by one review; a commit of a person survives', async () => {
    const story = await scene.begin('revises');
    await story.reached('done');
    const first = await story.pullRequest();
    const byHand = await commitByHand(scene, first.head);
    const walter = scene.sandbox.person('walter');
    await walter.review(first.number, 'REQUEST_CHANGES', '', REMARKS);
    // With a server, the review alone begins the round a minute later, in case that more remarks follow.
    if (desk === 'App') await walter.comment(first.number, '/continue');
    const answer = await until(
      'one review with the answers',
      async () => (await walter.reviews(first.number)).find(({ user }) => user.login === author),
      () =>
        [
          ...scene.apps.map((app) => app.log().slice(-6_000)),
          ...story.jobs().map(({ log }) => log.slice(-3_000)),
        ].join('\n'),
    );
    await story.reached('done');
    const second = await story.pullRequest();
    const head = second.head.sha.slice(0, 7);
    expect(answer.body).toContain('**Round 2: 3 fixed, 1 not changed.**');
    expect(answer.body).toContain(`\`${head}\`, verified on a clean checkout`);
    const replies = (await walter.remarks(first.number)).filter(({ user }) => user.login === author);
    expect(replies.every((reply) => reply.pull_request_review_id === answer.id)).toBe(true);
    expect(replies.map(({ body }) => body.split('\n').at(-1))).toEqual([
      `Fixed in \`${head}\`. “It is in capitals now.”`,
      'Not changed. “`second` is used elsewhere.”',
      `Fixed in \`${head}\`.`,
      `Applied as suggested in \`${head}\`.`,
    ]);
    const file = (path: string) => scene.olivia.file(path, second.head.ref);
    expect(await file('pay.txt')).toBe('FIRST\nsecond\nTHIRD\nfourth and last\n');
    expect(await file('by-hand.txt')).toBe('mine\n');
    const { body } = await scene.sandbox.github.upstream(
      'GET',
      `/repos/olivia/shop/git/commits/${second.head.sha}`,
    );
    expect(body).toMatchObject({ parents: [{ sha: byHand }] });
    expect(story.runs('verify')).toHaveLength(2);
    expect(story.runs('build')).toHaveLength(2);
  });
});
