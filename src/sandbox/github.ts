import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningJob, StartedJob } from './actions/job.ts';
import { createJobTokens } from './actions/job-tokens.ts';
import { createWorkflowSource } from './actions/workflow-source.ts';
import { createRequestHandler } from './answer-request.ts';
import { createSite, personOf } from './browser/site.ts';
import { createFakeCi, type FakeCi } from './ci/fake-ci.ts';
import { createActionsSecrets } from './github/actions-secrets.ts';
import { createAppManifests } from './github/app-manifests.ts';
import { createCallers, tokenIn } from './github/callers.ts';
import { createCheckRuns } from './github/check-runs.ts';
import { createComments } from './github/comments.ts';
import { createCommits } from './github/commits.ts';
import {
  ACTIONS_BOT,
  APP_ID,
  APP_SLUG,
  describeActionsApp,
  describeApp,
  INSTALLATION_ID,
  startEmulator,
} from './github/emulator.ts';
import { type Answer, type Call, describeAccount, type Gap, type Json, type Upstream } from './github/gap.ts';
import { createGraphql } from './github/graphql.ts';
import { createHookDeliveries } from './github/hook-deliveries.ts';
import { createInstallations } from './github/installations.ts';
import { createIssues } from './github/issues.ts';
import { createJobPermissions } from './github/job-permissions.ts';
import { createLabels } from './github/labels.ts';
import { createMerges } from './github/merges.ts';
import { createMergeability } from './github/merging/mergeability.ts';
import { createPushes } from './github/merging/pushes.ts';
import { createOAuth } from './github/oauth.ts';
import { createPermissions, type Role } from './github/permissions.ts';
import { createPullRequests } from './github/pull-requests.ts';
import { createReactions, type ReactionGap } from './github/reactions.ts';
import { createRefs } from './github/refs.ts';
import { createRepositories } from './github/repositories.ts';
import { createPlaces } from './github/reviews/place-of-lines.ts';
import { createReviewBook, type ReviewBook } from './github/reviews/review-book.ts';
import { createReviewQueries } from './github/reviews/review-queries.ts';
import { createReviews } from './github/reviews/reviews.ts';
import { createSetUp } from './github/set-up.ts';
import { createWebhookRelay, type WebhookRelay } from './github/webhook-relay.ts';
import { createWorkflows, type WorkflowGap } from './github/workflows.ts';
import { closeServer } from './serve-http.ts';

/** A request that is sent after a webhook is answered after it, unless the first connection is slow to open. */
const PINGS = 3;

/** emulate answers 5,000 calls of a token per hour, and jobs, people and tests all go through ours. */
const OWN_TOKENS = 20;

interface LocalGitHubOptions {
  owner: string;
  name: string;
  /** Everybody with an account, and their role in the repository. The owner is its admin. */
  people: Record<string, Role>;
  startJob(job: StartedJob): RunningJob;
  /** The port to listen on. Any free one if omitted. */
  port?: number;
  /** Shows people a stand-in for GitHub's pages. */
  site?: { jobLog(run: number): string; appUrl(): string | undefined };
  /** Called with every request and its answer, for tests that compare them with GitHub's description. */
  onExchange?(exchange: { call: Call; answer: Answer }): void;
  /** Names of the Actions secrets, if the App may read them. */
  secretNames?(): Iterable<string>;
  /** The Actions secrets, asked for at the start of each run. */
  secrets?(): Record<string, string>;
  /** The text of another repository's workflow that a job calls, by `owner/name/path`. */
  calledWorkflow?(path: string): string | undefined;
  /** An answer that replaces GitHub's, for tests of its failures. */
  interfere?(call: Call): Answer | undefined;
}

export interface LocalGitHub {
  /** `host:port`, as `GHE_HOST` takes it. */
  host: string;
  owner: string;
  name: string;
  appId: number;
  privateKey: string;
  webhookSecret: string;
  webhooks: WebhookRelay;
  workflows: WorkflowGap;
  /** The repository's own CI. */
  ci: FakeCi;
  reactions: ReactionGap;
  /** Node ids of comments that were minimized. */
  minimized: ReadonlySet<string>;
  /** The App's reactions to reviews, by their node ids. */
  reviewReactions: ReadonlyMap<string, readonly string[]>;
  /** Reviews and the threads of their remarks. */
  reviews: ReviewBook;
  /** Numbers of the pull requests that wait in the merge queue. */
  queued: Set<number>;
  /** The repository's setting *Allow GitHub Actions to create and approve pull requests*. */
  allowPullRequestsByActions(isAllowed: boolean): void;
  /** The rule *Require linear history*, for all branches. */
  requireLinearHistory(isRequired: boolean): void;
  /** Ends a running job like a machine that loses power. From then on nothing that it asks is answered. */
  killJob(run: number, job: string): void;
  /** A personal access token. */
  tokenOf(login: string): string;
  /** Makes one call as that person. */
  callAs(login: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Bypasses permissions and webhooks, for setting up and inspecting. */
  upstream: Upstream;
  /** Resolves when the webhooks of every call so far have arrived. emulate answers some calls before it sends theirs. */
  heard(): Promise<void>;
  close(): Promise<void>;
}

/**
 * GitHub on this machine: emulate behind a server that adds what it lacks. It listens on loopback only, has one
 * repository, and stores nothing.
 */
export async function startLocalGitHub(options: LocalGitHubOptions): Promise<LocalGitHub> {
  const { owner, name, startJob, onExchange = () => undefined, interfere = () => undefined } = options;
  const roles = new Map<string, Role>([...Object.entries(options.people), [owner, 'admin']]);
  const tokens = new Map([...roles.keys()].map((login) => [`ghp_${randomBytes(20).toString('hex')}`, login]));
  const tokenOf = (login: string) => [...tokens].find(([, name]) => name === login)?.[0];
  const ownTokens = Array.from({ length: OWN_TOKENS }, () => `ghp_${randomBytes(20).toString('hex')}`);
  const webhookSecret = randomBytes(24).toString('hex');
  const bot = `${APP_SLUG}[bot]`;
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async (_, response) =>
    void response.writeHead(503).end();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: `The sandbox failed: ${String(error)}` }));
    });
  });
  // On a busy machine a client would use a connection again that is just being closed for idleness.
  server.keepAliveTimeout = 0;
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const emulator = await startEmulator({
    url,
    owner,
    name,
    people: [...roles.keys()],
    tokens: new Map([...tokens, ...ownTokens.map((token) => [token, owner] as const)]),
    webhookSecret,
  });
  const { privateKey } = emulator;

  const send = async (
    method: string,
    path: string,
    body: unknown,
    authorization: string,
  ): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${emulator.port}${path}`, {
      method,
      // emulate closes idle connections, and on a busy machine the next call could still use a closed one.
      headers: { authorization, 'content-type': 'application/json', connection: 'close' },
      body: body === undefined || method === 'GET' ? undefined : JSON.stringify(body),
      redirect: 'manual',
    });
    const text = await response.text();
    const link = response.headers.get('link');
    return {
      status: response.status,
      body: text === '' ? undefined : JSON.parse(text),
      headers: link ? { link } : {},
    };
  };
  let sent = 0;
  const upstream: Upstream = (method, path, body) => {
    sent += 1;
    return send(method, path, body, `token ${ownTokens[sent % OWN_TOKENS]}`);
  };

  const repository = `/repos/${owner}/${name}`;
  const account = (await describeAccount(upstream, owner)) ?? {};
  const app = describeApp(url, account);
  const apps = new Map([
    [bot, app],
    [ACTIONS_BOT, describeActionsApp(url, account)],
  ]);
  const callers = createCallers(tokens, bot);
  const webhooks = createWebhookRelay(webhookSecret);
  const comments = createComments(apps, upstream);
  const issues = createIssues(apps, upstream);
  const reactions = createReactions(upstream);
  const pullRequests = createPullRequests(repository, upstream);
  const book = createReviewBook();
  const mergeability = createMergeability(repository, upstream);
  const reviewing = {
    ...{ book, upstream, repository, places: createPlaces(upstream, repository) },
    urls: { html: `${url}/${owner}/${name}`, api: `${url}/api/v3${repository}` },
  };
  const reviews = createReviews({
    ...reviewing,
    installation: { id: INSTALLATION_ID, node_id: 'I_100' },
    emit: (event, payload) => receiveWebhook(event, payload),
  });
  const minimized = new Set<string>();
  const queued = new Set<number>();
  const reviewReactions = new Map<string, string[]>();
  const tokensOfJobs = createJobTokens(callers, startJob);
  let mayOpenPullRequests = true;
  let isHistoryLinear = false;
  const workflows = createWorkflows({
    ...{ upstream, owner, name, url },
    source: createWorkflowSource(upstream, repository, options.calledWorkflow ?? (() => undefined)),
    htmlUrl: `${url}/${owner}/${name}`,
    apiUrl: `${url}/api/v3${repository}`,
    secrets: options.secrets ?? (() => ({})),
    start: tokensOfJobs.start,
    emit: webhooks.emit,
    installation: { id: INSTALLATION_ID, node_id: 'I_100' },
  });
  const refs = createRefs({
    upstream,
    repository,
    async onPush(branch, before, { caller }) {
      for (const payload of await pullRequests.synchronized(branch, before, caller))
        await workflows.receive('pull_request', payload);
    },
  });
  const ci = createFakeCi({
    ...{ url, owner, name, upstream, appId: APP_ID, emit: webhooks.emit, mergeable: mergeability.of },
    installation: { id: INSTALLATION_ID, node_id: 'I_100' },
  });
  const manifests = createAppManifests({ described: app, privateKey, webhookSecret });
  const gaps: Gap[] = [
    createJobPermissions({ upstream, mayOpenPullRequests: () => mayOpenPullRequests }),
    createPermissions(roles, upstream),
    manifests,
    createHookDeliveries(`${url}/api/v3`, webhooks),
    ...(options.secretNames ? [createActionsSecrets(options.secretNames)] : []),
    createSetUp({
      ...{ app, roles, webhooks, mayOpenPullRequests: () => mayOpenPullRequests },
      isHistoryLinear: () => isHistoryLinear,
    }),
    createInstallations(repository, upstream),
    comments,
    issues,
    reactions,
    createLabels(`${url}/api/v3${repository}`, repository, upstream),
    pullRequests,
    reviews,
    createMerges({
      ...{ repository, upstream, onMerged: pullRequests.noteClosing },
      upstreamAs: (login) => (method, path, body) => send(method, path, body, `token ${tokenOf(login)}`),
    }),
    createRepositories(roles),
    createCommits(),
    createPushes({ url, repository, upstream }),
    mergeability,
    refs,
    createCheckRuns(app),
    ci,
    workflows,
  ];
  const graphql = createGraphql({
    upstream,
    repository,
    ci,
    lastEdit: (id) => comments.lastEdit(id) ?? pullRequests.lastEdit(id) ?? issues.lastEdit(id),
    refs,
    reviews: createReviewQueries({ ...reviewing, gap: reviews, queued, mergeable: mergeability.of }),
    onMinimized: (id) => void minimized.add(id),
    onReaction: (id, content) => void reviewReactions.set(id, [...(reviewReactions.get(id) ?? []), content]),
  });

  async function answerCall(call: Call, authorization: string): Promise<Answer> {
    for (const gap of gaps) {
      const answer = await gap.answer?.(call);
      if (answer) return answer;
    }
    const search = call.query.size > 0 ? `?${call.query}` : '';
    const as = call.caller.kind === 'job' ? await emulator.authorizeJobs() : authorization;
    let answer = await send(call.method, `${call.path}${search}`, call.body, as);
    for (const gap of gaps) if (gap.fixAnswer) answer = await gap.fixAnswer(call, answer);
    const { token } = (answer.body ?? {}) as { token?: string };
    if (call.path.endsWith('/access_tokens') && token) callers.addInstallation(token);
    return answer;
  }

  const receiving = new Set<Promise<void>>();
  function receiveWebhook(event: string, payload: Json): Promise<void> {
    const received = passOn(event, payload).finally(() => receiving.delete(received));
    receiving.add(received);
    return received;
  }

  async function passOn(event: string, payload: Json): Promise<void> {
    let fixed = payload;
    for (const gap of gaps) if (gap.fixPayload) fixed = await gap.fixPayload(event, fixed);
    webhooks.emit(event, fixed);
    // emulate's next webhook does not wait for the workflows that this one starts.
    void workflows.receive(event, fixed);
  }

  const people = [owner, ...[...roles.keys()].filter((login) => login !== owner)];
  const oauth = createOAuth(
    (request) => personOf(request, people),
    (verifier) => createHash('sha256').update(verifier).digest('base64url'),
  );
  const callAs: LocalGitHub['callAs'] = async (login, method, path, body) => {
    const response = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { authorization: `token ${tokenOf(login)}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const { site: shown } = options;
  const site =
    shown &&
    createSite({
      ...{ owner, name, people, callAs },
      appUrl: shown.appUrl,
      jobs: () =>
        workflows.runs.map(({ id, name: title, status, conclusion }) => ({
          ...{ id, status, conclusion },
          name: title,
          log: shown.jobLog(id),
        })),
    });

  handle = createRequestHandler({
    ...{ url, site, manifests, oauth, upstream, receiveWebhook, interfere, onExchange, answerCall, graphql },
    callerOf: callers.find,
    logAt: ci.logAt,
    isKilled: (authorization) => tokensOfJobs.isKilled(tokenIn(authorization)),
  });

  return {
    host,
    owner,
    name,
    appId: APP_ID,
    privateKey,
    webhookSecret,
    webhooks,
    workflows,
    ci,
    reactions,
    minimized,
    reviewReactions,
    reviews: book,
    queued,
    upstream,
    allowPullRequestsByActions(isAllowed) {
      mayOpenPullRequests = isAllowed;
    },
    requireLinearHistory(isRequired) {
      isHistoryLinear = isRequired;
    },
    killJob: tokensOfJobs.kill,
    tokenOf: (login) => tokenOf(login) ?? '',
    callAs,
    async heard() {
      for (let ping = 0; ping < PINGS; ping += 1) {
        await (await fetch(`${url}/_webhooks`, { headers: { connection: 'close' } })).arrayBuffer();
        await Promise.allSettled([...receiving]);
      }
    },
    async close() {
      await workflows.close();
      await webhooks.settled();
      await emulator.close();
      await closeServer(server);
    },
  };
}
