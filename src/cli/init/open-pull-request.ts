import { GitHubError } from '../../core/ports/github-port.ts';
import { openOctokit } from '../../github/client/open-octokit.ts';
import { createGitHub } from '../../github/github.ts';
import { readDoctorAccess } from '../doctor/doctor-access.ts';
import { findGh, repositoryForGh } from './gh.ts';
import { type Base, BRANCH } from './push-branch.ts';
import type { Remote } from './remote.ts';

const TIMEOUT_MS = 60_000;
const TITLE = 'Add Autobuild';

/** Opens the pull request with `gh`, or else with a token of the environment, or else says where a person can. */
export async function openPullRequest(
  { remote, base, body }: { remote: Remote; base: Base; body: string },
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const { host, repository } = remote;
  const gh = findGh({ cwd, env });
  if (gh) {
    const repo = repositoryForGh(remote);
    const args = ['pr', 'create', '--repo', repo, '--head', BRANCH, '--base', base.branch];
    const made = await gh.run([...args, '--title', TITLE, '--body', body]);
    const url = /https?:\/\/\S+\/pull\/\d+/.exec(made.text)?.[0];
    // gh also names the pull request of the branch that is there already.
    if (url) return `✓ The pull request is ${made.ok ? 'open' : 'there already'}: ${url}`;
  }
  const opened = await openWithToken({ remote, base, body }, env);
  if (opened && 'number' in opened)
    return `✓ The pull request is open: https://${host}/${repository}/pull/${opened.number}`;
  const address = `https://${host}/${repository}/compare/${base.branch}...${BRANCH}?expand=1`;
  return `✓ The branch ${BRANCH} is pushed${opened ? ` (${opened.problem})` : ''}. Open the pull request: ${address}`;
}

async function openWithToken(
  { remote: { host, repository }, base, body }: { remote: Remote; base: Base; body: string },
  env: Record<string, string>,
): Promise<{ number: number } | { problem: string } | undefined> {
  const { token, apiUrl } = readDoctorAccess(env).access;
  const isThere = host === 'github.com' || env.GITHUB_API_URL || env.GHE_HOST;
  const [owner = '', repo = ''] = repository.split('/');
  if (!token || !apiUrl || !isThere) return undefined;
  const octokit = openOctokit({ apiUrl, token: token.value, timeoutMs: TIMEOUT_MS });
  // The App's id is used only for comments and check runs.
  const github = createGitHub(octokit, { owner, repo, appId: 0 });
  try {
    const { number } = await github.createPullRequest({
      branch: BRANCH,
      base: base.branch,
      title: TITLE,
      body,
      draft: false,
    });
    return { number };
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return { problem: `${token.variable} did not open the pull request: ${error.message.split('\n')[0]}` };
  }
}
