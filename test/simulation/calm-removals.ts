import { readMarker } from '../../src/app/upsert-comment.ts';
import { phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import type { Hub } from './desk.ts';
import { BOT, type FakeGitHub, LABEL, REPO_ID } from './fake-github.ts';
import { isListed } from './judge-meddlers.ts';
import type { People } from './people.ts';
import { createRandom } from './random.ts';

/** Every so many histories somebody removes something of ours once nothing fails any more. The others are as they were without it. */
const REMOVED = 1 / 8;
/** A deleted comment whose webhook comes. None tells of a state label. */
const TOLD_MS = 10_000;
/** Within a tick of reconcile, which writes it in the next minute. */
const UNTOLD_MS = 120_000;
/** The repository of a run that rests is read every 15 minutes, by clocks of desks that differ by up to 40 s. */
const RESTING_MS = 16 * 60_000 + 60_000;

/** what somebody removes comes back in time, with its webhook or without. True if somebody removed something. */
export async function removeInCalm(hub: Hub, people: People, seed: number): Promise<boolean> {
  const random = createRandom(seed ^ 0x2e71);
  if (!random.chance(REMOVED)) return false;
  const what = random.pick(['status', 'question', 'label'] as const);
  const isTold = random.chance(0.5);
  const { world, store, github, broken } = hub;
  const { issue } = people;
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const { state, version } = run === undefined ? { version: 0 } : await store.runs.load(run);
  const isLookedAfter = state && ['waiting', 'resting'].includes(phaseOf(state)) && isListed(github, issue);
  const ours = isLookedAfter ? find(github, issue, state, what) : undefined;
  if (!state || !ours) return false;
  world.log(`--- rosa removes ${ours.name}, ${isTold ? 'with' : 'without'} webhooks`);
  const { onWebhook } = github;
  if (!isTold) github.onWebhook = () => undefined;
  ours.remove();
  // Another comment makes up for the number of those that are there.
  if (what !== 'label') github.write(issue, 'Looks good!', 'rosa');
  github.onWebhook = onWebhook;
  const untold = phaseOf(state) === 'resting' ? RESTING_MS : UNTOLD_MS;
  const ms = isTold && what !== 'label' ? TOLD_MS : untold;
  await world.runFor(ms);
  const since = (await store.runs.events(state.run)).slice(version);
  // A reviewer may have asked for something meanwhile, and the run have moved on.
  const isAsBefore = since.every(({ commit }) => commit.input.type === 'write');
  if (isAsBefore && !ours.isThere())
    broken.push(`R-13: ${ours.name} was removed and is not back after ${ms} ms`);
  return true;
}

interface Ours {
  name: string;
  remove(): void;
  isThere(): boolean;
}

function find(
  github: FakeGitHub,
  issue: number,
  { run, pending }: RunState,
  what: 'status' | 'question' | 'label',
): Ours | undefined {
  if (what === 'label') {
    const labels = () => github.issuePayload(issue).labels;
    const label = labels().find((one) => one.startsWith(`${LABEL}:`));
    return label === undefined
      ? undefined
      : {
          name: `the label ${label}`,
          remove: () => github.unsetLabel(issue, label, 'rosa'),
          isThere: () => labels().includes(label),
        };
  }
  const op = `${run}.${what === 'status' ? 'status' : pending}`;
  const present = () =>
    [...github.comments.values()].find(({ author, body }) => author === BOT && readMarker(body)?.op === op);
  const comment = present();
  return (
    comment && {
      name: `the comment ${op}`,
      remove: () => github.remove(comment.id, 'rosa'),
      isThere: () => present() !== undefined,
    }
  );
}
