import type {
  CiMethods,
  CiResult,
  CiRun,
  CiSuite,
  CommitStatus,
  PastResult,
  PullCi,
} from '../../core/ports/github/ci-port.ts';
import { type Client, isStatus, orUndefined } from '../client/client.ts';
import { readLogTail } from './job-log.ts';

/** With more suites or attempts than this, the rest is not looked at. */
const PULL_CI = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      state headRefOid baseRefName mergeable
      commits(last: 1) {
        nodes {
          commit {
            oid message
            checkSuites(first: 50) {
              nodes {
                status conclusion url
                app { databaseId slug name }
                workflowRun { url workflow { name } file { path } }
                checkRuns(first: 100, filterBy: { checkType: ALL }) {
                  nodes {
                    databaseId name status conclusion permalink completedAt
                    annotations(first: 5) { nodes { message path annotationLevel } }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}`;

const STATUSES = `query ($owner: String!, $repo: String!, $sha: GitObjectID!) {
  repository(owner: $owner, name: $repo) {
    object(oid: $sha) {
      ... on Commit { status { contexts { context state targetUrl description createdAt } } }
    }
  }
}`;

const PAST_CHECKS = `query ($owner: String!, $repo: String!, $branch: String!, $name: String!) {
  repository(owner: $owner, name: $repo) {
    ref(qualifiedName: $branch) {
      target {
        ... on Commit {
          history(first: 20) {
            nodes {
              oid
              checkSuites(first: 20) {
                nodes {
                  app { databaseId slug name }
                  workflowRun { url workflow { name } file { path } }
                  checkRuns(first: 2, filterBy: { checkName: $name, checkType: LATEST }) {
                    nodes { databaseId name status conclusion completedAt }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}`;

const PAST_STATUSES = `query ($owner: String!, $repo: String!, $branch: String!, $name: String!) {
  repository(owner: $owner, name: $repo) {
    ref(qualifiedName: $branch) {
      target {
        ... on Commit { history(first: 20) { nodes { oid status { context(name: $name) { state createdAt } } } } }
      }
    }
  }
}`;

interface Nodes<Node> {
  nodes: Node[];
}
interface RunNode {
  databaseId: number | null;
  name: string;
  status: string;
  conclusion: string | null;
  permalink?: string;
  completedAt: string | null;
  annotations?: Nodes<{ message: string; path: string; annotationLevel: string | null }> | null;
}
interface SuiteNode {
  status: string;
  conclusion: string | null;
  url?: string;
  app: { databaseId: number | null; slug: string; name: string } | null;
  workflowRun: { url: string; workflow: { name: string }; file: { path: string } | null } | null;
  checkRuns: Nodes<RunNode> | null;
}
interface PullNode {
  state: string;
  headRefOid: string;
  baseRefName: string;
  mergeable: PullCi['mergeable'];
  commits: Nodes<{ commit: { oid: string; message: string; checkSuites: Nodes<SuiteNode> | null } }>;
}
interface StatusNode {
  context: string;
  state: string;
  targetUrl: string | null;
  description: string | null;
  createdAt: string;
}
interface Past<Node> {
  repository: { ref: { target: { history?: Nodes<Node> } } | null } | null;
}

const RESULTS: Record<string, CiResult> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  ERROR: 'failed',
  TIMED_OUT: 'failed',
  STARTUP_FAILURE: 'failed',
  ACTION_REQUIRED: 'approval',
  PENDING: 'running',
  EXPECTED: 'running',
};
/** The name of our check run, where a workflow's token makes it and no App id tells whose it is. */
const OWN_CHECK = 'autobuild';

/** The repository's CI. Checks are read by their suites, because a rollup does not tell whether all of them are over. */
export function createCiMethods({ graphql, request, owner, repo, appId }: Client): CiMethods {
  const isOwn = ({ app }: Pick<SuiteNode, 'app'>) => appId !== undefined && app?.databaseId === appId;
  const isOwnRun = ({ name }: RunNode) => appId === undefined && name === OWN_CHECK;

  function toSuite(node: SuiteNode): CiSuite {
    return {
      ...{ result: resultOf(node.status, node.conclusion), is_own: isOwn(node) },
      name: node.workflowRun?.workflow.name ?? node.app?.name ?? 'CI',
      workflow: node.workflowRun?.file?.path,
      url: node.workflowRun?.url ?? node.url,
      runs: (node.checkRuns?.nodes ?? []).filter((run) => !isOwnRun(run)).map(toRun),
    };
  }

  /** Statuses need a permission of their own, without which the checks are still there. */
  async function mayRead<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
    return call.catch((error: unknown) => {
      if (isStatus(error, 403) && error.retryAfter === undefined) return undefined;
      throw error;
    });
  }

  async function readStatuses(sha: string): Promise<CommitStatus[] | undefined> {
    const answer = await mayRead(
      graphql<{ repository: { object: { status?: { contexts: StatusNode[] } | null } | null } | null }>(
        STATUSES,
        { owner, repo, sha },
      ),
    );
    return answer && (answer.repository?.object?.status?.contexts ?? []).map(toStatus);
  }

  return {
    async pullCi(number) {
      const answer = await orUndefined(
        graphql<{ repository: { pullRequest: PullNode | null } | null }>(PULL_CI, { owner, repo, number }),
      );
      const pull = answer?.repository?.pullRequest;
      const commit = pull?.commits.nodes.at(-1)?.commit;
      // The list of commits may be older than the head for a moment.
      if (!pull || commit?.oid !== pull.headRefOid) return undefined;
      return {
        ...{ is_open: pull.state === 'OPEN', head: pull.headRefOid, message: commit.message },
        ...{ base: pull.baseRefName, mergeable: pull.mergeable },
        suites: (commit.checkSuites?.nodes ?? []).map(toSuite),
        statuses: await readStatuses(pull.headRefOid),
      };
    },

    async pastResults(branch, { name, without }) {
      const place = { owner, repo, branch: `refs/heads/${branch}`, name };
      const checks = await graphql<Past<{ oid: string; checkSuites: Nodes<SuiteNode> | null }>>(
        PAST_CHECKS,
        place,
      );
      const commits = checks.repository?.ref?.target.history?.nodes ?? [];
      const past = commits.flatMap(({ oid, checkSuites }) => {
        const runs = (checkSuites?.nodes ?? [])
          .filter((suite) => !isOwn(suite) && suite.workflowRun?.file?.path !== without)
          .flatMap(({ checkRuns }) => (checkRuns?.nodes ?? []).filter((run) => !isOwnRun(run)).map(toRun));
        return toPast(
          oid,
          runs.map(({ result, ended_at: at }) => ({ result, at })),
        );
      });
      if (past.length > 0) return past;
      const statuses = await mayRead(
        graphql<Past<{ oid: string; status: { context: StatusNode | null } | null }>>(PAST_STATUSES, place),
      );
      return (statuses?.repository?.ref?.target.history?.nodes ?? []).flatMap(({ oid, status }) =>
        status?.context
          ? toPast(oid, [
              { result: resultOf('COMPLETED', status.context.state), at: status.context.createdAt },
            ])
          : [],
      );
    },

    async failedJob(job_id) {
      const job = await orUndefined(request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}', { job_id }));
      if (!job) return undefined;
      const step = job.data.steps?.find(({ conclusion }) => conclusion === 'failure')?.name;
      // GitHub leads to the log, which may be longer than a response that is kept whole.
      const asked = { job_id, request: { redirect: 'manual', parseSuccessResponseBody: false } };
      const found = await orUndefined(request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', asked));
      const place = found?.headers.location;
      return { step, log: place === undefined ? undefined : await readLogTail(place) };
    },
  };
}

function resultOf(status: string, conclusion: string | null): CiResult {
  if (status !== 'COMPLETED') return 'running';
  return RESULTS[conclusion ?? ''] ?? 'none';
}

function toRun(node: RunNode): CiRun {
  const notes = (node.annotations?.nodes ?? []).filter(
    ({ annotationLevel }) => annotationLevel === 'FAILURE',
  );
  return {
    ...{ id: node.databaseId ?? 0, name: node.name, result: resultOf(node.status, node.conclusion) },
    url: node.permalink,
    ended_at: node.completedAt ?? undefined,
    notes: notes.map(({ path, message }) => `${path}: ${message}`),
  };
}

function toStatus({ context, state, targetUrl, description, createdAt }: StatusNode): CommitStatus {
  return {
    ...{ name: context, result: resultOf('COMPLETED', state), at: createdAt },
    url: targetUrl ?? undefined,
    note: description ?? undefined,
  };
}

/** A commit on which one of several checks of that name fails has failed. */
function toPast(sha: string, found: { result: CiResult; at?: string }[]): PastResult[] {
  const over = found.filter(({ result }) => result === 'passed' || result === 'failed');
  const [first] = over.toSorted(({ result }) => (result === 'failed' ? -1 : 1));
  if (!first) return [];
  return [{ sha, at: first.at ?? '', result: first.result === 'failed' ? 'failed' : 'passed' }];
}
