import { createHash, randomUUID } from 'node:crypto';
import { createBotOwnership } from '../src/app/bot-ownership.ts';
import type { AppDependencies } from '../src/app/dependencies.ts';
import { onRepositoryEvents } from '../src/app/repository-events.ts';
import { createTicketJobs } from '../src/app/ticket-jobs.ts';
import { workLane } from '../src/app/workers/work-lane.ts';
import { createQueueWorker } from '../src/app/workers/work-queue.ts';
import type { GitHub, GitHubComment } from '../src/core/ports/github-port.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import type { Delivery } from '../src/core/ports/inbox.ts';
import { RULES } from '../src/guards/rules.ts';

/** The inbox and the lanes of the server, with its handlers and performers, before a GitHub that answers at once. */
export interface Desk {
  /** Handles the oldest webhook in the inbox. False if none is due. */
  handleNext(): Promise<boolean>;
  /** Performs all that is due in one lane. False if no lane has anything due. */
  performNext(): Promise<boolean>;
}

export function openDesk(store: HostedStore): Desk {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const refuse = (fields: object, message: string): never => {
    throw new Error(`${message}: ${JSON.stringify(fields)}`);
  };
  const log = { info: () => undefined, warn: refuse, error: refuse };
  const deps: AppDependencies = {
    store,
    rules: RULES,
    agents: ['claude'],
    github: async () => GITHUB,
    jobs: createTicketJobs({ store, publicUrl: 'https://desk.test', randomToken: randomUUID, hash }),
    ownership: createBotOwnership({ appId: 77, slug: 'autobuild' }),
    settings: {
      ...{ label: 'autobuild', webUrl: 'https://github.test' },
      capabilities: { live: true, form: false },
    },
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    hash,
    fetch: async () => ({ ok: true, status: 200 }),
    log,
  };
  const handlers = new Map<string, (webhook: { id: string; payload: never }) => Promise<void>>();
  onRepositoryEvents(deps, (names, handle) => {
    for (const name of [names].flat()) handlers.set(name, handle as never);
  });
  const receive = async ({ id, event, payload: text }: Delivery) => {
    const payload = JSON.parse(text) as never;
    const handle = handlers.get(`${event}.${(payload as { action: string }).action}`);
    if (!handle) throw new Error(`Nothing handles ${event}.`);
    await handle({ id, payload });
  };
  return {
    handleNext: createQueueWorker({ queue: store.inbox, name: 'inbox', work: receive, log }),
    performNext: () => workLane(deps),
  };
}

let ids = 1_000_000;
function newId(): number {
  ids += 1;
  return ids;
}

function written(id: number, body: string): GitHubComment {
  const at = new Date().toISOString();
  return {
    ...{ id, node_id: `IC_${id}`, body, author: 'autobuild[bot]', author_type: 'Bot', app_id: 77 },
    ...{ created_at: at, updated_at: at, url: `https://github.test/comments/${id}` },
  };
}

/** Only what a pause and its end ask for. A call of anything else throws. */
const GITHUB = {
  ...{ owner: 'rosa', repo: 'shop' },
  permission: async () => 'admin',
  react: async () => undefined,
  comments: async () => [],
  createComment: async (_, body) => written(newId(), body),
  updateComment: async (id, body) => written(id, body),
  issue: async (number) => ({
    ...{ number, node_id: `I_${number}`, title: 'Paint it', body: '', state: 'open', locked: false },
    ...{ labels: ['autobuild'], author: 'rosa', comments: 0, updated_at: new Date().toISOString() },
  }),
  changeLabels: async (_, { add }) => ({ [add]: `LA_${add}` }),
  // The base has not moved.
  branchHead: async () => 'a'.repeat(40),
  dispatchWorkflow: async () => ({ run_id: newId() }),
  upsertCheckRun: async () => newId(),
  workflowRun: async () => undefined,
  cancelRun: async () => undefined,
} satisfies Partial<GitHub> as unknown as GitHub;
