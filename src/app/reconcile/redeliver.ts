import type { CursorValues } from '../../core/ports/cursors.ts';
import { type FailedDelivery, GitHubError } from '../../core/ports/github-port.ts';
import type { AppDependencies, HostedDependencies } from '../dependencies.ts';
import { hasPassed } from './has-passed.ts';

const EVERY_MS = 5 * 60_000;
/** GitHub does not redeliver webhooks older than three days. */
const OLDEST_MS = 3 * 24 * 3_600_000 - 600_000;
/** Deliveries are listed by start time, and one that times out appears later than those started after it. */
const OVERLAP_MS = 120_000;
/** The number of redeliveries requested for one webhook. */
const MOST_TRIES = 3;
/** The number of redeliveries requested per round. GitHub's client sends one per second, so that they end before the next round. */
const MOST_AT_ONCE = 50;

/**
 * Requests redelivery of failed webhooks, because GitHub does not retry by itself. Failures here do not stop the rest of
 * reconcile.
 */
export async function redeliverFailed(deps: HostedDependencies): Promise<void> {
  const { store, now, deliveries } = deps;
  if (!deliveries) return;
  const { looked_at } = (await store.cursors.get('deliveries', 'all')) ?? {};
  if (looked_at && !hasPassed(EVERY_MS, { since: Date.parse(looked_at), now: now().getTime() })) return;
  try {
    const started = now().toISOString();
    const isAll = await askForMissed(deps, deliveries);
    await change(deps, { problem: undefined, ...(isAll && { looked_at: started }) });
  } catch (error) {
    await complainOnce(deps, error);
    await change(deps, { looked_at: now().toISOString() });
  }
}

/** False if more redeliveries are to be requested. */
async function askForMissed(
  deps: HostedDependencies,
  deliveries: NonNullable<HostedDependencies['deliveries']>,
): Promise<boolean> {
  const { store, now, log } = deps;
  const { seen } = (await store.cursors.get('deliveries', 'all')) ?? {};
  const oldest = now().getTime() - OLDEST_MS;
  const since = Math.max(oldest, seen ? Date.parse(seen) - OVERLAP_MS : oldest);
  const { failed, complete } = await deliveries.failedSince(new Date(since).toISOString());
  if (!complete)
    log.warn({ read: failed.length }, 'more webhooks failed than can be asked for again; the oldest are not');
  const known = await store.inbox.known([...new Set(failed.map(({ guid }) => guid))]);
  // The newest of several deliveries counts.
  const newest = new Map(failed.map((delivery) => [delivery.guid, delivery]));
  let asked = 0;
  for (const delivery of failed) {
    if (asked >= MOST_AT_ONCE) return false;
    if (!known.has(delivery.guid) && newest.get(delivery.guid) === delivery)
      asked += await askAgain(deps, deliveries, delivery);
    // This time is by GitHub's clock.
    await change(deps, { seen: delivery.delivered_at });
  }
  return true;
}

async function askAgain(
  { store, log }: AppDependencies,
  deliveries: NonNullable<HostedDependencies['deliveries']>,
  { id, guid }: FailedDelivery,
): Promise<number> {
  const before = (await store.cursors.get('redelivery', guid)) ?? { tries: 0, after: '' };
  // A redelivery was requested and its result is not listed yet.
  if (before.after === id) return 0;
  const tries = before.tries + 1;
  const remember = (asked: CursorValues['redelivery']) => store.cursors.set('redelivery', guid, asked);
  if (before.tries >= MOST_TRIES) {
    log.error({ delivery: guid, tries: before.tries }, 'this webhook fails each time it is sent: given up');
    await remember({ tries: before.tries, after: id });
    return 0;
  }
  try {
    await deliveries.redeliver(id);
    log.info({ delivery: guid, tries }, 'GitHub was asked to send a webhook again');
  } catch (error) {
    // This delivery is too old or gone; others are not affected.
    if (!(error instanceof GitHubError) || ![400, 422].includes(error.status)) throw error;
    log.warn({ delivery: guid, error: error.message }, 'GitHub does not send this webhook again');
  }
  await remember({ tries, after: id });
  return 1;
}

async function change({ store }: AppDependencies, part: CursorValues['deliveries']): Promise<void> {
  await store.cursors.set('deliveries', 'all', {
    ...(await store.cursors.get('deliveries', 'all')),
    ...part,
  });
}

/** A GitHub server without this API is logged once, not every few minutes. */
async function complainOnce(deps: AppDependencies, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  const { problem } = (await deps.store.cursors.get('deliveries', 'all')) ?? {};
  if (problem === text) return;
  await change(deps, { problem: text });
  deps.log.warn(
    { error: text },
    'webhooks that failed cannot be asked for again; reconcile makes up for them',
  );
}

/** Marks a buried webhook that is handled after all, because the run it was meant for may be over. */
export async function expectLate({ store }: AppDependencies, delivery: string): Promise<void> {
  if (!(await store.cursors.get('redelivery', delivery)))
    await store.cursors.set('redelivery', delivery, { tries: 0, after: '' });
}

/**
 * True for an event older than the request of the newest run, which it cannot be meant for. Such events only arrive by
 * redelivery, up to days later.
 */
export async function isOutdated(
  { store }: AppDependencies,
  delivery: string,
  said: { repo_id: number; issue: number; at: string },
): Promise<boolean> {
  if (!(await store.cursors.get('redelivery', delivery))) return false;
  const run =
    (await store.runs.ofIssue(said.repo_id, said.issue)) ??
    (await store.publications.ofPull(said.repo_id, said.issue));
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  return state !== undefined && Date.parse(said.at) < Date.parse(state.requested_at);
}
