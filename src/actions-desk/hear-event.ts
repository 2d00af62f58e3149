import { isBefore, newestLabelled } from '../app/labelling.ts';
import { readLabelled } from '../app/reconcile/reconcile-labels.ts';
import { reconcileRun } from '../app/reconcile/reconcile-run.ts';
import { onRepositoryEvents } from '../app/repository-events.ts';
import { readMarker } from '../app/upsert-comment.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { DeskParts } from './desk-parts.ts';
import type { OpenDesk } from './open-desk.ts';
import type { HandlerCall } from './read-event.ts';
import { ownershipOf, tellOnce } from './tell-once.ts';
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
  // A label that was removed and set again has an event to come, and this one would end what it starts.
  const isAboutLabel = call?.name === 'issues.labeled' || call?.name === 'issues.unlabeled';
  if (!isAboutLabel) await tryAgain(parts.job, () => lookForLabel(parts, desk, run, call));
  await tryAgain(parts.job, handle);
}

/** A person opened the pull request of our branch, where Actions may not. */
async function noticePull({ deps: { store } }: OpenDesk, run: string, pull: number): Promise<void> {
  const known = (await store.publications.of(run)).pull;
  if (known === undefined) await store.publications.change(run, { pull });
}

/**
 * A label whose event was dropped. It starts nothing if it had a run whose state is gone by now, because nobody asked for the work
 * to begin again. Comments of ours tell of that run. Without them, the label's age has to do.
 */
async function lookForLabel(
  parts: DeskParts,
  { deps, issue }: OpenDesk,
  run: string | undefined,
  call: HandlerCall | undefined,
): Promise<void> {
  if (run !== undefined) return;
  const { github, job, keptMs } = parts;
  const found = await github.issue(issue);
  if (!found) return;
  const isLabelled = found.state !== 'closed' && found.labels.some((label) => isSameLabel(label, job.label));
  const on = call && askedOn(call, issue);
  if (!isLabelled && on === undefined) return;
  const told = await lastWordOfRun(parts, issue);
  const set = told && isLabelled ? newestLabelled(await github.issueEvents(issue), job.label) : undefined;
  if (told && (!set || !isBefore(told, set.created_at))) {
    if (on !== undefined) await sayGone(parts, on);
    return;
  }
  if (!isLabelled) return;
  const { owner, repo, repoId: repo_id } = job;
  const place = { owner, repo, repo_id, installation_id: 0, archived: false };
  await readLabelled(deps, github, place, found, { youngMs: 0, oldMs: keptMs });
}

/** When a comment of ours was last written for a run of this issue. */
async function lastWordOfRun(parts: DeskParts, issue: number): Promise<string | undefined> {
  const ownership = ownershipOf(parts);
  const ofRuns = (await parts.github.comments(issue)).filter(
    (comment) => ownership.isOurs(comment, issue) && readMarker(comment.body)?.run,
  );
  return ofRuns
    .map(({ created_at }) => created_at)
    .sort()
    .at(-1);
}

/** The issue or pull request where somebody waits for an answer. */
function askedOn({ name, comment, pull, payload }: HandlerCall, issue: number): number | undefined {
  if (comment === undefined && !name.startsWith('pull_request_review')) return undefined;
  return pull ?? (payload as { issue?: { number?: number } }).issue?.number ?? issue;
}

function sayGone(parts: DeskParts, on: number): Promise<void> {
  return tellOnce(parts, on, {
    about: 'state-gone',
    title: 'Nothing was done: the state of this run is gone',
    text: [
      'Its ref in this repository was deleted, so the run cannot be continued. (Autobuild deletes it a week after the end of a run.) Branches and pull requests are kept.',
      `**Next:** to build this issue again from the start, remove and re-add the label \`${parts.job.label}\`.`,
    ].join('\n\n'),
  });
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
