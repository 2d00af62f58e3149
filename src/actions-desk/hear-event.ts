import { readLabelled } from '../app/reconcile/reconcile-labels.ts';
import { reconcileRun } from '../app/reconcile/reconcile-run.ts';
import { onRepositoryEvents } from '../app/repository-events.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { DeskParts } from './desk-parts.ts';
import type { OpenDesk } from './open-desk.ts';
import type { HandlerCall } from './read-event.ts';
import { readAgain, tryAgain } from './try-again.ts';

/**
 * Reads everything that was said about the issue since the last state, then handles the event. The queue of Actions keeps one
 * waiting run and drops older ones, so their events are found this way, in their order.
 */
export async function hearEvent(
  parts: DeskParts,
  desk: OpenDesk,
  call: HandlerCall | undefined,
): Promise<void> {
  const { deps, issue } = desk;
  let isHandled = call === undefined;
  const handle = async () => {
    if (isHandled || !call) return;
    await handlerOf(desk, call.name)({ id: `run-${parts.job.actionsRun}`, payload: call.payload });
    isHandled = true;
  };
  const run = await deps.store.runs.ofIssue(parts.job.repoId, issue);
  if (run !== undefined && call?.pull !== undefined) await noticePull(desk, run, call.pull);
  if (run !== undefined)
    await readAgain(parts.job, () =>
      reconcileRun(deps, run, {
        comment: call?.comment === undefined ? undefined : { comment: call.comment, handle },
        isAboutIssue: call?.name.startsWith('issues.'),
        isAboutPull: call?.name.startsWith('pull_request.'),
      }),
    );
  if (call?.name !== 'issues.labeled') await tryAgain(parts.job, () => lookForLabel(parts, desk, run));
  await tryAgain(parts.job, handle);
}

/** A person opened the pull request of our branch, where Actions may not. */
async function noticePull({ deps: { store } }: OpenDesk, run: string, pull: number): Promise<void> {
  const known = (await store.publications.of(run)).pull;
  if (known === undefined) await store.publications.change(run, { pull });
}

/** A label whose event was dropped. An old one may have had its run, whose state is gone by now, so it starts nothing. */
async function lookForLabel(
  { github, job, keptMs }: DeskParts,
  { deps, issue }: OpenDesk,
  run: string | undefined,
): Promise<void> {
  if (run !== undefined) return;
  const found = await github.issue(issue);
  if (!found || found.state === 'closed' || !found.labels.some((label) => isSameLabel(label, job.label)))
    return;
  const { owner, repo, repoId: repo_id } = job;
  const place = { owner, repo, repo_id, installation_id: 0, archived: false };
  await readLabelled(deps, github, place, found, { youngMs: 0, oldMs: keptMs });
}

type Handler = (webhook: { id: string; payload: never }) => Promise<void>;

function handlerOf(
  { deps }: OpenDesk,
  name: string,
): (webhook: { id: string; payload: object }) => Promise<void> {
  let found: Handler | undefined;
  onRepositoryEvents(deps, (names, handler) => {
    if ([names].flat().includes(name as never)) found = handler as unknown as Handler;
  });
  if (!found) throw new Error(`There is no handler for ${name}.`);
  return found as (webhook: { id: string; payload: object }) => Promise<void>;
}
