import type { RunTarget } from '../../src/core/ports/run-target.ts';
import type { SeenPullRequest } from '../../src/sandbox/person.ts';
import type { Run } from '../core/run-builder.ts';
import { until } from '../e2e-github/until.ts';
import { type AppDesk, askingRun } from './app-desk.ts';

export interface Published {
  issue: number;
  run: Run;
  /** As it stands now. */
  pull(): Promise<SeenPullRequest>;
  /** Messages of the branch's commits since the default branch, newest first. */
  messages(): Promise<string[]>;
  head(): Promise<string>;
  check(): Promise<{ status: string; conclusion: string | null } | undefined>;
}

/** A run whose agent has changed a file, asks for a value and is parked: its work is on a branch, with a pull request. */
export async function publishRun(
  desk: AppDesk,
  options: { run?: Run; target?: Partial<RunTarget>; leftOut?: { path: string; problem: string }[] } = {},
): Promise<Published> {
  const run = options.run ?? askingRun(['colour']).park();
  await putChangeset(desk, 'one\n', options.leftOut);
  const { issue } = await desk.seed(run, options.target);
  // The status comment is known when a real run publishes, so the description links to it.
  await desk.perform({ type: 'publish', ready: false });
  const read = async <Body>(path: string) =>
    (await desk.github.upstream('GET', `/repos/olivia/shop${path}`)).body as Body;
  const branch = `autobuild/issue-${issue}`;
  const head = async () => (await read<{ object: { sha: string } }>(`/git/ref/heads/${branch}`)).object.sha;
  return {
    issue,
    run,
    head,
    async pull() {
      const [newest] = (await desk.olivia.pullRequests())
        .filter((pull) => pull.head.ref === branch)
        .toSorted((a, b) => b.number - a.number);
      if (!newest) throw new Error(`No pull request:\n${desk.logged().slice(-4_000)}`);
      return newest;
    },
    async messages() {
      const { object } = await read<{ object: { sha: string } }>('/git/ref/heads/main');
      const messages: string[] = [];
      for (let sha = await head(); sha !== object.sha; ) {
        const commit = await read<{ message: string; parents: { sha: string }[] }>(`/git/commits/${sha}`);
        messages.push(commit.message);
        sha = commit.parents[0]?.sha ?? object.sha;
      }
      return messages;
    },
    async check() {
      const { check_runs } = await read<{ check_runs: { status: string; conclusion: string | null }[] }>(
        `/commits/${await head()}/check-runs`,
      );
      return check_runs[0];
    },
  };
}

/** What the job would have sent before it parked. */
export async function putChangeset(
  desk: AppDesk,
  text: string,
  left_out: { path: string; problem: string }[] = [],
): Promise<void> {
  const { body } = await desk.github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const { sha } = (body as { object: { sha: string } }).object;
  const content = Buffer.from(text).toString('base64');
  const files = text === '' ? [] : [{ path: 'src/login.ts', mode: '100644', status: 'added', content }];
  const changeset = JSON.stringify({ base_sha: sha, files, left_out });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(changeset));
}

/** Something a person does, until GitHub has sent its webhook; then what the App makes of it. */
export async function actAndSettle<Result>(
  desk: AppDesk,
  event: 'pull_request' | 'pull_request_review',
  act: () => Promise<Result>,
): Promise<Result> {
  const sent = () => desk.github.webhooks.deliveries.filter((delivery) => delivery.event === event).length;
  const before = sent();
  const result = await act();
  await until(`a webhook ${event}`, () => sent() > before);
  await desk.settle();
  return result;
}

/** A commit of somebody else's on top of the branch. */
export async function commitOnBranch(desk: AppDesk, branch: string, parent: string): Promise<string> {
  const ask = async <Body>(method: string, path: string, body?: unknown) =>
    (await desk.github.upstream(method, `/repos/olivia/shop/git${path}`, body)).body as Body;
  const { tree } = await ask<{ tree: { sha: string } }>('GET', `/commits/${parent}`);
  const message = 'A hand';
  const { sha } = await ask<{ sha: string }>('POST', '/commits', {
    message,
    tree: tree.sha,
    parents: [parent],
  });
  await ask('PATCH', `/refs/heads/${branch}`, { sha });
  return sha;
}
