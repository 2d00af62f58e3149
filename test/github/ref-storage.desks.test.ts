import { describe, expect, test } from 'vitest';
import { createRefStorage } from '../../src/github/ref-storage.ts';
import { removeOldRefs } from '../../src/store/ref/remove-old-refs.ts';
import { note, request } from '../store/hosted/commits.ts';
import { openForTest } from '../store/ref/open-for-test.ts';
import { race } from '../store/ref/races.ts';
import { createGitDatabase, type GitDatabaseRules } from './git-database.ts';

const PLACE = { owner: 'alice', repo: 'demo' };
const RULES: [string, GitDatabaseRules][] = [
  ['as documented', {}],
  ['without GraphQL', { withoutGraphql: true }],
  ['with branches only', { branchesOnly: true }],
  ['with branches only and without GraphQL', { withoutGraphql: true, branchesOnly: true }],
];

describe.each(RULES)('desks on a GitHub %s', (_, rules) => {
  const desk = (run: number) => ({ holder: { run, attempt: 1, part: 'desk' } });

  test('N-2: one desk after the other, each with a client of its own, to the end of the ref', async () => {
    const database = createGitDatabase(rules);
    const connect = () => createRefStorage(database.octokit, PLACE);
    for (let run = 1; run <= 3; run += 1) {
      const opened = await openForTest({ storage: connect(), ...desk(run) });
      const { version } = await opened.store.runs.load('r1');
      expect(version).toBe(run - 1);
      await opened.store.runs.commit('r1', version, version === 0 ? request('r1') : note(version + 1));
      opened.putEntry('brief', Buffer.from(`brief ${run}`));
      await opened.save();
      await opened.release({ ended: '2026-01-01T00:00:00Z' });
    }
    expect([...database.refs.keys()]).toEqual([
      rules.branchesOnly ? 'refs/heads/autobuild-state/issue-7' : 'refs/autobuild/issue-7',
    ]);
    await removeOldRefs({ storage: connect(), now: Date.now });
    expect([...database.refs.keys()]).toEqual([]);
  });

  test('N-2: no comment lost and no answer doubled, in 10 seeds', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { octokit } = createGitDatabase(rules);
      const outcome = await race(seed, () => createRefStorage(octokit, PLACE));
      expect(outcome, `seed ${seed}`).toMatchObject({ lost: 0, doubled: 0 });
    }
  });
});

test('N-2: a desk of an open issue makes 9 calls for its state, and leaves no history', async () => {
  const database = createGitDatabase();
  for (let run = 1; run <= 2; run += 1) {
    const storage = createRefStorage(database.octokit, PLACE);
    database.calls.length = 0;
    const opened = await openForTest({ storage, holder: { run, attempt: 1, part: 'desk' } });
    const { version } = await opened.store.runs.load('r1');
    await opened.store.runs.commit('r1', version, version === 0 ? request('r1') : note(version + 1));
    await opened.save();
    await opened.store.runs.commit('r1', version + 1, note(version + 2));
    await opened.release();
  }
  expect(database.calls.map((route) => route.replace('/repos/{owner}/{repo}/git', ''))).toEqual([
    ...['GraphQL'],
    ...['POST /commits', 'GraphQL'],
    ...['POST /trees', 'POST /commits', 'GraphQL'],
    ...['POST /trees', 'POST /commits', 'GraphQL'],
  ]);
  const [tip] = database.refs.values();
  expect(database.commits.get(tip ?? '')?.parents).toEqual([]);
});
