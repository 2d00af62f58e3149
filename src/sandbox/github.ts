import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSite, personOf } from './browser/site.ts';
import { createActionsSecrets } from './github/actions-secrets.ts';
import { createAppManifests } from './github/app-manifests.ts';
import { createCallers } from './github/callers.ts';
import { createCheckRuns } from './github/check-runs.ts';
import { createComments } from './github/comments.ts';
import { createCommits } from './github/commits.ts';
import { APP_ID, APP_SLUG, describeApp, INSTALLATION_ID, startEmulator } from './github/emulator.ts';
import {
  type Answer,
  type Call,
  describeAccount,
  type Gap,
  type Json,
  refuse,
  type Upstream,
} from './github/gap.ts';
import { createGraphql } from './github/graphql.ts';
import { createHookDeliveries } from './github/hook-deliveries.ts';
import { createInstallations } from './github/installations.ts';
import { createIssues } from './github/issues.ts';
import { createLabels } from './github/labels.ts';
import { createMerges } from './github/merges.ts';
import { answerSignIn, createOAuth } from './github/oauth.ts';
import { createPermissions, type Role } from './github/permissions.ts';
import { createPullRequests } from './github/pull-requests.ts';
import { createReactions, type ReactionGap } from './github/reactions.ts';
import { createRepositories } from './github/repositories.ts';
import { createSetUp } from './github/set-up.ts';
import { createWebhookRelay, type WebhookRelay } from './github/webhook-relay.ts';
import {
  createWorkflows,
  type DispatchedRun,
  type RunningJob,
  type WorkflowGap,
} from './github/workflows.ts';

const MAX_BODY_BYTES = 40 * 1024 * 1024;

interface LocalGitHubOptions {
  owner: string;
  name: string;
  /** Everybody with an account, and their role in the repository. The owner is its admin. */
  people: Record<string, Role>;
  startJob(run: DispatchedRun): RunningJob;
  /** The port to listen on. Any free one if omitted. */
  port?: number;
  /** Shows people a stand-in for GitHub's pages. */
  site?: { jobLog(run: number): string; appUrl(): string | undefined };
  /** Called with every request and its answer, for tests that compare them with GitHub's description. */
  onExchange?(exchange: { call: Call; answer: Answer }): void;
  /** Names of the Actions secrets, if the App may read them. */
  secretNames?(): Iterable<string>;
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
  reactions: ReactionGap;
  /** Node ids of comments that were minimized. */
  minimized: ReadonlySet<string>;
  /** The App's reactions to reviews, by their node ids. */
  reviewReactions: ReadonlyMap<string, readonly string[]>;
  /** A personal access token. */
  tokenOf(login: string): string;
  /** Makes one call as that person. */
  callAs(login: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Bypasses permissions and webhooks, for setting up and inspecting. */
  upstream: Upstream;
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
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  const emulator = await startEmulator({
    url,
    owner,
    name,
    people: [...roles.keys()],
    tokens,
    webhookSecret,
  });
  const privateKey = emulator.generatedSecrets[0]?.value ?? '';

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
  const upstream: Upstream = (method, path, body) => send(method, path, body, `token ${tokenOf(owner)}`);

  const repository = `/repos/${owner}/${name}`;
  const app = describeApp(url, (await describeAccount(upstream, owner)) ?? {});
  const callers = createCallers(tokens, bot);
  const webhooks = createWebhookRelay(webhookSecret);
  const comments = createComments(app, bot, upstream);
  const issues = createIssues(app, bot, upstream);
  const reactions = createReactions(upstream);
  const pullRequests = createPullRequests(repository, upstream);
  const minimized = new Set<string>();
  const reviewReactions = new Map<string, string[]>();
  const workflows = createWorkflows({
    upstream,
    repository,
    htmlUrl: `${url}/${owner}/${name}`,
    apiUrl: `${url}/api/v3${repository}`,
    start: startJob,
    emit: webhooks.emit,
    installation: { id: INSTALLATION_ID, node_id: 'I_100' },
  });
  const manifests = createAppManifests({ described: app, privateKey, webhookSecret });
  const gaps: Gap[] = [
    createPermissions(roles, upstream),
    manifests,
    createHookDeliveries(`${url}/api/v3`, webhooks),
    ...(options.secretNames ? [createActionsSecrets(options.secretNames)] : []),
    createSetUp({ app, roles, webhooks }),
    createInstallations(repository, upstream),
    comments,
    issues,
    reactions,
    createLabels(`${url}/api/v3${repository}`, repository, upstream),
    pullRequests,
    createMerges({
      ...{ repository, upstream, onMerged: pullRequests.noteClosing },
      upstreamAs: (login) => (method, path, body) => send(method, path, body, `token ${tokenOf(login)}`),
    }),
    createRepositories(),
    createCommits(),
    createCheckRuns(app),
    workflows,
  ];
  const graphql = createGraphql({
    upstream,
    repository,
    lastEdit: (id) => comments.lastEdit(id) ?? pullRequests.lastEdit(id) ?? issues.lastEdit(id),
    onMinimized: (id) => void minimized.add(id),
    onReaction: (id, content) => void reviewReactions.set(id, [...(reviewReactions.get(id) ?? []), content]),
  });

  async function answerCall(call: Call, authorization: string): Promise<Answer> {
    for (const gap of gaps) {
      const answer = await gap.answer?.(call);
      if (answer) return answer;
    }
    const search = call.query.size > 0 ? `?${call.query}` : '';
    let answer = await send(call.method, `${call.path}${search}`, call.body, authorization);
    for (const gap of gaps) if (gap.fixAnswer) answer = await gap.fixAnswer(call, answer);
    const { token } = (answer.body ?? {}) as { token?: string };
    if (call.path.endsWith('/access_tokens') && token) callers.addInstallation(token);
    return answer;
  }

  async function receiveWebhook(event: string, payload: Json): Promise<void> {
    let fixed = payload;
    for (const gap of gaps) if (gap.fixPayload) fixed = await gap.fixPayload(event, fixed);
    webhooks.emit(event, fixed);
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

  handle = async (request, response) => {
    const asked = new URL(request.url ?? '/', url);
    const { pathname, searchParams } = asked;
    const isPage = !/^\/(?:api|login|_webhooks)(?:\/|$)/.test(pathname);
    if (site && isPage && (await site(request, response, pathname))) return;
    const text = await readText(request);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const page = isForm && manifests.openPage(pathname, searchParams, new URLSearchParams(text));
    if (page) {
      response.writeHead(page.status, page.headers).end(page.body && JSON.stringify(page.body));
      return;
    }
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    if (oauth.handle(request, response, asked, body)) return;
    const signedIn = await answerSignIn(oauth, request, pathname, body, upstream);
    if (signedIn) {
      response.writeHead(signedIn.status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(signedIn.body));
      return;
    }
    if (pathname === '/_webhooks') {
      await receiveWebhook(String(request.headers['x-github-event']), body);
      response.writeHead(204).end();
      return;
    }
    const { authorization = '' } = request.headers;
    const path = pathname.replace(/^\/api\/v3(?=\/)/, '');
    // The code of a manifest is a credential of the App itself.
    const isConversion = path.startsWith('/app-manifests/');
    const caller = callers.find(authorization) ?? (isConversion ? { kind: 'app' as const } : undefined);
    const call = { method: request.method ?? 'GET', path, query: searchParams, body, caller } as Call;
    const whole = !caller
      ? refuse(401, 'Bad credentials')
      : (interfere(call) ??
        (pathname === '/api/graphql'
          ? await graphql(call, (method, to, sent) =>
              answerCall(
                { ...call, method, path: to, query: new URLSearchParams(), body: (sent ?? {}) as Json },
                authorization,
              ),
            )
          : await answerCall(call, authorization)));
    const answer = answerIfChanged(request, whole);
    onExchange({ call, answer });
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(
      answer.body === undefined || answer.status === 204 ? undefined : JSON.stringify(answer.body),
    );
  };

  return {
    host,
    owner,
    name,
    appId: APP_ID,
    privateKey,
    webhookSecret,
    webhooks,
    workflows,
    reactions,
    minimized,
    reviewReactions,
    upstream,
    tokenOf: (login) => tokenOf(login) ?? '',
    callAs,
    async close() {
      await workflows.close();
      await webhooks.settled();
      await emulator.close();
      await closeServer(server);
    },
  };
}

/** emulate knows no ETags. GitHub's differ by token, too. */
function answerIfChanged({ method, headers }: IncomingMessage, answer: Answer): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer;
  const content = `${headers.authorization}\n${JSON.stringify(answer.body)}`;
  const etag = `W/"${createHash('sha256').update(content).digest('hex')}"`;
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
