import { type CliResult, createScratch, onlyGuards, type Scratch, type TerminalCli } from '../e2e/cli-run.ts';
import type { AgentCase } from './agent-cases.ts';
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
  return {
    scratch,
    model,
    run: (...answers) => scratch.run(args(answers), env),
    start: (...answers) => scratch.start(args(answers), env),
    startAtTerminal: () => scratch.startAtTerminal(args(), env),
    resume: (...answers) => scratch.run(['resume', '--json', ...flags(answers)], env),
  };
}

/** The conversation the next start goes on with. */
export function sessionOf({ scratch }: AgentRun): string {
  const { sessions } = JSON.parse(scratch.read(`../home/runs/${scratch.runs()[0]}/checkpoint.json`)) as {
    sessions: Record<string, string>;
  };
  const [session = ''] = Object.values(sessions);
  return session;
}
