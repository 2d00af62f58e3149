import { phaseOf } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { Actions } from './actions.ts';
import { Desk, type Hub } from './desk.ts';
import { BOT, FakeGitHub, LABEL, REPO_ID } from './fake-github.ts';
import { judge } from './model.ts';
import { People } from './people.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
const KEY = Buffer.alloc(32, 7).toString('base64');

export interface History {
  seed: number;
  broken: string[];
  trace: string[];
  faults: { number: number; kind: string }[];
  steps: number;
}

export interface SharedStore {
  store: HostedStore;
  close(): Promise<void>;
}

async function openInMemory(world: World): Promise<SharedStore> {
  const store = await openSqliteStore({ file: ':memory:', key: KEY, clock: () => world.now });
  return { store, close: () => store.close() };
}

/** One history: trouble for a while, then calm, then the model's verdict. */
export async function runHistory(
  seed: number,
  {
    allowed,
    open = openInMemory,
  }: { allowed?: ReadonlySet<number>; open?(world: World): Promise<SharedStore> } = {},
): Promise<History> {
  const world = new World(seed, allowed);
  const { random, faults } = world;
  const shared = await open(world);
  const restore = world.replaceTimers();
  try {
    const github = new FakeGitHub(world);
    github.skewMs = random.between(-15_000, 15_000);
    const hub: Hub = {
      world,
      github,
      store: shared.store,
      desks: [],
      endedAt: new Map(),
      jobs: [],
      broken: [],
    };
    const desks = random.pick([1, 2, 2, 3]);
    for (let index = 0; index < desks; index += 1)
      hub.desks.push(new Desk(hub, `desk ${index + 1}`, random.between(-20_000, 20_000)));
    const actions = new Actions(hub);
    const issue = github.openIssue();
    const people = new People(hub, issue);
    const delivered = deliverWebhooks(hub);
    for (const desk of hub.desks) desk.start();
    world.after(1_000, () => github.setLabel(issue, LABEL, 'rosa'));
    const troubled = random.between(3, 11) * MINUTE_MS;
    const visits = random.between(2, 9);
    for (let visit = 0; visit < visits; visit += 1)
      world.after(random.between(20_000, troubled), () => people.act());
    planTrouble(hub, troubled);
    await world.runFor(troubled);
    world.log('--- calm');
    faults.calm = true;
    hub.outage = undefined;
    for (const desk of hub.desks) {
      desk.process.stalledUntil = 0;
      if (desk.process.dead) desk.start();
    }
    let quiet = 0;
    for (let rounds = 0; quiet < 2 && rounds < 60; rounds += 1) {
      await world.runFor(150_000);
      if (rounds === 12) actions.endHanging();
      quiet = (await isQuiet(hub, actions, issue)) ? quiet + 1 : 0;
    }
    const broken = await judge({
      hub,
      github,
      store: shared.store,
      actions,
      people,
      issue,
      delivered,
      cameToRest: quiet >= 2,
    });
    for (const desk of hub.desks) desk.process.dead = true;
    return { seed, broken, trace: world.trace, faults: faults.happened, steps: world.steps };
  } finally {
    restore();
    await shared.close();
  }
}

async function isQuiet({ store, github }: Hub, actions: Actions, issue: number): Promise<boolean> {
  const outbox = await store.outbox.size();
  const inbox = await store.inbox.size();
  if (outbox.waiting + outbox.busy + inbox.waiting + inbox.busy > 0 || actions.busy.size > 0) return false;
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  if (state) return phaseOf(state) !== 'working';
  const { labels, state: open } = github.issuePayload(issue);
  return open === 'closed' || !labels.includes(LABEL);
}

/** Webhooks come late, twice, in another order, or not at all. Returns the comments whose webhook was stored. */
function deliverWebhooks({ world, github, desks }: Hub): ReadonlySet<number> {
  const { random, faults } = world;
  const delivered = new Set<number>();
  let sent = 0;
  github.onWebhook = (event, payload) => {
    const { sender, comment, action } = payload as {
      sender: { login: string };
      comment?: { id: number };
      action: string;
    };
    // No handler reads these.
    if (sender.login === BOT) return;
    sent += 1;
    const id = `delivery-${sent}`;
    if (faults.happens(`webhook ${event} dropped`, 0.1)) return;
    const times = faults.happens(`webhook ${event} doubled`, 0.08) ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      const isLate = faults.happens(`webhook ${event} late`, 0.08);
      const delay = isLate ? random.between(1_000, 4 * MINUTE_MS) : random.between(50, 1_500);
      world.after(delay, () => {
        const desk = random.pick(desks);
        void world.as(desk.process, () =>
          desk.ingest(id, event, payload).then((stored) => {
            if (stored && comment && action === 'created') delivered.add(comment.id);
          }),
        );
      });
    }
  };
  return delivered;
}

function planTrouble(hub: Hub, troubled: number): void {
  const { world, desks } = hub;
  const { random, faults } = world;
  for (const desk of desks) {
    for (let trouble = 0; trouble < 2; trouble += 1) {
      const at = random.between(2_000, troubled);
      const ms = random.between(1_000, 60_000);
      if (faults.happens('a desk crashes', 0.3))
        world.after(at, () => {
          if (desk.process.dead) return;
          desk.crash();
          world.after(ms, () => desk.process.dead && desk.start());
        });
      else if (faults.happens('a desk stalls', 0.3)) world.after(at, () => desk.stall(ms));
    }
  }
  if (faults.happens('GitHub is down', 0.3)) {
    const until = random.between(1, 8) * MINUTE_MS;
    const status = random.pick([503, 500, 429]);
    world.after(random.between(1_000, troubled), () => {
      world.log(`GitHub is down (${status})`);
      hub.outage = { until: world.now + until, status, retryAfter: status === 429 ? 60 : undefined };
    });
  }
}
