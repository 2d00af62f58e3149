import { afterEach, expect, test } from 'vitest';
import { refuse } from '../../../src/sandbox/github/gap.ts';
import { type AppDesk, openAppDesk } from '../app-desk.ts';
import { publishRun } from '../published-run.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

test('R-3: CI that skips a merge is told, though its webhook was lost and GitHub refused to be read then', async () => {
  desk = await openAppDesk();
  const work = await publishRun(desk);
  const { number } = await work.pull();
  await desk.github.upstream('PATCH', `/repos/olivia/shop/pulls/${number}`, { draft: false });
  await desk.settle();
  desk.loseWebhooks(true);
  await desk.github.callAs('olivia', 'PUT', `/repos/olivia/shop/pulls/${number}/merge`, {
    merge_method: 'squash',
    commit_message: 'Add a login page\n\n[skip ci]',
  });
  await desk.settle();
  let failures = 0;
  desk.interfere(({ method, path, caller }) => {
    const isMessage = method === 'GET' && /\/commits\/[0-9a-f]{40}$/.test(path);
    if (caller.kind !== 'installation' || !isMessage) return undefined;
    failures += 1;
    return refuse(403, 'Forbidden');
  });
  for (let time = 0; time < 3; time += 1) {
    desk.clock.ms += 60_000;
    await desk.reconcile();
    await desk.settle();
    desk.interfere(() => undefined);
  }
  expect(failures).toBeGreaterThan(0);
  expect((await desk.state()).status).toBe('approved');
  const warnings = (await desk.olivia.comments(number)).filter(({ body }) =>
    body.includes('CI did not run on `main` for this merge'),
  );
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.body).toContain('The box "Run CI on this branch" removes it');
});
