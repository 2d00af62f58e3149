import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { performOrExplain } from '../effects/perform-or-explain.ts';
import { handleInput } from '../handle-input.ts';
import { droppedMark, lastDispatch, rememberDispatch } from '../last-dispatch.ts';
import { postReply } from '../post-reply.ts';
import { type Ending, whoEnded } from '../who-ended.ts';
import { REFUSED_ATTEMPTS } from '../workers/work-queue.ts';

const MOST_STARTS = 3;

interface IssueGone {
  repo_id: number;
  issue: number;
  ending: Ending;
  /** The person who did it, if known to be a person. */
  person?: string;
  /** The App that did it, if known. It may be this one. */
  bot?: string;
  seen: string;
}

/**
 * Cancels the run (C-6) when its label was removed or its issue closed, locked, transferred or deleted by anybody but this App. A
 * merge of its pull request also closes the issue, but that is the opposite of cancelling.
 */
export async function onIssueGone(deps: AppDependencies, gone: IssueGone): Promise<void> {
  const run = await deps.store.runs.ofIssue(gone.repo_id, gone.issue);
  if (!run) return;
  const { state } = await deps.store.runs.load(run);
  const target = await deps.store.runs.target(run);
  if (!state || !target || !isUnderWay(state)) return;
  const github = await deps.github(target);
  if (gone.ending === 'closed' && (await isMerged(deps, github, run))) return;
  let by = gone.person;
  if (by === undefined && gone.ending !== undefined) {
    const ended = await whoEnded(deps, github, gone.issue, gone.ending);
    if (ended === 'ours') return;
    by = gone.bot ?? ended.login;
  }
  const at = deps.now().toISOString();
  const command = { name: 'cancel' as const };
  by ??= gone.bot ?? 'someone';
  await handleInput(deps, run, { type: 'command', at, command, by, via: 'autobuild' }, [gone.seen]);
}

async function isMerged({ store }: AppDependencies, github: GitHub, run: string): Promise<boolean> {
  const number = await store.marks.get(`pull-of:${run}`);
  return number !== undefined && (await github.pullRequest(Number(number)))?.merged === true;
}

interface EndedActionsRun {
  run: string;
  actions_run: number;
  attempt: number;
  conclusion: string | null;
}

/** Handles the end of an Actions run. The job was lost unless it had parked or finished before. */
export async function onWorkflowRunCompleted(deps: AppDependencies, ended: EndedActionsRun): Promise<void> {
  const { state } = await deps.store.runs.load(ended.run);
  if (!state || !isUnderWay(state)) return;
  const newest = await lastDispatch(deps, ended.run);
  const dispatched = newest?.actions_run === ended.actions_run ? newest : undefined;
  const job = await deps.store.tokens.actionsRunOf(ended.run, state.jobs);
  const claimed = job?.actions_run === ended.actions_run && job.attempt === ended.attempt;
  // The build job may end while the verification job is starting. That does not lose the verification.
  const verifying =
    state.verifying !== undefined && (dispatched ? dispatched.kind === 'verify' : !newest?.actions_run);
  if (!claimed && !dispatched) return;
  if (dispatched) await rememberDispatch(deps, ended.run, { ...dispatched, ended: true });
  if (await deps.store.marks.get(droppedMark(ended.actions_run))) return;
  const neverBegan = !claimed && dispatched?.kind === 'build' && !state.job_live;
  // A job that is cancelled saves its work and parks, which requests a successor. Until that one begins, this job is the newest.
  if (ended.conclusion === 'cancelled' && (neverBegan || claimed) && state.verifying === undefined)
    await pauseCancelled(deps, state, ended);
  else if (neverBegan) return startAgain(deps, state, ended);
  const at = deps.now().toISOString();
  const reason = `the Actions run ended (${ended.conclusion ?? 'no conclusion'})`;
  const seen = [`workflow-run:${ended.actions_run}:${ended.attempt}`];
  const log_url = await logOf(deps, ended);
  await handleInput(deps, ended.run, { type: 'job_lost', at, reason, verifying, log_url }, seen);
}

async function logOf(
  { store, settings }: AppDependencies,
  ended: EndedActionsRun,
): Promise<string | undefined> {
  const target = await store.runs.target(ended.run);
  return target && `${settings.webUrl}/${target.owner}/${target.repo}/actions/runs/${ended.actions_run}`;
}

/**
 * Somebody pressed Cancel on the Actions page; a run cancelled by command is finished before its job ends. They do not want
 * another job. Nothing is discarded, because GitHub also cancels jobs for its own reasons.
 */
async function pauseCancelled(deps: AppDependencies, state: RunState, ended: EndedActionsRun): Promise<void> {
  const target = await deps.store.runs.target(state.run);
  // A run with an open question is waiting already.
  if (!target || state.pending || state.paused) return;
  const seen = `actions-cancelled:${ended.actions_run}:${ended.attempt}`;
  const github = await deps.github(target);
  const newest = await lastDispatch(deps, state.run);
  const successor = newest?.ended ? undefined : newest?.actions_run;
  if (successor && successor !== ended.actions_run) await github.cancelRun(successor);
  await postReply(
    deps,
    github,
    { run: state.run, seen },
    {
      tone: 'waiting',
      title: 'Paused: the job was cancelled in Actions.',
      detail:
        'What was saved is kept: `/continue` goes on from there with a new job, `/cancel` ends the run.',
    },
  );
  // Last, because a paused run is not handled again.
  const at = deps.now().toISOString();
  const because = 'the job was cancelled in Actions';
  const by = 'the Actions page';
  const command = { name: 'pause' as const };
  await handleInput(deps, state.run, { type: 'command', at, command, by, via: 'autobuild', because }, [seen]);
}

/**
 * The Actions run ended before the job began, for want of a runner or because a set-up step failed. It is retried, then reported.
 */
async function startAgain(deps: AppDependencies, state: RunState, ended: EndedActionsRun): Promise<void> {
  const target = await deps.store.runs.target(state.run);
  const done = `not-begun:${state.run}:${ended.actions_run}`;
  if (!target || state.pending || state.paused || (await deps.store.marks.get(done))) return;
  const count = `starts:${state.run}:${state.jobs + 1}`;
  const tries = Number((await deps.store.marks.get(count)) ?? 1);
  if (tries < MOST_STARTS) {
    const id = `${state.run}.start.${state.jobs + 1}.${tries + 1}`;
    const effect = { type: 'dispatch_job' as const };
    await performOrExplain(deps, { id, run: state.run, effect, attempts: REFUSED_ATTEMPTS });
    await deps.store.marks.set(count, String(tries + 1));
  } else {
    const { owner, repo } = target;
    await postReply(
      deps,
      await deps.github(target),
      { run: state.run, seen: done },
      {
        tone: 'refused',
        title: `The job does not start: its Actions run ended ${tries} times before Autobuild began.`,
        detail: `Usually a set-up step of the workflow fails. Look at run ${ended.actions_run} in ${owner}/${repo}, mend it, then take the label off and set it again.`,
      },
    );
  }
  await deps.store.marks.set(done, deps.now().toISOString());
}
