import { phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import { Actions } from './actions.ts';
import { commandInCalm } from './calm-commands.ts';
import { actInCalm } from './calm-deeds.ts';
import { removeInCalm } from './calm-removals.ts';
import { Desk, type Hub } from './desk.ts';
import { BOT, FakeGitHub, LABEL, REPO_ID } from './fake-github.ts';
import { planForgeries } from './forgers.ts';
import { isUnheard } from './judge-rounds.ts';
import { LaneWatch } from './lane-watch.ts';
import { LeaseWatch } from './lease-watch.ts';
import { planLiars } from './liars.ts';
import { Limits } from './limits.ts';
import { planLongOutage } from './long-outage.ts';
import { Meddlers } from './meddlers.ts';
import { isNotStarted, isQuestionShown, isStatusMissing, judge } from './model.ts';
import { People } from './people.ts';
import { createRandom } from './random.ts';
import { planRefusedDispatches } from './refused-dispatches.ts';
import { Reviewers } from './reviewers.ts';
import { emptySqliteStore } from './sqlite-store.ts';
import { World } from './world.ts';

const MINUTE_MS = 60_000;
/** A round takes some minutes, and things have to fail in it. */
const REVIEWED_MS = 3 * MINUTE_MS;
/** Nothing may be left to do for longer than the time between two rounds of reconcile. */
const CHECK_MS = 25_000;
const QUIET_CHECKS = 4;
const MOST_CHECKS = 360;
/** Jobs that hang are ended by Actions. */
const HANGING_CHECKS = 72;

/** Every so many histories, the run is left alone for a while at the end. A thousand runs in 50 repositories may cost 1,000 reads per hour. */
const PARKED_SEEDS = 12;
const PARKED_MS = 20 * MINUTE_MS;
const MOST_READS = 7;
/** The first look at a pull request at rest makes 9 reads if all has changed, and the second one 5: comments, reviews and CI. */
const MOST_READS_AT_REST = 14;
/**
 * An issue that is closed or has lost its label is in no list. It is read on its own, ever more rarely: six looks of four reads, and
 * one of the reviews. The fourth is the role of who closed it, asked each time because issues of this GitHub have no `closed_at`.
 */
const MOST_READS_UNLISTED = 25;

/** In every so many histories no job of the workflow begins at the end, when nothing else fails: then nobody gives it another try. */
const STILL_BROKEN = 1 / 20;
const STILL_BROKEN_MS = 15 * MINUTE_MS;

/** Every so many histories, a job is silent at the end and comes back. */
const HANGING_SEEDS = 25;

export interface History {
  seed: number;
  broken: string[];
  trace: string[];
  faults: World['faults']['happened'];
  steps: number;
}

/** An empty store whose database has the world's clock. It belongs to the world until the next one asks for it. */
export type EmptyStore = (world: World) => Promise<HostedStore>;

/** One history: trouble for a while, then calm, then the model's verdict. */
export async function runHistory(
  seed: number,
  {
    allowed,
    emptyStore = emptySqliteStore,
    skews,
  }: {
    allowed?: ReadonlySet<number>;
    emptyStore?: EmptyStore;
    /** How far the clock of each desk is ahead, instead of what the seed says. */
    skews?: readonly number[];
  } = {},
): Promise<History> {
  const world = new World(seed, allowed);
  const { random, faults } = world;
  const store = await emptyStore(world);
  const restore = world.replaceTimers();
  try {
    const github = new FakeGitHub(world);
    github.skewMs = random.between(-15_000, 15_000);
    const broken: string[] = [];
    const hub: Hub = {
      world,
      github,
      store,
      desks: [],
      committedAt: new Map(),
      condemnedAt: new Map(),
      startedAt: new Map(),
      endedAt: new Map(),
      lostRaces: new Map(),
      actedOn: new Set(),
      verified: new Set(),
      failed: new Map(),
      verifiedOn: new Set(),
      jobs: [],
      broken,
      lanes: new LaneWatch(broken),
      leases: new LeaseWatch(broken),
      limits: new Limits(broken),
    };
    const drawn = Array.from({ length: random.pick([1, 2, 2, 3]) }, () => random.between(-20_000, 20_000));
    for (const [index, skewMs] of (skews ?? drawn).entries())
      hub.desks.push(new Desk(hub, `desk ${index + 1}`, skewMs));
    const actions = new Actions(hub, seed);
    const issue = github.openIssue();
    const people = new People(hub, issue);
    const reviewers = new Reviewers(hub, people, seed);
    hub.isReviewed = reviewers.isThere;
    hub.hangsInCalm = seed % HANGING_SEEDS === 0;
    hub.losesSummary = reviewers.losesSummary;
    const delivered = deliverWebhooks(hub);
    for (const desk of hub.desks) desk.start();
    world.after(1_000, () => github.setLabel(issue, LABEL, 'rosa'));
    const troubled = random.between(2, 8) * MINUTE_MS + (reviewers.isThere ? REVIEWED_MS : 0);
    const visits = random.between(2, 9);
    for (let visit = 0; visit < visits; visit += 1)
      world.after(random.between(20_000, troubled), () => people.act());
    planTrouble(hub, troubled, people);
    planRefusedDispatches(hub, seed, troubled);
    planLiars(hub, seed);
    planLongOutage(hub, seed, troubled);
    planForgeries(hub, people, seed, troubled);
    new Meddlers(hub, people, seed).plan(troubled);
    if (faults.happens('the issue is edited', 0.2))
      world.after(random.between(500, 90_000), () => {
        const by = random.pick(['rosa', 'walter', 'walter']);
        world.log(`${by} edits the issue`);
        github.editIssue(issue, by);
      });
    await world.runFor(troubled);
    if (hub.isDownForLong) await world.runFor((hub.outage?.until ?? world.now) - world.now);
    const staysBroken =
      createRandom(seed ^ 0x39c7).chance(STILL_BROKEN) && faults.happens('the workflow stays broken', 1);
    world.log('--- calm');
    faults.calm = true;
    hub.calmAt = world.now;
    hub.outage = undefined;
    hub.brokenUntil = staysBroken ? world.now + STILL_BROKEN_MS : undefined;
    hub.refusedUntil = undefined;
    for (const desk of hub.desks) {
      desk.process.stalledUntil = 0;
      if (desk.process.dead) desk.start();
    }
    let isAtRest = await comeToRest(hub, actions, issue, reviewers);
    if (isAtRest && (await commandInCalm(hub, people, seed)))
      isAtRest = await comeToRest(hub, actions, issue, reviewers);
    if (isAtRest && (await actInCalm(hub, people, seed)))
      isAtRest = await comeToRest(hub, actions, issue, reviewers);
    if (isAtRest && (await removeInCalm(hub, people, seed)))
      isAtRest = await comeToRest(hub, actions, issue, reviewers);
    if (seed % PARKED_SEEDS === 0 && (await park(hub, issue)) === 'disturbed')
      isAtRest = await comeToRest(hub, actions, issue, reviewers);
    const verdict = await judge({
      hub,
      github,
      store,
      actions,
      people,
      reviewers,
      issue,
      delivered,
      cameToRest: isAtRest,
    });
    for (const desk of hub.desks) desk.process.dead = true;
    return { seed, broken: verdict, trace: world.trace, faults: faults.happened, steps: world.steps };
  } finally {
    restore();
  }
}

async function comeToRest(hub: Hub, actions: Actions, issue: number, reviewers: Reviewers): Promise<boolean> {
  const { world, limits } = hub;
  // A desk may still wait as GitHub has asked it to.
  await world.runFor(Math.max(0, limits.until - world.now));
  let quiet = 0;
  for (let checks = 0; quiet < QUIET_CHECKS && checks < MOST_CHECKS; checks += 1) {
    await world.runFor(CHECK_MS);
    if (checks === HANGING_CHECKS) actions.endHanging();
    quiet = (await isQuiet(hub, actions, issue, reviewers)) ? quiet + 1 : 0;
  }
  return quiet === QUIET_CHECKS;
}

async function isQuiet(
  { store, github }: Hub,
  actions: Actions,
  issue: number,
  reviewers: Reviewers,
): Promise<boolean> {
  if (actions.busy.size > 0) return false;
  const outbox = await store.outbox.size();
  if (outbox.waiting + outbox.busy > 0) return false;
  const inbox = await store.inbox.size();
  if (inbox.waiting + inbox.busy > 0) return false;
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  // A question that GitHub refused is asked again after some minutes.
  if (state) {
    if (phaseOf(state) === 'working' || isAsked(state) || !isQuestionShown(github, state)) return false;
    return !isStatusMissing(github, issue, state) && !(await isUnheard({ store, github, reviewers }, state));
  }
  if (isNotStarted(github)) return true;
  const { labels, state: open } = github.issuePayload(issue);
  return open === 'closed' || !labels.includes(LABEL);
}

/** A round begins a minute after it was asked for. */
function isAsked({ status, asked_revisions = [] }: RunState): boolean {
  return status === 'reviewing' && asked_revisions.length > 0;
}

/** what a run that waits for people costs of GitHub's budget, if nobody does anything meanwhile. */
async function park(hub: Hub, issue: number): Promise<'disturbed' | undefined> {
  const { world, github, store, broken } = hub;
  const before = { reads: github.counted, present: await presentOf(hub, issue) };
  await world.runFor(PARKED_MS);
  if ((await presentOf(hub, issue)) !== before.present) return 'disturbed';
  const reads = github.counted - before.reads;
  const { labels, state } = github.issuePayload(issue);
  const isListed = state === 'open' && labels.includes(LABEL);
  const atRest = (await store.runs.placed('resting')).length > 0 ? MOST_READS_AT_REST : MOST_READS;
  if (reads > (isListed ? atRest : MOST_READS_UNLISTED))
    broken.push(`R-14: issue ${issue} was read ${reads} times while its run was parked`);
  return undefined;
}

/** The run, its version, and when the issue last changed. */
async function presentOf({ store, github }: Hub, issue: number): Promise<string> {
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const version = run === undefined ? 0 : (await store.runs.load(run)).version;
  return `${run} ${version} ${github.issuePayload(issue).updated_at}`;
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
        return world.as(desk.process, () =>
          desk.ingest(id, event, payload, () => {
            if (comment && action === 'created') delivered.add(comment.id);
          }),
        );
      });
    }
  };
  return delivered;
}

function planTrouble(hub: Hub, troubled: number, people: People): void {
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
  if (faults.happens('the workflow is broken', 0.06)) {
    const ms = random.between(1, 7) * MINUTE_MS;
    world.after(random.between(1_000, troubled), () => {
      world.log('the workflow is BROKEN');
      hub.brokenUntil = world.now + ms;
    });
  }
  if (faults.happens('comments are refused', 0.1)) {
    const ms = random.between(1, 5) * MINUTE_MS;
    const cancels = random.chance(0.6);
    world.after(random.between(20_000, troubled), () => {
      world.log('GitHub refuses comments of the App');
      hub.refusedUntil = world.now + ms;
      if (cancels) people.cancelWithin(ms);
    });
  }
  if (faults.happens('GitHub is down', 0.3)) {
    const until = random.between(1, 8) * MINUTE_MS;
    const status = random.pick([503, 500, 429]);
    world.after(random.between(1_000, troubled), () => {
      // One that lasts an hour goes on.
      if (hub.isDownForLong) return;
      world.log(`GitHub is down (${status})`);
      hub.wasDown = true;
      hub.outage = { until: world.now + until, status, retryAfter: status === 429 ? 60 : undefined };
    });
  }
}
