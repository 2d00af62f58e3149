import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CliResult, createScratch, onlyGuards, type Scratch, type TerminalCli } from '../e2e/cli-run.ts';
import type { ModelServer, ModelTurn, ToolCall } from './model-servers/play-script.ts';
import { type ModelAnswer, type Protocol, serveModel } from './model-servers/scripted-model.ts';

/** What the scripted model says, in no provider's words. The n-th is said when the conversation holds n answers of its. */
export interface Said {
  text?: string;
  /** A file of the worktree to write, with the agent's own tool. */
  write?: string;
  /** A command for the agent's own shell. */
  run?: string;
  /** Milliseconds between the pieces of the text. */
  slowly?: number;
  refuse?: { status: number; type: string; message: string };
}

export interface RunningModel {
  url: string;
  /** Changed while it runs, it goes on by the new words. */
  script: Said[];
  /** The newest request, as text: the whole conversation is in there. */
  lastRequest(): string;
}

/** One agent under `autobuild run`. */
export interface RunCase {
  name: string;
  serve(script: Said[], scratch: Scratch): Promise<RunningModel>;
  /** What a user would have set: where the program is, its key, and where its model is. */
  environment(model: RunningModel, scratch: Scratch): Record<string, string>;
  /** Refusals in the provider's own way. */
  badRequest: NonNullable<Said['refuse']>;
  badKey: NonNullable<Said['refuse']>;
  /** What of it the agent tells. */
  badKeyTold: string;
  /** Tokens of one request of the model, and whether the agent knows dollars. */
  tokens: { input: number; output: number };
  tellsCost: boolean;
}

export interface AgentRun {
  scratch: Scratch;
  model: RunningModel;
  /** `autobuild run TASK.md --agent NAME`, to its end. */
  run(options?: RunOptions): Promise<CliResult>;
  start(options?: RunOptions): ReturnType<Scratch['start']>;
  startAtTerminal(options?: RunOptions): TerminalCli;
  resume(...answers: string[]): Promise<CliResult>;
}

interface RunOptions {
  answers?: string[];
  verify?: string;
}

export async function prepareRun(
  agent: RunCase,
  script: Said[],
  options: { guards?: string; task?: string } = {},
): Promise<AgentRun> {
  const scratch = createScratch();
  scratch.write('.github/autobuild.yml', onlyGuards(options.guards));
  if (options.task) scratch.write('TASK.md', options.task);
  const model = await agent.serve(script, scratch);
  const env = { ...agent.environment(model, scratch), GITHUB_TOKEN: 'not-for-agents' };
  const flags = (answers: string[] = []) => answers.flatMap((answer) => ['--answer', answer]);
  const args = ({ answers, verify = 'test -f done.txt' }: RunOptions = {}) => {
    const options = ['--json', '--agent', agent.name, '--verify', verify];
    return ['run', 'TASK.md', ...options, ...flags(answers)];
  };
  return {
    scratch,
    model,
    run: (given) => scratch.run(args(given), env),
    start: (given) => scratch.start(args(given), env),
    startAtTerminal: (given) => scratch.startAtTerminal(args(given), env),
    resume: (...answers) => scratch.run(['resume', '--json', ...flags(answers)], env),
  };
}

/** For the servers whose answers hold one call each. */
export function servingAnswers(protocol: Protocol): RunCase['serve'] {
  return async (script, { worktree }) => {
    const answers = liveList(script, answerOf);
    const model = await serveModel(protocol, () => worktree, answers);
    return { url: model.url, script, lastRequest: () => JSON.stringify(model.requests.at(-1) ?? {}) };
  };
}

function answerOf({ text, write, run, slowly, refuse }: Said): ModelAnswer {
  const call = write ? { write, content: 'written\n' } : run ? { run } : undefined;
  return { text, call, slowly, refuse };
}

/** For the servers whose turns hold calls by the agent's own names. */
export function servingTurns(
  serve: (script: { turns: ModelTurn[]; tokens: { input: number; output: number } }) => Promise<ModelServer>,
  calls: { write(path: { absolute: string; relative: string }): ToolCall; run(command: string): ToolCall },
): RunCase['serve'] {
  return async (script, { worktree }) => {
    const turns = liveList(script, ({ text, write, run, slowly, refuse }): ModelTurn => {
      const paths = write ? { absolute: join(worktree, write), relative: write } : undefined;
      return {
        text,
        calls: [...(paths ? [calls.write(paths)] : []), ...(run ? [calls.run(run)] : [])],
        pieceMs: slowly,
        ...(refuse ? { status: refuse.status, message: refuse.message } : {}),
      };
    });
    const model = await serve({ turns, tokens: { input: 1000, output: 50 } });
    onTestFinished(() => model.close());
    return { url: model.url, script, lastRequest: model.lastRequest };
  };
}

/** The list as it is at each look, so that a test can change the script between two turns. */
function liveList<T>(script: Said[], convert: (said: Said) => T): T[] {
  return new Proxy<T[]>([], {
    get: (_, at) => {
      const said = typeof at === 'string' ? script[Number(at)] : undefined;
      return said && convert(said);
    },
  });
}
