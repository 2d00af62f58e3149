import { createHash } from 'node:crypto';
import { createBotOwnership } from '../src/app/bot-ownership.ts';
import type { HostedDependencies } from '../src/app/dependencies.ts';
import { createTicketJobs } from '../src/app/ticket-jobs.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import { createGitHub } from '../src/github/github.ts';
import { RULES } from '../src/guards/rules.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { startRun } from '../test/core/run-builder.ts';
import { asOctokit } from '../test/github/as-octokit.ts';

const APP_ID = 77;
const START_MS = Date.UTC(2026, 10, 16, 9, 0, 0);
const HOUR_MS = 3_600_000;
const LABEL = 'autobuild';
/** Comments that GitHub lists in one call. */
const PAGE = 100;
/** In a busy repository there are so many more. */
const TALK = 20;
/** An issue without the label. */
export const OTHER_ISSUE = 900_000;

interface Repository {
  id: number;
  /** Changes with every change on GitHub, by list. */
  version: Record<'issues' | 'comments' | 'pulls', number>;
  issues: number[];
  /** Comments of people, and those of ours, oldest first. */
  written: { id: number; issue: number; body: string; at: number }[];
  hasReviews: boolean;
}

/** A desk whose runs all wait for an answer, and a GitHub that answers what polling asks and counts as GitHub does. */
export interface ParkedRuns {
  deps: HostedDependencies;
  store: HostedStore;
  clock: { ms: number };
  /** Calls since the last look, by route: those that GitHub counts, and those that it answers with 304. */
  takeCalls(): { counted: Record<string, number>; unchanged: number };
  /** A comment of a person with write access, whose webhook is lost. Returns the key it is answered under. */
  comment(repository: number, issue: number, body: string, at?: number): string;
  /** Somebody deletes what was written on an issue, and nobody tells. */
  deleteComments(repository: number, issue: number): void;
  close(): Promise<void>;
}

export async function openParkedRuns(options: {
  repositories: number;
  runs: number;
  /** Since the labels, people wrote more than the newest page of comments shows, and a bot reviewed each pull request. */
  isBusy?: boolean;
  /** Every call takes this long. */
  onCall?(): Promise<void>;
}): Promise<ParkedRuns> {
  const clock = { ms: START_MS + HOUR_MS };
  const key = Buffer.alloc(32, 7).toString('base64');
  const store = await openSqliteStore({ file: ':memory:', key, clock: () => clock.ms });
  const repositories = Array.from({ length: options.repositories }, (_, index): Repository => {
    const version = { issues: 1, comments: 1, pulls: 1 };
    return { id: index + 1, version, issues: [], written: [], hasReviews: options.isBusy ?? false };
  });
  for (let index = 0; index < options.runs; index += 1) {
    const repository = repositories[index % repositories.length];
    if (repository) await park(store, repository, index + 1);
  }
  for (const { id, written } of options.isBusy ? repositories : [])
    for (let index = 0; index < PAGE + TALK; index += 1) {
      const at = START_MS + ((index + 1) * HOUR_MS) / (PAGE + TALK + 1);
      written.push({ id: id * 1_000 + 500_000 + index, issue: OTHER_ISSUE, body: 'Nice weather.', at });
    }
  const calls = { counted: {} as Record<string, number>, unchanged: 0 };
  const find = (repo: string) => repositories.find(({ id }) => `shop-${id}` === repo);
  const answerGraphql = ({ query, variables }: { query: string; variables: { ids?: string[] } }) => {
    calls.counted.graphql = (calls.counted.graphql ?? 0) + 1;
    if (!query.includes('reviews { totalCount }')) return { node: { lastEditedAt: null, editor: null } };
    const reviews = { totalCount: options.isBusy ? 1 : 0 };
    return { nodes: (variables.ids ?? []).map((id) => ({ id, reviews })) };
  };
  const request = async (route: string, parameters: Record<string, never>) => {
    await options.onCall?.();
    if (route === 'POST /graphql')
      return { status: 200, headers: {}, data: { data: answerGraphql(parameters as never) } };
    const repository = find(parameters.repo ?? '');
    const answer = repository && answerCall(repository, route, parameters);
    const known = (parameters.headers as Record<string, string> | undefined)?.['if-none-match'];
    // GitHub's ETags differ by token, and an installation's token lives for an hour.
    const token = Math.floor((clock.ms + HOUR_MS / 2) / HOUR_MS);
    const etag =
      answer && hash(`${token} ${route} ${JSON.stringify({ ...parameters, headers: 0 })} ${answer.of}`);
    if (answer && known === etag) {
      calls.unchanged += 1;
      throw Object.assign(new Error('Not modified'), { status: 304, response: { headers: {} } });
    }
    calls.counted[route] = (calls.counted[route] ?? 0) + 1;
    const status = answer ? 404 : 500;
    if (answer?.data === undefined)
      throw Object.assign(new Error(`No answer to ${route}`), { status, response: { headers: {} } });
    return { status: 200, headers: { etag }, data: answer.data };
  };
  const octokit = asOctokit(request);
  let ids = 1_000_000;
  const silent = () => undefined;
  const deps: HostedDependencies = {
    store,
    rules: RULES,
    agents: ['claude'],
    github: async ({ owner, repo }) => createGitHub(octokit, { owner, repo, appId: APP_ID }),
    repositories: async () => ({
      repositories: repositories.map(({ id }) => ({ ...placeOf(id), archived: false })),
      unread: [],
    }),
    settings: {
      ...{ label: LABEL, webUrl: 'https://github.test' },
      capabilities: { live: true, form: false },
    },
    jobs: createTicketJobs({ store, publicUrl: 'https://desk.test', randomToken: () => 'token', hash }),
    ownership: createBotOwnership({ appId: APP_ID, slug: 'autobuild' }),
    now: () => new Date(clock.ms),
    monotonicMs: () => clock.ms,
    // Nothing is published here.
    later: () => undefined,
    randomToken: () => 'token',
    hash,
    fetch: async () => ({ ok: true, status: 200 }),
    log: { info: silent, warn: silent, error: silent },
  };
  return {
    deps,
    store,
    clock,
    takeCalls() {
      const taken = { counted: { ...calls.counted }, unchanged: calls.unchanged };
      calls.counted = {};
      calls.unchanged = 0;
      return taken;
    },
    comment(number, issue, body, at = clock.ms) {
      const repository = repositories[number - 1];
      ids += 1;
      repository?.written.push({ id: ids, issue, body, at });
      if (repository) repository.version.comments += 1;
      return `comment:${ids}`;
    },
    deleteComments(number, issue) {
      const repository = repositories[number - 1];
      if (!repository) return;
      repository.written = repository.written.filter((comment) => comment.issue !== issue);
      repository.version.comments += 1;
    },
    close: () => store.close(),
  };
}

function placeOf(id: number) {
  return { installation_id: 100, owner: 'olivia', repo: `shop-${id}`, repo_id: id };
}

/** A run that has asked and waits, with its comments and its pull request, as its jobs have left it. */
async function park(store: HostedStore, repository: Repository, number: number): Promise<void> {
  const run = `run-${number}`;
  repository.issues.push(number);
  const parked = startRun({ run, startMs: START_MS })
    .beginTurn()
    .askForHelp([{ key: 'colour', label: 'colour' }])
    .park();
  const target = {
    ...placeOf(repository.id),
    ...{ issue: number, default_branch: 'main', head_sha: 'a'.repeat(40), private: false },
    ...{ workflow: 'autobuild.yml', ci: 'skip' as const, labelled_by: 'olivia' },
  };
  const labelling = { at: timeOf(START_MS) };
  for (const [version, commit] of parked.commits.entries())
    await store.runs.commit(run, version, { ...commit, ...(version === 0 && { target, labelling }) });
  for (const { op } of await store.dispatches.open(run))
    await store.dispatches.change(op, { ended_at: timeOf(START_MS), outcome: 'parked' });
  for (const [index, name] of ['status', parked.state.pending ?? ''].entries()) {
    const id = number * 10 + index;
    await store.comments.save(`${run}.${name}`, { run, comment_id: id, body_hash: hash('ours') });
    repository.written.push({ id, issue: number, body: 'ours', at: START_MS });
  }
  await store.publications.change(run, { label: `${LABEL}:waiting`, pull: 100_000 + number });
}

/** `of` names the version of the data, because comparing it is cheaper than making it. */
function answerCall(
  { id, version, issues, written, hasReviews }: Repository,
  route: string,
  parameters: Record<string, never>,
): { of: string; data: unknown } | undefined {
  const at = timeOf(START_MS);
  const where = `https://api.github.test/repos/olivia/shop-${id}`;
  const user = { login: 'olivia', type: 'User' };
  const toComment = ({ id: comment, issue, body, at: ms }: Repository['written'][number]) => ({
    ...{ id: comment, node_id: `C_${comment}`, body, user, html_url: where },
    ...{ created_at: timeOf(ms), updated_at: timeOf(ms), issue_url: `${where}/issues/${issue}` },
  });
  const reviewOfBot = {
    ...{ id: 1, node_id: 'PRR_1', body: '', user: { login: 'lint[bot]', type: 'Bot' } },
    ...{ state: 'COMMENTED', html_url: where, submitted_at: at },
  };
  switch (route) {
    case 'GET /repos/{owner}/{repo}/labels/{name}':
      return { of: 'label', data: { name: LABEL } };
    case 'GET /repos/{owner}/{repo}/issues':
      return {
        of: `issues ${version.issues}`,
        data: issues.map((number) => ({
          ...{ number, node_id: `I_${number}`, title: 'Paint it', body: '', state: 'open', locked: false },
          ...{ labels: [{ name: LABEL }, { name: `${LABEL}:waiting` }], user, comments: 2, updated_at: at },
        })),
      };
    case 'GET /repos/{owner}/{repo}/issues/comments':
      return {
        of: `comments ${version.comments}`,
        data: pageOf(written, parameters).map(toComment),
      };
    case 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments':
      return {
        of: `comments ${version.comments}`,
        data: written.filter(({ issue }) => issue === Number(parameters.issue_number)).map(toComment),
      };
    case 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}':
      return {
        of: 'ours',
        data: written.filter((comment) => comment.id === Number(parameters.comment_id)).map(toComment)[0],
      };
    case 'GET /repos/{owner}/{repo}/pulls':
    case 'GET /repos/{owner}/{repo}/pulls/{pull_number}': {
      const pulls = issues.map((number) => ({
        ...{ number: 100_000 + number, node_id: `PR_${number}`, state: 'open', draft: true, merged_at: null },
        ...{
          head: { ref: 'branch', sha: 'b'.repeat(40) },
          base: { ref: 'main' },
          body: '',
          updated_at: at,
          html_url: where,
        },
      }));
      const one = pulls.find(({ number }) => number === Number(parameters.pull_number));
      return { of: `pulls ${version.pulls}`, data: one ?? pulls };
    }
    case 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews':
      return { of: 'reviews', data: hasReviews ? [reviewOfBot] : [] };
    case 'GET /repos/{owner}/{repo}/collaborators/{username}/permission':
      return { of: 'admin', data: { permission: 'admin', role_name: 'admin', user } };
    default:
      return undefined;
  }
}

/** Newest first, since the time that is asked for. */
function pageOf(
  written: Repository['written'],
  { since, page }: Record<string, never>,
): Repository['written'] {
  const last = Number(page ?? 1) * PAGE;
  return written
    .filter(({ at }) => timeOf(at) >= timeOf(Date.parse(since ?? timeOf(0))))
    .toSorted((one, other) => other.at - one.at)
    .slice(last - PAGE, last);
}

function timeOf(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace('.000Z', 'Z');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
