import { phaseOf } from '../../src/core/contracts/run-state.ts';
import type { Hub } from './desk.ts';
import { REPO_ID } from './fake-github.ts';
import type { People } from './people.ts';
import { createRandom } from './random.ts';

/** Every so many histories, somebody gives commands once nothing fails any more. */
const COMMANDED = 1 / 8;
const COMMANDS = ['/status', '/help', '/continue', '/guide Mind the tests', '/pause'];
/** with its webhook, and without it on a run under way. */
const TOLD_MS = 10_000;
const UNTOLD_MS = 90_000;

/** a command is acted on in time: one whose webhook comes, and one whose webhook is lost. True if somebody gave any. */
export async function commandInCalm(hub: Hub, people: People, seed: number): Promise<boolean> {
  const random = createRandom(seed ^ 0x1f4b);
  if (!random.chance(COMMANDED)) return false;
  const { github } = hub;
  await giveAndWait(hub, people, random.pick(COMMANDS), TOLD_MS);
  const { onWebhook } = github;
  github.onWebhook = () => undefined;
  try {
    await giveAndWait(hub, people, '/status', UNTOLD_MS);
  } finally {
    github.onWebhook = onWebhook;
  }
  return true;
}

async function giveAndWait(hub: Hub, people: People, text: string, ms: number): Promise<void> {
  const { world, store, github, actedOn, broken } = hub;
  const { issue } = people;
  const run = await store.runs.ofIssue(REPO_ID, issue);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  // Reconcile reads the issues that are open, of runs that have not come to rest.
  const isActive = state && ['working', 'waiting'].includes(phaseOf(state));
  if (!isActive || github.issuePayload(issue).state !== 'open') return;
  people.say(text, 'walter', issue);
  const comment = people.given.at(-1)?.comment;
  await world.runFor(ms);
  // A run that came to rest meanwhile is read more rarely.
  const { state: after } = await store.runs.load(state.run);
  if (after && phaseOf(after) === 'resting') return;
  if (!actedOn.has(`comment:${comment}`))
    broken.push(`R-1: ${text} (comment ${comment}) was not acted on within ${ms} ms, and nothing fails`);
}
