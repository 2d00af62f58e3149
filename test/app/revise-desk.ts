import { takeBlob } from '../../src/claims/take-blob.ts';
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
  await desk.store.blobs.put('r1', 'changeset', encodeWork(head, text));
}

function encodeWork(base_sha: string, text: string): Uint8Array {
  const content = Buffer.from(text).toString('base64');
  const files = [{ path: 'src/login.ts', mode: '100644', status: 'modified', content }];
  return new TextEncoder().encode(JSON.stringify({ base_sha, files, left_out: [] }));
}

/** The work of a job that is at it, as the desk takes it. */
export async function sendWork(desk: AppDesk, run: Run, text: string): Promise<void> {
  const { store, rules, log, now } = desk.deps;
  const bytes = encodeWork(run.state.revision?.head ?? '', text);
  const job = { run: 'r1', job: run.state.jobs };
  const taken = await takeBlob({ store, rules, log, now }, job, 'changeset', bytes);
  if (!taken.taken) throw new Error(`The desk does not take it: ${JSON.stringify(taken)}`);
}

/** The fresh job's word, where the run waits for it. */
export function confirm(run: Run): Run {
  const { verifying, changeset } = run.state;
  if (verifying !== undefined)
    run.feed({ type: 'verification', at: run.now(), verification: PASSING, changeset });
  return run;
}

/** A commit of somebody else on top of a branch. `null` deletes a file. */
export async function pushFiles(
  desk: AppDesk,
  branch: string,
  files: Record<string, string | null>,
): Promise<string> {
  const ask = async <Body>(method: string, place: string, sent?: unknown) =>
    (await desk.github.upstream(method, `/repos/olivia/shop/git${place}`, sent)).body as Body;
  const parent = (await ask<{ object: { sha: string } }>('GET', `/ref/heads/${branch}`)).object.sha;
  const { tree: base } = await ask<{ tree: { sha: string } }>('GET', `/commits/${parent}`);
  const tree = Object.entries(files).map(([path, content]) => ({
    ...{ path, mode: '100644', type: 'blob' },
    ...(content === null ? { sha: null } : { content }),
  }));
  const { sha: made } = await ask<{ sha: string }>('POST', '/trees', { base_tree: base.sha, tree });
  const message = 'By hand';
  const { sha } = await ask<{ sha: string }>('POST', '/commits', { message, tree: made, parents: [parent] });
  await ask('PATCH', `/refs/heads/${branch}`, { sha });
  return sha;
}

/** A job takes the round that the App has begun. */
export async function takeRound(desk: AppDesk, run: Run): Promise<Run> {
  run.state = await desk.state();
  return run.setClock(new Date(desk.clock.ms).toISOString()).startJob().baseline(PASSING);
}

/** The work of the round, and what the agent says to its remarks. The lane publishes and answers. */
export async function finishRound(
  desk: AppDesk,
  run: Run,
  { text, remarks = [] }: { text: string; remarks?: object[] },
): Promise<void> {
  await putRoundWork(desk, run.state.revision?.head ?? '', text);
  run.turn({
    report: { status: 'implemented', summary: 'Did it', remarks },
    verification: PASSING,
    changes: { paths: ['src/login.ts'], added: 1, removed: 1 },
  });
  await desk.seed(confirm(run).park());
}

/** The agent asks for a secret value in its turn, and gets it in a comment. */
export async function giveValue(desk: AppDesk, work: Pick<Published, 'issue'>, run: Run): Promise<Run> {
  run.beginTurn().askForHelp([{ key: 'token', label: 'Token', secret: true }]);
  await desk.seed(run);
  await desk.olivia.comment(work.issue, `/provide token=${VALUE}`);
  await desk.settle();
  run.state = await desk.state();
  return run;
}

export const VALUE = 'correct-horse-battery-4711';
