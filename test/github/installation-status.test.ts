import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { readInstallationStatus } from '../../src/github/installation-status.ts';
import { exampleItem, useGitHubApi } from './github-api.ts';

const LIST = 'GET /app/installations';
const { on } = useGitHubApi();
const silent = () => undefined;
const octokit = new Octokit({
  auth: 'a-token',
  log: { debug: silent, info: silent, warn: silent, error: silent },
});
// GitHub's example lacks what its schema asks of an enterprise.
const ACCOUNT = { name: 'github', slug: 'github', created_at: null, updated_at: null };
const installation = (id: number, suspended_at: string | null) =>
  exampleItem(LIST, { id, suspended_at, account: ACCOUNT });

test('an installation is active, suspended or gone', async () => {
  const answer = [installation(1, null), installation(2, '2026-11-16T10:00:00Z')];
  for (const [id, status] of [
    [1, 'active'],
    [2, 'suspended'],
    [3, 'gone'],
  ] as const) {
    on(LIST, { answer });
    expect(await readInstallationStatus(octokit, id)).toBe(status);
  }
});
