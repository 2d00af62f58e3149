import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '../store/hosted/postgres-server.ts';
import { openScene } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.close());

test.each([
  { store: 'PostgreSQL', apps: 1 },
  { store: 'PostgreSQL', apps: 2 },
])('C-2, C-4: label to pull request on $store with $apps of the App', async ({ store, apps }) => {
  const databaseUrl = store === 'PostgreSQL' ? await postgres.createDatabase() : undefined;
  const scene = await openScene({ desk: 'App', databaseUrl, apps });
  try {
    const [first, second] = await Promise.all([scene.begin('asks'), scene.begin('makes')]);
    const question = await first.question();
    await first.parked();
    await scene.olivia.comment(first.issue, '/provide colour=blue');
    await Promise.all([first.reached('done'), second.reached('done')]);
    const pull = await first.pullRequest();
    expect(await scene.olivia.file('done.txt', pull.head.ref)).toBe('blue\n');
    const ours = (await first.comments()).filter(({ user }) => user.login === 'autobuild[bot]');
    const kinds = ours.map(({ body }) => /autobuild:(\w+)/.exec(body)?.[1]).sort();
    expect(kinds).toEqual(['escalation', 'receipt', 'reply', 'status']);
    expect(ours.find(({ id }) => id === question.id)?.body).toContain('✓ Answered');
    expect([first.runs().length, second.runs().length]).toEqual([3, 2]);
  } finally {
    await scene.close();
  }
});
