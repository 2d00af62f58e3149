import type { Remark } from '../../src/core/contracts/revision.ts';
import type { NewRemark } from '../../src/sandbox/person.ts';
import { PASSING, type Run, type RunOptions, startRun } from '../core/run-builder.ts';
import type { AppDesk } from './app-desk.ts';
import { type Published, publishRun } from './published-run.ts';

const MINUTE_MS = 60_000;

/** A pull request that is ready: its run rests, and nothing is asked of anybody. */
export async function restOnPull(
  desk: AppDesk,
  options: RunOptions = {},
): Promise<Published & { number: number }> {
  const done = { report: { status: 'implemented', summary: 'Added the form' }, verification: PASSING };
  const run = confirm(startRun({ startMs: Date.now() - MINUTE_MS, ...options }).turn(done));
  if (run.state.job_live) run.park();
  const work = await publishRun(desk, { run });
  await desk.perform({ type: 'publish', ready: true });
  return { ...work, number: (await work.pull()).number };
}

/** Remarks of walter as a review that the desk is not told of. */
export async function remarkUnseen(desk: AppDesk, number: number, remarks: NewRemark[]): Promise<void> {
  desk.loseWebhooks(true);
  await desk.person('walter').review(number, 'REQUEST_CHANGES', '', remarks);
  await desk.settle();
  desk.loseWebhooks(false);
}

/** The open threads as a round that was driven by hand takes them. */
export async function beginRound(desk: AppDesk, run: Run, head: string, number: number): Promise<Run> {
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  const remarks = desk.github.reviews.threads(number).map(
    ({ id, path, line }, index): Remark => ({
      ...{ id: `R${index + 1}`, thread: id, author: 'walter', path, text: 'As said' },
      now: line === null ? undefined : { line },
    }),
  );
  run.say('/continue', { by: 'walter' });
  run.feed({ type: 'revise', at: run.now(), revision: { head, remarks }, limits: first.limits, max: 10 });
  return run.startJob().baseline(PASSING);
}

/** The round's work, as the job sends it. */
export async function putRoundWork(desk: AppDesk, head: string, text: string): Promise<void> {
  const content = Buffer.from(text).toString('base64');
  const files = [{ path: 'src/login.ts', mode: '100644', status: 'modified', content }];
  const changeset = JSON.stringify({ base_sha: head, files, left_out: [] });
  await desk.store.blobs.put('r1', 'changeset', new TextEncoder().encode(changeset));
}

/** The fresh job's word, where the run waits for it. */
export function confirm(run: Run): Run {
  const { verifying, changeset } = run.state;
  if (verifying !== undefined)
    run.feed({ type: 'verification', at: run.now(), verification: PASSING, changeset });
  return run;
}
