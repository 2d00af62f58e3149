import {
  type Answer,
  type Call,
  type Gap,
  type Json,
  matchPath,
  refuse,
  type Upstream,
} from '../github/gap.ts';

type Conclusion =
  | 'success'
  | 'failure'
  | 'timed_out'
  | 'startup_failure'
  | 'action_required'
  | 'cancelled'
  | 'skipped';

interface FakeRun {
  name: string;
  /** Absent while it runs. */
  conclusion?: Conclusion;
  steps?: { name: string; conclusion: string }[];
  /** The whole log, as Actions keeps it. Absent: there is none yet. */
  log?: string;
  notes?: { path: string; message: string }[];
}

/** The results of one workflow, or of another App, on a commit. */
interface FakeSuite {
  /** The file of the workflow. Absent: the suite is of another App. */
  workflow?: string;
  /** For a suite without runs. Otherwise it follows from them. */
  conclusion?: Conclusion;
  runs: FakeRun[];
}

interface FakeStatus {
  context: string;
  state: 'success' | 'failure' | 'error' | 'pending';
  description?: string;
  target_url?: string;
}

interface KnownRun extends FakeRun {
  id: number;
  ended_at?: string;
}

interface KnownSuite extends Omit<FakeSuite, 'runs'> {
  id: number;
  runs: KnownRun[];
}

export interface FakeCi extends Gap {
  /** A suite on a commit. The same workflow again: more attempts. The webhooks of what is over are sent. */
  report(sha: string, suite: FakeSuite): Promise<void>;
  status(sha: string, status: FakeStatus): Promise<void>;
  /** Whether the App has `statuses: read`. */
  allowStatuses(isAllowed: boolean): void;
  conflict(pull: number): void;
  /** The answer to a query about CI. Undefined: it is about something else. */
  resolve(query: string, variables: Json): Promise<unknown>;
  /** The log at an address to which a job's log leads. */
  logAt(path: string): string | undefined;
}

interface FakeCiOptions {
  url: string;
  owner: string;
  name: string;
  appId: number;
  upstream: Upstream;
  emit(event: string, payload: Json): void;
  mergeable(pull: number): Promise<string>;
  installation: Json;
}

const ACTIONS = { databaseId: 15_368, slug: 'github-actions', name: 'GitHub Actions' };
const OTHER_APP = { databaseId: 254, slug: 'other-ci', name: 'Other CI' };
const LOGS = '/_logs/';

/** CI of the repository: what it says is put here, and no workflow runs for it. */
export function createFakeCi(options: FakeCiOptions): FakeCi {
  const { url, owner, name, appId, upstream, emit, installation } = options;
  const repository = `/repos/${owner}/${name}`;
  const suites = new Map<string, KnownSuite[]>();
  const statuses = new Map<string, (FakeStatus & { at: string })[]>();
  const conflicting = new Set<number>();
  let mayReadStatuses = true;
  let lastId = 9_000;

  const read = async <Body>(path: string) => (await upstream('GET', `${repository}${path}`)).body as Body;
  const runs = () => [...suites.values()].flat().flatMap((suite) => suite.runs);

  async function branchesAt(sha: string): Promise<string[]> {
    const heads = await read<{ ref: string; object: { sha: string } }[]>('/git/matching-refs/heads/');
    return heads.filter(({ object }) => object.sha === sha).map(({ ref }) => ref.replace('refs/heads/', ''));
  }

  async function send(event: string, sha: string, payload: Json): Promise<void> {
    const [head_branch = null] = await branchesAt(sha);
    const where = { head_sha: sha, head_branch };
    const check_suite = payload.check_suite && { ...Object(payload.check_suite), ...where };
    const check_run = payload.check_run && {
      ...{ ...Object(payload.check_run), head_sha: sha },
      check_suite: where,
    };
    emit(event, {
      ...payload,
      ...(check_suite && { check_suite }),
      ...(check_run && { check_run }),
      repository: await read<Json>(''),
      sender: { login: 'github-actions[bot]', id: 41_898_282, type: 'Bot' },
      installation,
    });
  }

  const describeRun = ({ id, name: title, conclusion, ended_at, notes = [] }: KnownRun) => ({
    ...{ databaseId: id, name: title, status: conclusion ? 'COMPLETED' : 'IN_PROGRESS' },
    conclusion: conclusion?.toUpperCase() ?? null,
    permalink: `${url}/${owner}/${name}/actions/runs/7000/job/${id}`,
    completedAt: ended_at ?? null,
    annotations: { nodes: notes.map((note) => ({ ...note, annotationLevel: 'FAILURE' })) },
  });

  const newestOf = (suite: KnownSuite) =>
    [...Map.groupBy(suite.runs, (run) => run.name).values()].flatMap((attempts) => attempts.at(-1) ?? []);

  function conclusionOf(suite: KnownSuite): string | null {
    if (suite.runs.length === 0) return suite.conclusion?.toUpperCase() ?? null;
    const found = newestOf(suite).map(({ conclusion }) => conclusion);
    if (found.includes(undefined)) return null;
    return (found.find((conclusion) => conclusion !== 'success') ?? 'success').toUpperCase();
  }

  const describeSuite = (suite: KnownSuite, only?: string) => {
    const conclusion = conclusionOf(suite);
    const shown = only === undefined ? suite.runs : newestOf(suite).filter((run) => run.name === only);
    return {
      ...{ status: conclusion === null ? 'QUEUED' : 'COMPLETED', conclusion, url },
      app: suite.workflow === undefined ? OTHER_APP : ACTIONS,
      workflowRun: suite.workflow
        ? {
            url: `${url}/${owner}/${name}/actions/runs/7000`,
            workflow: { name: suite.workflow.replace(/\.ya?ml$/, '') },
            file: { path: `.github/workflows/${suite.workflow}` },
          }
        : null,
      checkRuns: { nodes: shown.map(describeRun) },
    };
  };

  /** The check runs that our App made, which emulate keeps. */
  async function ownSuite(sha: string): Promise<unknown[]> {
    const { check_runs = [] } = await read<{ check_runs?: Json[] }>(`/commits/${sha}/check-runs`);
    if (check_runs.length === 0) return [];
    const nodes = check_runs.map((run) => ({
      ...{ databaseId: run.id, name: run.name, status: String(run.status).toUpperCase() },
      ...{
        conclusion: run.conclusion && String(run.conclusion).toUpperCase(),
        completedAt: run.completed_at,
      },
    }));
    const app = { databaseId: appId, slug: 'autobuild', name: 'Autobuild' };
    return [{ status: 'QUEUED', conclusion: null, url, app, workflowRun: null, checkRuns: { nodes } }];
  }

  async function describePull(number: number): Promise<unknown> {
    const pull = await read<Json & { head: { sha: string; ref: string }; base: { ref: string } }>(
      `/pulls/${number}`,
    );
    if (!pull.head) return null;
    // emulate keeps the head with which it was opened.
    const tip = await read<{ object?: { sha: string } }>(`/git/ref/heads/${pull.head.ref}`);
    const sha = tip.object?.sha ?? pull.head.sha;
    const { message } = await read<{ message: string }>(`/git/commits/${sha}`);
    const nodes = [...(suites.get(sha) ?? []).map((suite) => describeSuite(suite)), ...(await ownSuite(sha))];
    return {
      state: pull.merged ? 'MERGED' : String(pull.state).toUpperCase(),
      ...{ headRefOid: sha, baseRefName: pull.base.ref },
      mergeable: conflicting.has(number) ? 'CONFLICTING' : await options.mergeable(number),
      commits: { nodes: [{ commit: { oid: sha, message, checkSuites: { nodes } } }] },
    };
  }

  async function history(branch: string): Promise<string[]> {
    const found = await read<{ sha: string }[]>(
      `/commits?sha=${branch.replace('refs/heads/', '')}&per_page=20`,
    );
    return found.map(({ sha }) => sha);
  }

  const refuseStatuses = () => {
    if (!mayReadStatuses) throw new Error('Resource not accessible by integration');
  };
  const describeStatus = ({ context, state, description, target_url, at }: FakeStatus & { at: string }) => ({
    ...{ context, state: state.toUpperCase(), createdAt: at },
    ...{ targetUrl: target_url ?? null, description: description ?? null },
  });

  return {
    async report(sha, { runs: added, ...suite }) {
      const ended_at = new Date().toISOString();
      const known = suites.get(sha) ?? [];
      const before = known.find(({ workflow }) => workflow === suite.workflow);
      const fresh = added.map((run): KnownRun => {
        lastId += 1;
        return { ...run, id: lastId, ended_at: run.conclusion && ended_at };
      });
      // A run that was going on is the one that is over now.
      const kept = (before?.runs ?? []).filter(
        (run) => run.conclusion || !fresh.some((other) => other.name === run.name),
      );
      lastId += 1;
      const now: KnownSuite = { ...suite, id: before?.id ?? lastId, runs: [...kept, ...fresh] };
      suites.set(sha, [...known.filter((other) => other !== before), now]);
      for (const { id, name: title, conclusion } of fresh)
        if (conclusion)
          await send('check_run', sha, { action: 'completed', check_run: { id, name: title, conclusion } });
      const conclusion = conclusionOf(now)?.toLowerCase();
      if (conclusion)
        await send('check_suite', sha, { action: 'completed', check_suite: { id: now.id, conclusion } });
    },

    async status(sha, status) {
      const others = (statuses.get(sha) ?? []).filter(({ context }) => context !== status.context);
      statuses.set(sha, [...others, { ...status, at: new Date().toISOString() }]);
      const branches = (await branchesAt(sha)).map((branch) => ({ name: branch }));
      if (mayReadStatuses) await send('status', sha, { sha, ...status, branches });
    },

    allowStatuses(isAllowed) {
      mayReadStatuses = isAllowed;
    },

    conflict(pull) {
      conflicting.add(pull);
    },

    async resolve(query, { number, sha, branch, name: wanted }) {
      if (query.includes('checkType: ALL'))
        return { repository: { pullRequest: await describePull(Number(number)) } };
      if (query.includes('... on Commit { status {')) {
        refuseStatuses();
        const contexts = (statuses.get(String(sha)) ?? []).map(describeStatus);
        return { repository: { object: { status: contexts.length > 0 ? { contexts } : null } } };
      }
      if (query.includes('checkType: LATEST')) {
        const nodes = (await history(String(branch))).map((oid) => ({
          oid,
          checkSuites: {
            nodes: (suites.get(oid) ?? []).map((suite) => describeSuite(suite, String(wanted))),
          },
        }));
        return { repository: { ref: { target: { history: { nodes } } } } };
      }
      if (query.includes('status { context(name:')) {
        refuseStatuses();
        const nodes = (await history(String(branch))).map((oid) => {
          const found = statuses.get(oid)?.find(({ context }) => context === wanted);
          return { oid, status: found ? { context: describeStatus(found) } : null };
        });
        return { repository: { ref: { target: { history: { nodes } } } } };
      }
      return undefined;
    },

    logAt(path) {
      if (!path.startsWith(LOGS)) return undefined;
      return runs().find(({ id }) => String(id) === path.slice(LOGS.length))?.log ?? '';
    },

    answer({ method, path }: Call): Answer | undefined {
      const asked = matchPath('/repos/:owner/:repo/actions/jobs/:job/*rest', `${path}/`);
      if (method !== 'GET' || !asked) return undefined;
      const job = runs().find(({ id }) => String(id) === asked.job);
      if (!job) return refuse(404, 'Not Found');
      if (asked.rest?.startsWith('logs')) {
        if (job.log === undefined) return refuse(404, 'Not Found');
        return { status: 302, headers: { location: `${url}${LOGS}${job.id}` } };
      }
      return { status: 200, body: describeJob(job, `${url}/api/v3${repository}`) };
    },
  };
}

function describeJob({ id, name, conclusion, ended_at, steps = [] }: KnownRun, api: string): Json {
  const at = ended_at ?? new Date(0).toISOString();
  return {
    ...{ id, name, run_id: 7_000, run_url: `${api}/actions/runs/7000`, node_id: `CR_${id}`, head_sha: '' },
    ...{ url: `${api}/actions/jobs/${id}`, html_url: null, check_run_url: `${api}/check-runs/${id}` },
    ...{ status: conclusion ? 'completed' : 'in_progress', conclusion: conclusion ?? null },
    ...{ created_at: at, started_at: at, completed_at: ended_at ?? null, labels: ['ubuntu-latest'] },
    ...{ runner_id: 1, runner_name: 'runner', runner_group_id: 1, runner_group_name: 'Default' },
    ...{ workflow_name: 'ci', head_branch: null },
    steps: steps.map((step, index) => ({ ...step, number: index + 1, status: 'completed' })),
  };
}
