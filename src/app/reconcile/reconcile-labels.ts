import { isUnderWay } from '../../core/contracts/run-state.ts';
import type { InstalledRepository } from '../../core/ports/cursors.ts';
import type { GitHub, GitHubIssue, IssueEvent } from '../../core/ports/github-port.ts';
import { laneKey } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { onIssueLabelled } from '../handlers/issue-labelled.ts';
import { onPullRequestLabelled } from '../handlers/pull-request-labelled.ts';
import { isSetAgain, labellingOf, newestLabelled } from '../labelling.ts';

/**
 * GitHub's times are whole seconds of its own clock, so an issue that changed this recently may change again with the same
 * `updated_at`.
 */
const UNSETTLED_MS = 10 * 60_000;
/** The webhook of a label this young is probably under way, and would be answered a second time. */
const YOUNG_MS = 60_000;

/**
 * Handles the label of an issue without a run under way, whose webhook may be lost. A label older than `oldMs` starts nothing.
 * False if it is to be read again soon.
 */
export async function readLabelled(
  deps: AppDependencies,
  github: GitHub,
  { repo_id, installation_id, owner, repo }: InstalledRepository,
  issue: GitHubIssue,
  { youngMs = YOUNG_MS, oldMs = Infinity }: { youngMs?: number; oldMs?: number } = {},
): Promise<boolean> {
  const { store, settings, log, now } = deps;
  const key = laneKey(repo_id, issue.number);
  if ((await store.cursors.get('labelled_issue', key))?.updated_at === issue.updated_at) return true;
  const run = await store.runs.ofIssue(repo_id, issue.number);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  // It started since the round began.
  if (state && isUnderWay(state)) return false;
  const events = await github.issueEvents(issue.number);
  const set = newestLabelled(events, settings.label);
  const fields = { repository: `${owner}/${repo}`, issue: issue.number };
  if (!set?.actor || set.actor_type !== 'User') {
    log.info({ ...fields, by: set?.actor }, 'no person is known to have set this label: nothing is started');
  } else if (!state || isSetAgain(await labellingOf(deps, state), { event: set.id, at: set.created_at })) {
    const age = now().getTime() - Date.parse(set.created_at);
    if (Math.abs(age) < youngMs) return false;
    if (age > oldMs) return true;
    await onIssueLabelled(deps, {
      ...{ installation_id, owner, repo },
      issue: issue.number,
      login: set.actor,
      seen: `label-event:${repo_id}:${set.id}`,
      at: set.created_at,
      set,
      text: await textWhenLabelled(github, issue, events, { ...set, actor: set.actor }),
    });
  }
  await keepIfSettled(deps, key, issue);
  return true;
}

/** The same for a pull request, which is never built: whoever labelled it is told. */
export async function readLabelledPull(
  deps: AppDependencies,
  github: GitHub,
  { repo_id, installation_id, owner, repo }: InstalledRepository,
  pull: GitHubIssue,
): Promise<boolean> {
  const { store, settings, now } = deps;
  const key = laneKey(repo_id, pull.number);
  if ((await store.cursors.get('labelled_issue', key))?.updated_at === pull.updated_at) return true;
  const set = newestLabelled(await github.issueEvents(pull.number), settings.label);
  if (set?.actor && set.actor_type === 'User') {
    if (Math.abs(now().getTime() - Date.parse(set.created_at)) < YOUNG_MS) return false;
    await onPullRequestLabelled(deps, {
      ...{ installation_id, owner, repo, repo_id, number: pull.number },
      login: set.actor,
      seen: `label-event:${repo_id}:${set.id}`,
    });
  }
  await keepIfSettled(deps, key, pull);
  return true;
}

async function keepIfSettled(
  { store, now }: AppDependencies,
  key: string,
  { updated_at }: GitHubIssue,
): Promise<void> {
  if (now().getTime() - Date.parse(updated_at) > UNSETTLED_MS)
    await store.cursors.set('labelled_issue', key, { updated_at });
}

/**
 * The issue's text at the time of the label. Undefined if somebody else edited it since, or if GitHub does not say. The
 * caller reads the text before this checks for edits, so that an edit in between is noticed.
 */
async function textWhenLabelled(
  github: GitHub,
  issue: GitHubIssue,
  events: IssueEvent[],
  set: IssueEvent & { actor: string },
): Promise<{ title: string; body: string } | undefined> {
  const isLater = (at: string) => Date.parse(at) >= Date.parse(set.created_at);
  const edit = await github.lastEdit(issue.node_id);
  if (!edit || (edit.at !== undefined && edit.by !== set.actor && isLater(edit.at))) return undefined;
  const renamed = events.some(
    ({ event, actor, created_at }) => event === 'renamed' && actor !== set.actor && isLater(created_at),
  );
  return renamed ? undefined : { title: issue.title, body: issue.body };
}
