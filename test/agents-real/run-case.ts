import {
  type CliResult,
  createScratch,
  onlyGuards,
  type Scratch,
  type StartedCli,
  type TerminalCli,
} from '../e2e/cli-run.ts';
import { until } from '../e2e/processes.ts';
import type { AgentCase } from './agent-cases.ts';
import { PATIENCE_MS } from './agent-turn.ts';
import { describeRequests, explainFailure } from './explain-failure.ts';
import { type Said, type SayingModel, serveSaid } from './said.ts';

/** One agent under `autobuild run`. */
export interface AgentRun {
  scratch: Scratch;
  model: SayingModel;
  /** `autobuild run TASK.md --agent NAME`, to its end. */
  run(...answers: string[]): Promise<CliResult>;
  start(...answers: string[]): ReturnType<Scratch['start']>;
  startAtTerminal(): TerminalCli;
  resume(...answers: string[]): Promise<CliResult>;
}

export async function prepareRun(
  agentCase: AgentCase,
  script: Said[],
  options: { guards?: string; task?: string } = {},
): Promise<AgentRun> {
  const scratch = createScratch();
  scratch.write('.github/autobuild.yml', onlyGuards(options.guards));
  if (options.task) scratch.write('TASK.md', options.task);
  const model = await serveSaid(agentCase, script, scratch.worktree);
  const env = { ...agentCase.environment(model.url, scratch.root), GITHUB_TOKEN: 'not-for-agents' };
  const flags = (answers: string[]) => answers.flatMap((answer) => ['--answer', answer]);
  const args = (answers: string[] = []) => {
    const options = ['--json', '--agent', agentCase.name, '--verify', 'test -f done.txt'];
    return ['run', 'TASK.md', ...options, ...flags(answers)];
  };
  const started: StartedCli[] = [];
  const noted = <Cli extends StartedCli>(cli: Cli): Cli => {
    started.push(cli);
    return cli;
  };
  const start = (words: string[]) => noted(scratch.start(words, env));
  explainFailure(() => describeRun(scratch, model, started));
  return {
    scratch,
    model,
    run: (...answers) => start(args(answers)).ended,
    start: (...answers) => start(args(answers)),
    startAtTerminal: () => noted(scratch.startAtTerminal(args(), env)),
    resume: (...answers) => start(['resume', '--json', ...flags(answers)]).ended,
  };
}

/** Waits for something that a started run does. One that has ended does nothing any more. */
export async function untilRun(cli: StartedCli, what: string, check: () => boolean): Promise<void> {
  let hasEnded = false;
  void cli.ended.then(() => {
    hasEnded = true;
  });
  await until(what, () => check() || hasEnded, PATIENCE_MS);
  if (!check()) throw new Error(`the run ended before: ${what}`);
}

const LAST_EVENTS = 12;
const EVENT_CHARS = 1_500;
const LAST_CHARS = 6_000;

/** Everything that tells what a run did: its journal, its words, and what its model was asked. */
function describeRun(scratch: Scratch, model: SayingModel, started: StartedCli[]): string {
  const events = scratch.runs().length > 0 ? scratch.journalled().slice(-LAST_EVENTS) : [];
  return [
    `the journal's last events:\n${events.map((event) => JSON.stringify(event).slice(0, EVENT_CHARS)).join('\n')}`,
    `processes of the agent: ${scratch.agentProcesses().map(({ pid, state }) => `${pid} ${state}`)}`,
    ...started.map((cli) => `the end of stderr: ${cli.output().stderr.slice(-LAST_CHARS)}`),
    describeRequests(model),
  ].join('\n');
}

/** The conversation the next start goes on with. */
export function sessionOf({ scratch }: AgentRun): string {
  const { sessions } = JSON.parse(scratch.read(`../home/runs/${scratch.runs()[0]}/checkpoint.json`)) as {
    sessions: Record<string, string>;
  };
  const [session = ''] = Object.values(sessions);
  return session;
}
