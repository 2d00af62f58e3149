import { expect, test } from 'vitest';
import type { DeskJob } from '../../src/actions-desk/desk-job.ts';
import { withoutAsking } from '../../src/actions-desk/without-asking.ts';
import type { GitHub } from '../../src/core/ports/github-port.ts';

const repository = { id: 7, default_branch: 'trunk', private: true, archived: false };
const ASKED = { name: 'main', sha: 'b', private: false, archived: false, repo_id: 7 };

function open(payload: unknown, heads: Record<string, string> = { trunk: 'a' }) {
  const calls: string[] = [];
  const github = {
    async branchHead(branch: string) {
      calls.push(branch);
      return heads[branch];
    },
    async defaultBranch() {
      calls.push('repository');
      return ASKED;
    },
    async workflow(file: string) {
      calls.push(file);
      return 'missing';
    },
  } as unknown as GitHub;
  const job = { workflow: 'autobuild.yml', repoId: 7, event: { name: 'issues', payload } } as DeskJob;
  return { calls, github: withoutAsking({ job, github }) };
}

test('N-1: the repository is as the event tells it, and only its head is asked for', async () => {
  const { calls, github } = open({ repository });
  expect(await github.defaultBranch()).toEqual({
    name: 'trunk',
    sha: 'a',
    private: true,
    archived: false,
    repo_id: 7,
  });
  expect(calls).toEqual(['trunk']);
});

test.each([
  ['of another repository', { repository: { ...repository, id: 8 } }, undefined],
  ['that does not tell', { schedule: '0 0 * * *' }, undefined],
  ['whose branch is gone', { repository }, {}],
])('N-1: after an event %s, GitHub is asked', async (_, payload, heads) => {
  const { calls, github } = open(payload, heads);
  expect(await github.defaultBranch()).toEqual(ASKED);
  expect(calls).toContain('repository');
});

test('N-1: the workflow that this desk runs in is there', async () => {
  const { calls, github } = open({});
  expect(await github.workflow('autobuild.yml')).toBe('there');
  expect(calls).toEqual([]);
  expect(await github.workflow('other.yml')).toBe('missing');
});
