import { renderNotStarted } from '../../comments/github/render-not-started.ts';
import type { NotStartedNotice } from '../../core/contracts/effect.ts';
import { isUnderWay } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { isSetAgain, newestLabelled } from '../labelling.ts';
import { upsertComment } from '../upsert-comment.ts';

/**
 * Tells why a label started nothing, and removes the label so that setting it again is a new try. If that try was made before
 * GitHub took the notice, the words are outdated and the label is that of the new try.
 */
export async function writeNotice(
  deps: AppDependencies,
  op: string,
  notice: NotStartedNotice,
): Promise<void> {
  const github = await deps.github(notice);
  if (await isTriedAgain(deps, github, notice)) return;
  const body = renderNotStarted({ ...notice, op });
  await upsertComment(deps, github, { op, body, issue: notice.issue });
  await github.removeLabel(notice.issue, deps.settings.label);
}

async function isTriedAgain(
  { store, settings }: AppDependencies,
  github: GitHub,
  { issue, set }: NotStartedNotice,
): Promise<boolean> {
  if (!set) return false;
  const run = await store.runs.ofIssue(set.repo_id, issue);
  const { state } = run === undefined ? {} : await store.runs.load(run);
  if (state && isUnderWay(state)) return true;
  // A bot starts no run, so its label is no new try.
  const events = (await github.issueEvents(issue)).filter(({ actor_type }) => actor_type === 'User');
  const newest = newestLabelled(events, settings.label);
  return newest !== undefined && isSetAgain(set, { event: newest.id, at: newest.created_at });
}
