import { hasRole, neededRole } from '../../core/contracts/role.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { labellingOf } from '../labelling.ts';
import { type Ending, whoEnded } from '../who-ended.ts';
import { isLabelGone } from './label-gone.ts';

interface IssueGone {
  repo_id: number;
  issue: number;
  ending: Ending;
  /** The person who did it, if known to be a person. */
  person?: string;
  /** The App that did it, if known. It may be this one. */
  bot?: string;
  /** Tells one close from the next. Absent in webhooks that an older version stored. */
  closed_at?: string;
  seen: string;
}

/**
 * C-6: cancels the run when its label was removed or its issue locked, transferred or deleted by anybody but this App. A close
 * cancels if the person may cancel, else it pauses. A merge of the run's pull request also closes the issue, but that is the
 * opposite of cancelling.
 */
export async function onIssueGone(deps: AppDependencies, gone: IssueGone): Promise<void> {
  const run = await deps.store.runs.ofIssue(gone.repo_id, gone.issue);
  if (!run) return;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target || !isUnderWay(state)) return;
  const github = await deps.github(target);
  if (gone.ending === 'unlabeled' && (await isLabelGone(deps, github, run))) return;
  if (gone.ending === 'closed' && (await isMerged(deps, github, run))) return;
  if (gone.bot !== undefined && deps.ownership.didWe({ actor: gone.bot, actor_type: 'Bot' })) return;
  let by = gone.person;
  let isBot = gone.bot !== undefined;
  if (by === undefined && gone.ending !== undefined) {
    const ended = await whoEnded(deps, github, gone.issue, gone.ending, await labellingOf(deps, state));
    if (ended === 'ours') return;
    by = gone.bot ?? ended?.login;
    isBot ||= ended?.isBot ?? false;
  }
  const person = isBot ? undefined : by;
  by ??= gone.bot ?? 'someone';
  const at = deps.now().toISOString();
  if (gone.ending === 'closed' && person && !(await mayCancel(github, person, target))) {
    // One key for webhook and reconcile, whatever the run is at, so that an answer or a `/continue` while the issue stays closed is
    // not undone. Another close is another word.
    const seen = ['closed-by', run, person, gone.closed_at].join(':');
    return pauseClosed(deps, state, { at, by, seen });
  }
  const command = { name: 'cancel' as const };
  const via = isBot ? 'autobuild' : 'github';
  await handleInput(deps, run, { type: 'command', at, command, by, via }, [gone.seen]);
}

async function mayCancel(github: GitHub, login: string, { roles }: RunTarget): Promise<boolean> {
  return hasRole(await github.permission(login), neededRole(roles, 'cancel'));
}

/** The author of an issue can close it without any role, so a close alone throws no work away and answers no question. */
async function pauseClosed(
  deps: AppDependencies,
  { run }: RunState,
  { at, by, seen }: { at: string; by: string; seen: string },
): Promise<void> {
  const because = `the issue was closed by ${by}`;
  const command = { name: 'pause' as const };
  await handleInput(deps, run, { type: 'command', at, command, by, via: 'github', because }, [seen]);
}

async function isMerged({ store }: AppDependencies, github: GitHub, run: string): Promise<boolean> {
  const { pull } = await store.publications.of(run);
  return pull !== undefined && (await github.pullRequest(pull))?.merged === true;
}
