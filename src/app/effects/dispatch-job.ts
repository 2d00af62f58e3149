import { phaseOf, type RunState, verificationName } from '../../core/contracts/run-state.ts';
import { checkBudget } from '../../core/decide/jobs/check-budget.ts';
import { neededJob } from '../../core/decide/jobs/end-job.ts';
import { type Dispatch, type DispatchChange, isCondemned, STOPPED } from '../../core/ports/dispatches.ts';
import type { Slots } from '../../core/ports/slots.ts';
import { replyOnce, write } from '../handle-input.ts';
import type { EffectContext, Performed } from './effect-context.ts';

/** A run that waits for a slot is woken when one is free. This is for a wake that was lost. */
const QUEUE_MS = 30_000;
/** For runs of older versions, whose target does not name it. */
const PARALLEL = 3;

/** The outcome of a dispatch that was overtaken by another decision. */
const UNNEEDED = 'it was not needed any more';

/** GitHub's clock may be behind the database's. */
const SKEW_MS = 60_000;

/**
 * Starts an Actions job. After a lost response, a retry finds the started workflow run by its name, which contains
 * the operation id. If the workflow file names its runs differently, a second run starts, which is not heard.
 */
export async function dispatchJob(context: EffectContext): Promise<Performed> {
  const { deps, state, op } = context;
  const { dispatches } = deps.store;
  const dispatch = await dispatches.find(op);
  if (!dispatch || dispatch.ended_at || dispatch.claimed_at) return {};
  const drop = async (outcome: string) => {
    await dispatches.change(op, { ended_at: await databaseTime(context), outcome });
    return {};
  };
  if (dispatch.requested_at) {
    const started = dispatch.actions_run ?? (await findStarted(context, dispatch));
    if (started !== undefined) {
      const answered_at = await databaseTime(context);
      await dispatches.change(op, { answered_at, actions_run: started });
      return {};
    }
  }
  // The run may need a job of this number again, but this one is locked out, and its successor has a dispatch of its own.
  if (isCondemned(dispatch)) return drop(STOPPED);
  if (!isNeeded(state, dispatch)) return drop(UNNEEDED);
  const open = await dispatches.open(dispatch.run);
  if (await isAnotherUnderWay(context, dispatch, open)) return drop('another one is under way');
  if (
    dispatch.kind === 'build' &&
    (await checkBudget(deps.store, deps.rules, state, deps.now().toISOString()))
  )
    return drop('the budget of the month is spent');
  const slot = await takeSlot(context);
  if (slot === undefined) return drop(UNNEEDED);
  if (!slot.taken) return { againAfterMs: QUEUE_MS };
  // the desk that stopped them may have been killed before it locked them out, and from here on there may be a successor.
  for (const condemned of open.filter(isCondemned)) await deps.jobs.silence(condemned.op);
  // Before the request, because from then on the workflow run may exist.
  if (!dispatch.requested_at) await dispatches.change(op, { requested_at: await databaseTime(context) });
  if (dispatch.kind === 'build') await tellMovedBase(context);
  const started = await start(context, dispatch);
  await dispatches.change(op, { answered_at: await databaseTime(context), ...started });
  return {};
}

/** Returns what is known of the job's machine. */
async function start(
  { deps, github, state, target }: EffectContext,
  dispatch: Dispatch,
): Promise<DispatchChange> {
  const machine = await deps.jobs.prepare(dispatch, { state, target });
  if ('taken' in machine) return machine.taken;
  const { workflow, inputs } = machine;
  const { run_id } = await github.dispatchWorkflow(workflow, target.default_branch, inputs);
  return { actions_run: run_id };
}

/**
 * V-6: the run waited for a person, and its base has new commits since it began. The work continues on the commit that it knows.
 * A failure to find out must not keep the job.
 */
async function tellMovedBase({ deps, github, state, target }: EffectContext): Promise<void> {
  const { default_branch: branch, head_sha } = target;
  if (state.jobs === 0 || state.revision) return;
  const tip = await github.branchHead(branch).catch(() => undefined);
  if (tip === undefined || tip === head_sha) return;
  await replyOnce(deps, state.run, `base-moved:${state.run}`, {
    tone: 'info',
    title: `\`${branch}\` has new commits since this run began.`,
    detail: `The run continues on \`${head_sha.slice(0, 7)}\`. \`/continue update\` merges them once the work is ready; all checks run again.`,
  });
}

/** Takes a slot of the repository, or shows that the run waits for one. The slot that becomes free wakes those who wait. */
async function takeSlot({
  deps,
  state,
  target,
  op,
}: EffectContext): Promise<Awaited<ReturnType<Slots['take']>>> {
  const slot = await deps.store.slots.take(state.run, target.parallel ?? PARALLEL);
  if (slot === undefined) return undefined;
  const place = slot.taken ? 'taken' : `${slot.building}.${slot.position}`;
  if (!slot.taken || slot.waited)
    await write(deps, state.run, [{ type: 'update_status' }], [`queue:${op}:${place}`]);
  return slot;
}

/** The run may have been answered, paused or ended since the dispatch was decided. */
export function isNeeded(state: RunState, { job, kind, verification }: Dispatch): boolean {
  if (phaseOf(state) !== 'working') return false;
  if (kind === 'verify') return state.verifying !== undefined && verification === verificationName(state);
  return !state.job_live && job === neededJob(state);
}

/**
 * Two commands while a job waits for its runner start only one job. GitHub would cancel the waiting one, which would look like a
 * person's cancel.
 */
async function isAnotherUnderWay(
  { github }: EffectContext,
  { job, kind, op, decided_at }: Dispatch,
  open: Dispatch[],
): Promise<boolean> {
  const earlier = open.filter(
    (other) =>
      other.op !== op &&
      other.job === job &&
      other.kind === kind &&
      other.decided_at <= decided_at &&
      !isCondemned(other),
  );
  for (const { actions_run } of earlier) {
    // Also for a job that was claimed: its end may be decided, and this be its successor, before the end is recorded.
    if (actions_run === undefined) continue;
    const workflowRun = await github.workflowRun(actions_run);
    if (workflowRun && workflowRun.status !== 'completed') return true;
  }
  return false;
}

/** The workflow run of a request whose response was lost, or had no id in it. */
export async function findStarted(
  { github, target }: EffectContext,
  { op, requested_at }: Dispatch,
): Promise<number | undefined> {
  if (requested_at === undefined) return undefined;
  const since = new Date(Date.parse(requested_at) - SKEW_MS).toISOString();
  const runs = await github.workflowRuns(target.workflow, since);
  return runs.find(({ name }) => name.split(' ').includes(op))?.id;
}

async function databaseTime({ deps }: EffectContext): Promise<string> {
  return (await deps.store.now()).toISOString();
}
