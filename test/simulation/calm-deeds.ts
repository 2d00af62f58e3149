import { newTicks } from '../../src/app/ticked-boxes.ts';
import { readMarker } from '../../src/app/upsert-comment.ts';
import { phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import type { Hub } from './desk.ts';
import { BOT, LABEL, REPO_ID } from './fake-github.ts';
import type { People } from './people.ts';
import { createRandom, type Random } from './random.ts';

/** Every so many histories somebody does one thing once nothing fails any more. The others are as they were without it. */
const DONE = 1 / 6;
/** with its webhook, and without it on a run under way. */
const TOLD_MS = 10_000;
const UNTOLD_MS = 90_000;
/** In so many of them somebody sets the label again, and no webhook tells. */
const LABELLED = 1 / 4;
/** R-1's 16 minutes, by clocks of desks that differ from one another by up to 40 s, and the calls that start a run. */
const STARTED_MS = 16 * 60_000 + 60_000;
/** A run that was cancelled leaves the lists of runs under way. */
const LEFT_MS = 150_000;

interface Deed {
  name: string;
  act(hub: Hub, people: People, state: RunState, random: Random): boolean;
  isHeard(state: RunState, before: RunState): boolean;
}

/** V-1: a cancel ends the round, and the next one may begin that somebody asked for meanwhile. */
const isOver = (state: RunState, before?: RunState) =>
  !['working', 'waiting'].includes(phaseOf(state)) || state.revision?.number !== before?.revision?.number;

const DEEDS: readonly Deed[] = [
  {
    name: 'R-1: a tick',
    act: tick,
    isHeard: (state, before) => answersOf(state) > answersOf(before) || state.pending !== before.pending,
  },
  {
    name: 'R-9: /cancel',
    act: (_hub, people) => {
      people.say('/cancel', 'rosa', people.issue);
      return true;
    },
    isHeard: isOver,
  },
  {
    name: 'R-9: taking the label off',
    act: ({ github }, { issue, meddled }) => {
      meddled.add('unlabelled');
      github.unsetLabel(issue, LABEL, 'walter');
      return true;
    },
    isHeard: isOver,
  },
  {
    name: 'R-9: a close by somebody who may cancel',
    act: (hub, people) => close(hub, people, 'rosa'),
    isHeard: isOver,
  },
  {
    name: 'R-9: a close by somebody who may not cancel, which pauses,',
    act: (hub, people) => close(hub, people, 'rita'),
    isHeard: (state, before) => phaseOf(state) === 'waiting' && state.pending === before.pending,
  },
];

/** a deed has its effect in time, with its webhook or without. True if somebody did something. */
export async function actInCalm(hub: Hub, people: People, seed: number): Promise<boolean> {
  const random = createRandom(seed ^ 0x3c95);
  if (!random.chance(DONE)) return false;
  const deed = random.pick(DEEDS);
  const isTold = random.chance(0.5);
  const isLabelled = random.chance(LABELLED);
  const isDone = await doAndWait(hub, people, { ...deed, isTold, random });
  return (isLabelled && (await labelAgain(hub, people))) || isDone;
}

async function doAndWait(
  hub: Hub,
  people: People,
  { name, act, isHeard, isTold, random }: Deed & { isTold: boolean; random: Random },
): Promise<boolean> {
  const { world, store, github, broken } = hub;
  const run = await store.runs.ofIssue(REPO_ID, people.issue);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  const { labels, state: open } = github.issuePayload(people.issue);
  if (!state || isOver(state, state) || open !== 'open' || !labels.includes(LABEL)) return false;
  world.log(`--- ${name}, ${isTold ? 'with' : 'without'} its webhook`);
  if (!untold(hub, isTold, () => act(hub, people, state, random))) return false;
  const ms = isTold ? TOLD_MS : UNTOLD_MS;
  await world.runFor(ms);
  const { state: after } = await store.runs.load(state.run);
  // V-1: work that is ready is not thrown away by the label or the issue.
  if (after && phaseOf(after) !== 'resting' && !isHeard(after, state))
    broken.push(`${name} had no effect on ${state.run} within ${ms} ms, and nothing fails`);
  return true;
}

function untold<Result>(hub: Hub, isTold: boolean, act: () => Result): Result {
  const { github } = hub;
  const { onWebhook } = github;
  if (!isTold) github.onWebhook = () => undefined;
  try {
    return act();
  } finally {
    github.onWebhook = onWebhook;
  }
}

/** a label whose webhook was lost starts its run. */
async function labelAgain(hub: Hub, { issue, meddled }: People): Promise<boolean> {
  const { world, store, github, broken } = hub;
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  if (!state || phaseOf(state) === 'resting') return false;
  if (github.issuePayload(issue).state !== 'open') github.setState(issue, 'open', 'rosa');
  meddled.add('unlabelled');
  github.unsetLabel(issue, LABEL, 'rosa');
  await world.runFor(LEFT_MS);
  world.log('--- rosa sets the label again, without its webhook');
  untold(hub, false, () => github.setLabel(issue, LABEL, 'rosa'));
  await world.runFor(STARTED_MS);
  if ((await store.runs.ofIssue(REPO_ID, issue)) === run)
    broken.push(`R-1: a label whose webhook was lost started nothing within ${STARTED_MS} ms`);
  return true;
}

/** A box of the open question. */
function tick({ github, world }: Hub, _people: People, { run, pending }: RunState, random: Random): boolean {
  const question = [...github.comments.values()].find(
    ({ author, body }) => author === BOT && readMarker(body)?.op === `${run}.${pending}`,
  );
  const boxes = question ? [...question.body.matchAll(BOX)].flatMap(([box]) => box) : [];
  if (!question || boxes.length === 0 || newTicks('', question.body).length > 0) return false;
  const box = random.pick(boxes);
  world.log(`walter ticks ${box}`);
  github.edit(question.id, question.body.replace(box, box.replace('[ ]', '[x]')), 'walter');
  return true;
}

const BOX = /^- \[ \] <!-- autobuild:option id=[A-Za-z0-9._-]+ -->/gm;

/** `/review` leaves the question open. */
function answersOf({ escalations }: RunState): number {
  return escalations.flatMap(({ responses }) => responses).length;
}

function close({ github }: Hub, { issue, meddled }: People, by: string): boolean {
  meddled.add('closed');
  github.setState(issue, 'closed', by);
  return true;
}
