import type { DispatchInputs } from '../../core/dispatch.ts';
import { actionsRunMark } from '../../core/job-api.ts';
import { isFinished } from '../../core/run-state.ts';
import { rememberDispatch } from '../last-dispatch.ts';
import type { Doing } from './perform-effect.ts';

/** A job that has not claimed its ticket by then never will. */
const TICKET_MS = 6 * 3_600_000;

/** Starts an Actions job with a ticket. Repeated after a lost response it starts a second one, whose ticket opens nothing. */
export async function dispatchJob(
  { parts, github, state, place, op }: Doing,
  kind: 'build' | 'verify',
): Promise<void> {
  const needed =
    kind === 'verify' ? state.verifying !== undefined : !state.job_live && !state.pending && !state.paused;
  if (!needed || isFinished(state)) return;
  const ticket = parts.randomToken();
  const job = kind === 'verify' ? state.jobs : state.jobs + 1;
  await parts.store.tokens.addTicket({
    hash: parts.hash(ticket),
    run: state.run,
    job,
    kind,
    expires_at: new Date(parts.now().getTime() + TICKET_MS).toISOString(),
  });
  const inputs: DispatchInputs = {
    ticket,
    desk: parts.settings.publicUrl,
    kind,
    head_sha: place.head_sha,
    issue: String(place.issue),
    operation: op,
  };
  const { run_id } = await github.dispatchWorkflow(place.workflow, place.default_branch, inputs);
  const at = parts.now().toISOString();
  await rememberDispatch(parts, state.run, { kind, actions_run: run_id, at });
  // Known before it claims: a job that ends without having begun is noticed, too.
  if (run_id !== undefined) await parts.store.marks.set(actionsRunMark(run_id), state.run);
}
