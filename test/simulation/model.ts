import { readMarker } from '../../src/app/upsert-comment.ts';
import { isUnderWay, phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import type { Actions } from './actions.ts';
import type { Hub } from './desk.ts';
import { BOT, type FakeGitHub, LABEL, REPO_ID } from './fake-github.ts';
import type { People } from './people.ts';

/** A call that was sent before a cancel may take effect this much later. */
const IN_FLIGHT_MS = 12_000;
/** A desk that stood still since before the cancel may send one more. */
const STALLED_MS = 62_000;

export interface Outcome {
  hub: Hub;
  github: FakeGitHub;
  store: HostedStore;
  actions: Actions;
  people: People;
  issue: number;
  /** Nothing was left to do at the end. */
  cameToRest: boolean;
  /** Webhooks that a desk has stored, by the comment they are about. */
  delivered: ReadonlySet<number>;
}

/** The promises that the history broke, each with its name. */
export async function judge(outcome: Outcome): Promise<string[]> {
  const { store, issue } = outcome;
  const broken: string[] = [...outcome.hub.broken];
  const newest = await store.runs.ofIssue(REPO_ID, issue);
  for (const run of await store.runs.list(100)) {
    const { state } = await store.runs.load(run);
    if (!state) continue;
    const commits = (await store.runs.events(run)).map(({ commit }) => commit);
    broken.push(
      ...checkCommands(commits),
      ...checkAnswers(commits),
      ...checkJobs(outcome, run),
      ...checkAfterCancel(outcome, state),
      ...(await checkRest(outcome, state)),
    );
    if (run !== newest && isUnderWay(state)) broken.push(`R-6: ${run} is under way besides ${newest}`);
    if (!outcome.cameToRest) broken.push(`R-13: ${run} is ${state.status} after hours of calm`);
    if (run === newest) broken.push(...checkShown(outcome, state));
  }
  broken.push(
    ...checkMarkers(outcome),
    ...(await checkHeard(outcome, newest)),
    ...(await checkDrained(outcome)),
  );
  return broken;
}

/** a command that a person gave was answered. */
async function checkHeard({ store, people, delivered, github, issue }: Outcome, newest: string | undefined) {
  const { state } = newest === undefined ? { state: undefined } : await store.runs.load(newest);
  const { labels, state: open } = github.issuePayload(issue);
  const isWanted = open === 'open' && labels.includes(LABEL);
  if (!state) return isWanted ? ['R-1: the label started nothing'] : [];
  const broken: string[] = [];
  for (const { comment, text, by } of people.given) {
    const written = github.comments.get(comment);
    // Reconcile reads only what was written since the label, and only for a run that has not ended.
    const isDue =
      isUnderWay(state) && written && written.created_at >= state.requested_at.replace(/\.\d+/, '');
    if (!isDue && !delivered.has(comment)) continue;
    if (!isDue && !(await wasThere(store, written?.created_at))) continue;
    if (!(await store.runs.wasSeen(`comment:${comment}`)))
      broken.push(`R-1: ${text} of ${by} (comment ${comment}) was never answered`);
  }
  return broken;
}

async function wasThere(store: HostedStore, at: string | undefined): Promise<boolean> {
  if (at === undefined) return false;
  for (const run of await store.runs.list(100)) {
    const { state } = await store.runs.load(run);
    // A minute, because desks have clocks of their own.
    if (state && Date.parse(state.requested_at) + 60_000 < Date.parse(at)) return true;
  }
  return false;
}

/** no command acted twice. */
function checkCommands(commits: Commit[]): string[] {
  const sources = commits.flatMap(({ input }) =>
    input.type === 'command' && input.source !== undefined ? [input.source] : [],
  );
  return duplicates(sources).map((source) => `R-2: the command of ${source} acted twice`);
}

/** no comment exists twice. */
function checkMarkers({ github }: Outcome): string[] {
  const ops = [...github.comments.values()].flatMap(({ author, body }) => {
    const op = author === BOT ? readMarker(body)?.op : undefined;
    return op === undefined ? [] : [op];
  });
  const pulls = [...github.pulls.values()]
    .filter(({ state }) => state === 'open')
    .map(({ branch }) => branch);
  const jobs = github.runs.map(({ inputs }) => String(inputs.operation));
  return [
    ...duplicates(ops).map((op) => `R-2: two comments of ${op}`),
    ...duplicates(pulls).map((branch) => `R-2: two open pull requests of ${branch}`),
    ...duplicates(jobs).map((op) => `R-2: two jobs of the dispatch ${op}`),
  ];
}

/** a question is answered once. */
function checkAnswers(commits: Commit[]): string[] {
  const resolved = commits.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === 'escalation_resolved' ? [event.escalation] : [])),
  );
  return duplicates(resolved).map((id) => `R-7: question ${id} was answered twice`);
}

/** jobs are heard one after the other, each number by one Actions run. */
function checkJobs({ hub }: Outcome, run: string): string[] {
  const broken: string[] = [];
  const claims = hub.jobs
    .filter((record) => record.run === run && record.kind === 'build')
    .flatMap(({ job, actions_run, accepted }) =>
      accepted.map(({ version, type }) => ({ job, actions_run, version, type })),
    )
    .sort((one, other) => one.version - other.version);
  const byJob = new Map<number, number[]>();
  for (const { job, actions_run, type } of claims) {
    const heard = byJob.get(job) ?? [];
    if (heard.at(-1) === actions_run) continue;
    if (heard.includes(actions_run))
      broken.push(
        `R-6: ${type} of job ${job} was taken from Actions run ${actions_run} after its successor's`,
      );
    byJob.set(job, [...heard, actions_run]);
  }
  return broken;
}

/** nothing but the final status after a cancel. */
function checkAfterCancel({ github, issue, hub }: Outcome, state: RunState): string[] {
  const { run, status } = state;
  const ended = hub.endedAt.get(run);
  if (ended === undefined || (status !== 'cancelled' && status !== 'terminated_by_human')) return [];
  const stalled = hub.world.faults.happened.some(({ kind }) => kind.includes('stall')) ? STALLED_MS : 0;
  const branches = [`autobuild/issue-${issue}`, `autobuild/issue-${issue}-${run}`];
  // The next run of the issue has the same branch.
  const next = github.writes.find(
    ({ at, method, args }) => method === 'dispatchWorkflow' && at > ended && !isOf(run, args[2]),
  );
  return github.writes.flatMap(({ at, method, args }) => {
    if (at < ended + IN_FLIGHT_MS + stalled) return [];
    const isDispatch = method === 'dispatchWorkflow' && isOf(run, args[2]);
    const isWork =
      (method === 'moveBranch' && branches.includes(String(args[0]))) || method === 'createPullRequest';
    return isDispatch || (isWork && (!next || at < next.at))
      ? [`R-9: ${method} after the end of ${run}`]
      : [];
  });
}

function isOf(run: string, inputs: unknown): boolean {
  return (inputs as Record<string, string>).operation?.startsWith(`${run}.`) === true;
}

/** the run has ended, rests, waits with a visible question, or has a job. */
async function checkRest({ github, store, actions }: Outcome, state: RunState): Promise<string[]> {
  const { run, pending } = state;
  const ours = [...github.comments.values()].filter(({ author }) => author === BOT);
  const shows = (op: string) => ours.some(({ body }) => readMarker(body)?.op === op);
  switch (phaseOf(state)) {
    case 'ended':
    case 'resting':
      return [];
    case 'waiting':
      return pending === undefined || shows(`${run}.${pending}`)
        ? []
        : [`R-13: ${run} waits for an answer to ${pending}, which nobody can see`];
    case 'working': {
      const open = await store.dispatches.open(run);
      const alive = open.some(({ actions_run }) =>
        github.runs.some(({ id, status }) => id === actions_run && status !== 'completed'),
      );
      const busy = [...actions.busy].map(({ id }) => id).join();
      return alive ? [] : [`R-13: ${run} works without a job (${JSON.stringify(open)}, busy: ${busy})`];
    }
  }
}

/** Nothing says "Building" that does not build. */
function checkShown({ github, issue, people }: Outcome, state: RunState): string[] {
  const labels = github.issues.get(issue)?.labels.filter((label) => label.startsWith(`${LABEL}:`)) ?? [];
  const broken: string[] = [];
  if (labels.length > 1) broken.push(`R-13: the issue has the labels ${labels.join(' and ')}`);
  const isWaiting = phaseOf(state) === 'waiting';
  if (isWaiting && !labels.includes(`${LABEL}:waiting`))
    broken.push(`R-13: the run waits, and the issue has the label ${labels}`);
  if (phaseOf(state) === 'ended' && labels.includes(`${LABEL}:running`))
    broken.push('R-13: the run has ended, and the issue says that it runs');
  const status = [...github.comments.values()].find(
    ({ body, author }) => author === BOT && readMarker(body)?.op === `${state.run}.status`,
  );
  if (phaseOf(state) !== 'working' && status?.body.includes('▶ Building'))
    broken.push(`R-13: the run is ${state.status}, and its status says that it builds`);
  if (!status && !people.meddled.has('deleted')) broken.push('R-13: there is no status comment');
  return broken;
}

/** whatever was decided was done. */
async function checkDrained({ store }: Outcome): Promise<string[]> {
  const { waiting, busy } = await store.outbox.size();
  const inbox = await store.inbox.size();
  return [
    ...(waiting + busy > 0 ? [`R-3: ${waiting} effects wait, ${busy} lanes are busy`] : []),
    ...(inbox.waiting + inbox.busy > 0
      ? [`R-3: ${inbox.waiting} webhooks wait, ${inbox.busy} are busy`]
      : []),
  ];
}

function duplicates(items: string[]): string[] {
  return [...new Set(items.filter((item, index) => items.indexOf(item) !== index))];
}
