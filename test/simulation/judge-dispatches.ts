import { readMarker } from '../../src/app/upsert-comment.ts';
import { inlineText } from '../../src/comments/text/harmless.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import { endedWithoutResult } from '../../src/core/decide/is-still-wanted.ts';
import type { HostedStore } from '../../src/core/ports/hosted-store.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import type { FakeGitHub } from './fake-github.ts';

interface Refused {
  store: HostedStore;
  github: FakeGitHub;
}

const GIVEN_UP = 'GitHub refused it';

/** a job that GitHub refuses to start is not asked for again before a person was asked, who is told the reason. */
export async function judgeDispatches({ store, github }: Refused, run: string): Promise<string[]> {
  const broken: string[] = [];
  const log = await store.runs.events(run);
  for (const { op, job, kind, outcome } of await store.dispatches.ofRun(run, 1_000)) {
    if (kind !== 'build' || outcome !== GIVEN_UP) continue;
    const later = log.slice(log.findIndex(({ version }) => op.startsWith(`${run}.${version}.`)) + 1);
    const next = later.findIndex(({ commit }) => commit.effects.some(({ type }) => type === 'dispatch_job'));
    const until = next < 0 ? later : later.slice(0, next + 1);
    if (!until.some(({ commit }) => isAsked(commit)))
      broken.push(`R-13: GitHub refused to start job ${job} of ${run}, and nobody was asked (${op})`);
  }
  const { state } = await store.runs.load(run);
  // a question that nobody has seen is not posted after a cancel.
  const isEnded = state !== undefined && endedWithoutResult(state);
  const commits = log.map(({ commit }) => commit);
  if (state) broken.push(...judgeLostJobs(github, state, commits));
  for (const { commit } of log) {
    const { input } = commit;
    if (input.type !== 'dispatch_refused' || !input.reply || !isAsked(commit)) continue;
    const asked = commit.events.find((event) => event.type === 'escalation_raised')?.escalation;
    if (!asked || isEnded) continue;
    const words = inlineText(asked.headline, 120);
    const isTold = ({ body }: { body: string }) =>
      readMarker(body)?.op === `${run}.${asked.id}` && body.includes(words);
    if (!github.created.some(isTold))
      broken.push(`R-13: nobody was told why job ${input.job} of ${run} does not start`);
  }
  return broken;
}

/** who is asked about jobs that were lost is told why the last one ended, with the address of its log. */
function judgeLostJobs(github: FakeGitHub, { run, pending }: RunState, commits: Commit[]): string[] {
  return commits.flatMap(({ input, events }) => {
    const asked = events.find((event) => event.type === 'escalation_raised')?.escalation;
    // A question that was answered shows the answer instead.
    if (asked?.id !== pending) return [];
    const isAboutThem = asked?.triggers.some(({ guard }) => guard === 'lost_jobs');
    if (!asked || !isAboutThem || input.type !== 'job_ended') return [];
    const said = github.created.find(({ body }) => readMarker(body)?.op === `${run}.${asked.id}`)?.body;
    const words = [inlineText(input.outcome, 120), ...(input.log_url === undefined ? [] : [input.log_url])];
    return words
      .filter((word) => !said?.includes(word))
      .map((word) => `R-13: who is asked about the lost jobs of ${run} is not told ${word}`);
  });
}

/** The run waits for a person, has ended, or a person said what to do. */
function isAsked({ input, events }: Commit): boolean {
  const asks = new Set(['run_paused', 'escalation_raised', 'run_finished']);
  return input.type === 'command' || events.some(({ type }) => asks.has(type));
}
