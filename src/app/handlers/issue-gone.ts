import { hasRole, neededRole } from '../../core/contracts/role.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { isBefore, labellingOf } from '../labelling.ts';
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
 * cancels if the person is known to be one who may cancel, else it pauses. A merge of the run's pull request also closes the issue,
 * but that is the opposite of cancelling. Returns false if GitHub does not say yet who did it: to be read again soon.
 */
export async function onIssueGone(deps: AppDependencies, gone: IssueGone): Promise<boolean> {
  const run = await deps.store.runs.ofIssue(gone.repo_id, gone.issue);
  if (!run) return true;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target || !isUnderWay(state)) return true;
  const github = await deps.github(target);
  if (gone.ending === 'unlabeled' && (await isLabelGone(deps, github, run))) return true;
  if (gone.ending === 'closed' && (await isMerged(deps, github, run))) return true;
  const who = await whoDidIt(deps, github, state, gone);
  if (who === 'ours') return true;
  const ended_at = gone.closed_at ?? (who === 'unknown' ? undefined : who.at);
  if (isFound(gone) && isBeforeRound(state, ended_at)) return true;
  if (who === 'unknown' && !(await isUnknownAgain(deps, run, gone))) return false;
  const { login, isBot } = who === 'unknown' ? { isBot: false } : who;
  const person = isBot ? undefined : login;
  const by = login ?? 'someone';
  const at = deps.now().toISOString();
  if (gone.ending === 'closed') {
    // One key for webhook and reconcile, whatever the run is at, so that an answer or a `/continue` while the issue stays closed is
    // not undone. Another close is another word.
    const keyOf = (closer: string) => ['closed-by', run, closer, gone.closed_at].join(':');
    // Judged once: GitHub may tell later who it was, or that person may have been given the role since.
    for (const closer of gone.closed_at === undefined ? [] : ['', by])
      if (await deps.store.runs.wasSeen(keyOf(closer))) return true;
    if (person === undefined || !(await mayCancel(github, person, target))) {
      await pauseClosed(deps, state, { at, by, seen: keyOf(login ?? '') });
      return true;
    }
  }
  const command = { name: 'cancel' as const };
  const via = isBot ? 'autobuild' : 'github';
  // A cancel ends the round alone, so that the next one can be cancelled, too.
  const seen = state.revision ? `${gone.seen}:${state.revision.number}` : gone.seen;
  await handleInput(deps, run, { type: 'command', at, command, by, via }, [seen]);
  return true;
}

interface Who {
  login?: string;
  isBot: boolean;
  /** By GitHub's list of events. */
  at?: string;
}

/** True if no webhook told of it. */
function isFound({ person, bot }: IssueGone): boolean {
  return person === undefined && bot === undefined;
}

/** The run rested then, and loses nothing by it. Somebody has asked for the round since. */
function isBeforeRound({ revision }: RunState, at: string | undefined): boolean {
  return revision !== undefined && at !== undefined && isBefore(at, revision.at);
}

async function whoDidIt(
  deps: AppDependencies,
  github: GitHub,
  state: RunState,
  { person, bot, ending, issue }: IssueGone,
): Promise<Who | 'ours' | 'unknown'> {
  if (person !== undefined) return { login: person, isBot: false };
  if (bot !== undefined && deps.ownership.didWe({ actor: bot, actor_type: 'Bot' })) return 'ours';
  if (ending === undefined) return { login: bot, isBot: bot !== undefined };
  const ended = await whoEnded(deps, github, issue, ending, await labellingOf(deps, state));
  if (ended === 'ours') return 'ours';
  return bot === undefined ? (ended ?? 'unknown') : { login: bot, isBot: true };
}

/** GitHub's list of events lags behind, so who is not in it may be there in the next round. */
async function isUnknownAgain(
  { store }: AppDependencies,
  run: string,
  { ending, closed_at }: IssueGone,
): Promise<boolean> {
  const cursor = await store.cursors.get('run', run);
  const unknown = [ending, closed_at].join(' ');
  if (cursor?.unknown === unknown) return true;
  await store.cursors.set('run', run, { ...cursor, unknown });
  return false;
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
