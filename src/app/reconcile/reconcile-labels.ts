import { isUnderWay } from '../../core/contracts/run-state.ts';
import { type GitHub, GitHubError, type GitHubIssue, type IssueEvent } from '../../core/ports/github-port.ts';
import { laneKey } from '../../core/ports/run-target.ts';
import type { AppDependencies, Repository } from '../dependencies.ts';
import { onArchived } from '../handlers/installation.ts';
import { onIssueLabelled } from '../handlers/issue-labelled.ts';
import { isSetAgain, labellingOf, newestLabelled } from '../labelling.ts';

const EVERY_MS = 15 * 60_000;
/**
 * GitHub's times are whole seconds of its own clock, so an issue that changed this recently may change again with the same
 * `updated_at`.
 */
const UNSETTLED_MS = 10 * 60_000;

/** Handles labels whose webhook was lost. A repository that cannot be read does not stop the others. */
export async function reconcileLabels(deps: AppDependencies): Promise<void> {
  const { store, now, log } = deps;
  for (const repository of await deps.repositories()) {
    const name = `${repository.owner}/${repository.repo}`;
    const last = await store.cursors.get('labels', name);
    if (last && now().getTime() - Date.parse(last.read_at) < EVERY_MS) continue;
    const started = now().toISOString();
    try {
      await readLabels(deps, repository);
    } catch (error) {
      log.warn({ repository: name, error: String(error) }, 'the labels of this repository could not be read');
      // A repository that is gone or empty is read less often. Any other failure is retried in the next round.
      if (!(error instanceof GitHubError) || ![403, 404, 409, 410, 451].includes(error.status)) continue;
    }
    await store.cursors.set('labels', name, { read_at: started });
  }
}

async function readLabels(deps: AppDependencies, repository: Repository): Promise<void> {
  const github = await deps.github(repository);
  const { repo_id, archived } = await github.defaultBranch();
  if (archived) return onArchived(deps, repo_id, `${repository.owner}/${repository.repo}`);
  const problems: unknown[] = [];
  for (const issue of await github.issuesWithLabel(deps.settings.label)) {
    try {
      await readLabel(deps, github, { ...repository, repo_id }, issue);
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw problems[0];
}

async function readLabel(
  deps: AppDependencies,
  github: GitHub,
  repository: Repository & { repo_id: number },
  issue: GitHubIssue,
): Promise<void> {
  const { store, settings, log, now } = deps;
  const { repo_id, ...where } = repository;
  const key = laneKey(repo_id, issue.number);
  if ((await store.cursors.get('labelled_issue', key))?.updated_at === issue.updated_at) return;
  const run = await store.runs.ofIssue(repo_id, issue.number);
  const { state } = run === undefined ? { state: undefined } : await store.runs.load(run);
  if (state && isUnderWay(state)) return;
  const events = await github.issueEvents(issue.number);
  const set = newestLabelled(events, settings.label);
  const fields = { repository: `${where.owner}/${where.repo}`, issue: issue.number };
  if (!set?.actor || set.actor_type !== 'User') {
    log.info({ ...fields, by: set?.actor }, 'no person is known to have set this label: nothing is started');
  } else if (!state || isSetAgain(await labellingOf(deps, state), { event: set.id, at: set.created_at })) {
    await onIssueLabelled(deps, {
      ...where,
      issue: issue.number,
      login: set.actor,
      seen: `label-event:${repo_id}:${set.id}`,
      at: set.created_at,
      set,
      text: await textWhenLabelled(github, issue, events, { ...set, actor: set.actor }),
    });
  }
  if (now().getTime() - Date.parse(issue.updated_at) > UNSETTLED_MS)
    await store.cursors.set('labelled_issue', key, { updated_at: issue.updated_at });
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
