import { isBefore } from '../../src/app/labelling.ts';
import { readMarker } from '../../src/app/upsert-comment.ts';
import { isUnderWay, phaseOf, type RunState } from '../../src/core/contracts/run-state.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import { endedWithoutResult } from '../../src/core/decide/is-still-wanted.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import { RULES } from '../../src/guards/rules.ts';
import type { Actions } from './actions.ts';
import type { Hub } from './desk.ts';
import { BOT, type FakeGitHub, LABEL, REPO_ID } from './fake-github.ts';
import { judgeAnswers } from './judge-answers.ts';
import { judgeCommands } from './judge-commands.ts';
import { judgeDispatches } from './judge-dispatches.ts';
import { judgeLiveness } from './judge-liveness.ts';
import { isListed, judgeRefusals, judgeWords } from './judge-meddlers.ts';
import { judgePulls, judgeRounds } from './judge-rounds.ts';
import { judgeTurns } from './judge-turns.ts';
import { judgeVerifications } from './judge-verifications.ts';
import type { People } from './people.ts';
import type { Reviewers } from './reviewers.ts';
import { LOOK_MS } from './world.ts';

/** A call that was sent before a cancel may take effect this much later. */
const IN_FLIGHT_MS = 12_000;
/** R-9's 45 s, with the 10 s that Actions takes to end a job, and a look of the desk that comes later here than every second. */
const STOPPED_MS = 45_000 + 10_000 + LOOK_MS;
/** A fault before the cancel may hold it up for this long. */
const TROUBLE_MS = 300_000;
/** So many jobs in a row may end before a turn. */
const MOST_LOSSES = 3;
/** The reply to a command that was taken, with the run and its version. */
const TAKEN = /^<!-- autobuild:reply run=([\w-]+) op=[\w-]+\.(\d+)\.\d+ -->\n✓ /;
const QUESTION = /^<!-- autobuild:(?:escalation|reminder) run=([\w-]+) /;
/** A desk that stood still since before the cancel may send one more. */
const STALLED_MS = 62_000;

export interface Outcome {
  hub: Hub;
  github: FakeGitHub;
  store: HostedStore;
  actions: Actions;
  people: People;
  reviewers: Reviewers;
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
      ...checkDecisions(run, commits),
      ...judgeTurns(run, commits),
      ...judgeVerifications(run, commits),
      ...checkLosses(run, commits),
      ...checkCommands(commits),
      ...judgeCommands(run, commits),
      ...(await judgeLiveness(outcome.hub, run)),
      ...checkAnswers(commits),
      ...checkJobs(outcome, run),
      ...checkTask(outcome, state),
      ...checkAfterCancel(outcome, state, commits),
      ...checkStopped(outcome, state),
      ...(await checkRest(outcome, state)),
      ...(await judgeDispatches(outcome, run)),
      ...(await judgeAnswers(outcome, run)),
      ...(await judgeRounds({ ...outcome, verifiedOn: outcome.hub.verifiedOn }, state)),
    );
    if (run !== newest && isUnderWay(state)) broken.push(`R-6: ${run} is under way besides ${newest}`);
    if (!outcome.cameToRest) broken.push(`R-13: ${run} is ${state.status} after hours of calm`);
    if (run === newest) broken.push(...checkShown(outcome, state), ...judgeWords(outcome, state));
  }
  broken.push(
    ...checkRaces(outcome),
    ...checkMarkers(outcome),
    ...judgePulls(outcome.github),
    ...(await checkHeard(outcome, newest)),
    ...(await judgeRefusals(outcome)),
    ...(await checkDrained(outcome)),
  );
  return broken;
}

/** a command that a person gave was answered. */
async function checkHeard({ store, people, delivered, github, issue }: Outcome, newest: string | undefined) {
  const { state } = newest === undefined ? { state: undefined } : await store.runs.load(newest);
  const { labels, state: open } = github.issuePayload(issue);
  const isWanted = open === 'open' && labels.includes(LABEL) && !isNotStarted(github);
  if (!state) return isWanted ? ['R-1: the label started nothing'] : [];
  const broken: string[] = [];
  const { pull } = await store.publications.of(state.run);
  const labelledAt = (await store.labellings.of(state.run))?.at ?? state.requested_at;
  for (const { comment, text, by } of people.given) {
    const written = github.comments.get(comment);
    // Those who write on a pull request that the work has left were told that nobody reads it.
    if (written && written.issue !== issue && written.issue !== pull) continue;
    // Reconcile reads only what was written since the label, and only for a run that has not ended.
    const isDue = isUnderWay(state) && written && !isBefore(written.created_at, labelledAt);
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

/** each decision was made on the state that it was committed to, also when two desks decided at once. */
function checkDecisions(run: string, commits: Commit[]): string[] {
  const broken: string[] = [];
  let state: RunState | undefined;
  for (const [index, { input, events }] of commits.entries()) {
    const decided = decide(state, input, RULES).events;
    if (JSON.stringify(decided) !== JSON.stringify(events))
      broken.push(`R-2: decision ${index + 1} of ${run} (${input.type}) was made on another state`);
    if (isChargedWrongly(state, input, events))
      broken.push(`R-5: decision ${index + 1} of ${run} charged the end of one job to another`);
    for (const event of events) state = evolve(state, event);
  }
  return broken;
}

/** The job that a run without a live one needs is the next. */
function isChargedWrongly(
  state: RunState | undefined,
  input: Commit['input'],
  events: Commit['events'],
): boolean {
  if (input.type !== 'job_ended' || input.kind === 'verify' || input.cancelled) return false;
  const needed = state && (state.job_live ? state.jobs : state.jobs + 1);
  return events.some(({ type }) => type === 'job_lost') && input.job !== needed;
}

/** a person is asked about a cause that ends every job. Autobuild itself pauses a run only if a person cancelled its job. */
function checkLosses(run: string, commits: Commit[]): string[] {
  let losses = 0;
  for (const { input, events } of commits) {
    if (input.type === 'command') losses = 0;
    const isCancel = input.type === 'job_ended' && input.cancelled;
    for (const event of events) {
      const { type } = event;
      if (type === 'run_paused' && event.by === 'Autobuild' && !isCancel)
        return [`R-13: ${run} was paused after ${input.type}, and nobody was asked`];
      if (type === 'turn_ended' || type === 'run_paused' || type === 'escalation_raised') losses = 0;
      if (type === 'job_lost') losses += 1;
      if (losses > MOST_LOSSES)
        return [`R-13: ${losses} jobs of ${run} were lost in a row, and nobody was asked`];
    }
  }
  return [];
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
  const ops = ours(github).flatMap(({ body }) => readMarker(body)?.op ?? []);
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

/** the job ends soon after a cancel, where nothing failed meanwhile. */
function checkStopped({ github, hub }: Outcome, state: RunState): string[] {
  const { run } = state;
  const ended = hub.endedAt.get(run);
  if (ended === undefined || !endedWithoutResult(state) || hub.wasDown) return [];
  // Faults of jobs do not hold up the desk.
  const troubles = hub.world.faults.happened.filter(({ kind }) => !/job|heartbeat/.test(kind));
  const until = Math.max(...troubles.map(({ at }) => at + TROUBLE_MS), ended) + STOPPED_MS;
  return github.runs.flatMap((actions) =>
    isOf(run, actions.inputs) && actions.queued < ended && (actions.ended ?? Number.POSITIVE_INFINITY) > until
      ? [`R-9: Actions run ${actions.id} works on after the end of ${run}`]
      : [],
  );
}

/** nothing but the final status after a cancel. */
function checkAfterCancel({ github, issue, hub }: Outcome, state: RunState, commits: Commit[]): string[] {
  const { run } = state;
  const ended = hub.endedAt.get(run);
  if (ended === undefined || !endedWithoutResult(state)) return [];
  const isStall = ({ kind, at }: { kind: string; at: number }) =>
    kind.includes('stall') && at > ended - STALLED_MS && at < ended + STALLED_MS;
  const stalled = hub.world.faults.happened.some(isStall) ? STALLED_MS : 0;
  const branches = [`autobuild/issue-${issue}`, `autobuild/issue-${issue}-${run}`];
  // The next run of the issue has the same branch.
  const next = github.writes.find(
    ({ at, method, args }) => method === 'dispatchWorkflow' && at > ended && !isOf(run, args[2]),
  );
  const endVersion =
    1 + commits.findLastIndex(({ events }) => events.some(({ type }) => type === 'run_finished'));
  return github.writes.flatMap(({ at, method, args }) => {
    if (at < ended + IN_FLIGHT_MS + stalled) return [];
    const [, of, version] = (method === 'createComment' && TAKEN.exec(String(args[1]))) || [];
    if (of === run && Number(version) < endVersion)
      return [`R-9: a command was taken after the end of ${run}`];
    const isDispatch = method === 'dispatchWorkflow' && isOf(run, args[2]);
    const isWork =
      (method === 'moveBranch' && branches.includes(String(args[0]))) || method === 'createPullRequest';
    const isAsked = method === 'createComment' && QUESTION.exec(String(args[1]))?.[1] === run;
    return isDispatch || isAsked || (isWork && (!next || at < next.at))
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
  switch (phaseOf(state)) {
    case 'ended':
    case 'resting':
      return [];
    case 'waiting':
      return isQuestionShown(github, state)
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

export function isQuestionShown(github: FakeGitHub, { run, pending }: RunState): boolean {
  return (
    pending === undefined || ours(github).some(({ body }) => readMarker(body)?.op === `${run}.${pending}`)
  );
}

/** somebody edited the issue after the label, which is said instead of starting a run. */
export function isNotStarted(github: FakeGitHub): boolean {
  return ours(github).some(({ body }) => body.includes('edited after it was labelled'));
}

function ours(github: FakeGitHub) {
  return [...github.comments.values()].filter(({ author }) => author === BOT);
}

/** the task is the issue as it was when the label was set, or as the person who set the label edited it since. */
function checkTask({ github, hub }: Outcome, { run, task }: RunState): string[] {
  const edit = github.edited.find(({ body }) => task.body.includes(body));
  if (!edit) return [];
  const started = hub.startedAt.get(run) ?? 0;
  const wasSetLater = github.labelled.some(({ at }) => at >= edit.at && at <= started);
  const before = github.labelled.findLast(({ at }) => at <= edit.at);
  return wasSetLater || before?.by === edit.by
    ? []
    : [`R-8: the task of ${run} is what ${edit.by} wrote after the label`];
}

/** a desk that lost a race decides again on what the other one left, unless it died. */
function checkRaces({ hub }: Outcome): string[] {
  return [...hub.lostRaces.values()].flatMap(({ run, process }) =>
    process.dead ? [] : [`R-2: a decision on ${run} lost its race and was not made again`],
  );
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
  const status = statusOf(github, state);
  if (phaseOf(state) !== 'working' && status?.body.includes('▶ Building'))
    broken.push(`R-13: the run is ${state.status}, and its status says that it builds`);
  if (isStatusMissing(github, issue, state) || (!status && !people.meddled.has('deleted')))
    broken.push('R-13: there is no status comment');
  return broken;
}

/** A status that somebody deleted comes back, unless the run has ended. One that rests is looked at every 15 minutes. */
export function isStatusMissing(github: FakeGitHub, issue: number, state: RunState): boolean {
  const isWatched = ['waiting', 'resting'].includes(phaseOf(state)) && isListed(github, issue);
  return isWatched && !statusOf(github, state);
}

function statusOf(github: FakeGitHub, { run }: RunState) {
  return ours(github).find(({ body }) => readMarker(body)?.op === `${run}.status`);
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
