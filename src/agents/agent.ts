import type { AgentEvent } from '../core/contracts/agent-event.ts';
import type { GateAnswer, GateAsk } from '../core/contracts/gate.ts';

/** Where one invocation of an agent finds and leaves things. */
export interface TurnFiles {
  prompt: string;
  context: string;
  inputs: string;
  report: string;
  /** Unix socket that answers "may I write this path?". */
  gate: string;
}

export interface TurnSpec {
  /** What this turn is about: task, context, feedback, answers. */
  prompt: string;
  /** How to report, when to ask for help: the same all along, for the agent's own way to add to its system prompt. */
  instructions: string;
  cwd: string;
  files: TurnFiles;
  /** Values people gave, by key. */
  inputs: Record<string, string>;
  /** A directory of this run alone, outside the worktree, for the agent's own configuration and sessions. Made anew for each start, with the session files of the one before. */
  home: string;
  /** The conversation so far. Absent: begin one. */
  session?: string;
  /** An id to begin the conversation under, for agents that take one. */
  newSession: string;
  /** Program and arguments that answer the agent's hook: its input on stdin, its answer on stdout and by exit code. */
  hook: string[];
  /** The environment the agent is about to get, for what its CLI takes only from a file or its command line. */
  env?: Readonly<Record<string, string | undefined>>;
}

interface Invocation {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /** It takes messages while it runs. */
  keepStdinOpen?: boolean;
  /** Written before the start, paths relative to `home`. */
  homeFiles?: { path: string; text: string }[];
  /** The conversation's id, for an agent that says it only at its end, which may never come. */
  session?: string;
}

export interface AgentEnd {
  code: number | null;
  signal: string | null;
  /** The end of what it wrote to stderr: where a CLI that could not even begin says why. */
  stderr?: string;
}

/** One invocation's reader: lines of the agent's output in, events out. Tolerates what it does not know. */
export interface StreamReader {
  /** Empty: a line that it knows and that says nothing. Undefined: it does not know the line. */
  read(line: string): AgentEvent[] | undefined;
  /** Whatever the program prints and is no event is its own word. */
  readonly plain?: boolean;
  /** What the agent failed to say before it ended, such as its end. */
  end?(exit: AgentEnd): AgentEvent[];
}

/** How an agent asks before it edits, and how it is answered. */
export interface AgentHook {
  /** What its hook was given on stdin. Undefined: nothing that writes; let it pass. A string: cannot be read, so refuse, saying why. */
  readAsk(input: unknown): GateAsk | undefined | string;
  answer(answer: GateAnswer): { stdout: string; stderr: string; exitCode: number };
}

/** A program the runner runs in the worktree, for agents whose conversation is in a database and not in files. */
export interface SessionCommand {
  argv: string[];
  env: Record<string, string>;
  /** Where what it prints is kept, relative to `home`. */
  stdoutFile?: string;
}

interface SessionPlace {
  session: string;
  home: string;
}

/** Which of the variables named in `Agent.environment` it needs this time. `readFile` reads a file that one of them names. */
export type ChooseVariables = (
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string | undefined,
) => readonly string[];

/** Files of a repository that an agent obeys without being asked. */
export interface ConfigFiles {
  /** Paths from the top of the worktree. */
  readonly atTop?: readonly string[];
  /** Names that it looks for in every directory. */
  readonly anywhere?: readonly string[];
  /** The same, but ordinary names: other people's files are called so, and only a start of this agent heeds them. */
  readonly ordinary?: readonly string[];
  /** Paths that it looks for in the directories above the worktree as well. */
  readonly above?: readonly string[];
  /** At the top and above it takes these names in any spelling. */
  readonly ignoresCase?: boolean;
}

/** One agent CLI. Pure: processes and files are the runner's business. */
export interface Agent {
  readonly name: string;
  /** The program's own name, where it is another. */
  readonly program?: string;
  /** The npm package that brings the program. */
  readonly npmPackage?: string;
  /** After a help block it looks for the answer in its inputs file. Others are told by `say`, or when their conversation goes on. */
  readonly readsInputs?: boolean;
  /** The version this file was tested with; another one is worth a warning. */
  readonly testedVersion?: string;
  /** Names of variables that hold a key it can use; one is enough. Empty: it needs none. */
  readonly keys?: readonly string[];
  /** Names and prefixes (`ANTHROPIC_*`) of the environment it is given beside the few every program gets. Absent: all but tokens. */
  readonly environment?: readonly string[];
  /** Absent: all of `environment`. */
  readonly chooseVariables?: ChooseVariables;
  /** No turn may change them for the next one. */
  readonly configFiles?: ConfigFiles;
  start(turn: TurnSpec): Invocation;
  createReader(): StreamReader;
  readonly hook?: AgentHook;
  /** Bytes for its stdin that tell it something mid-turn. */
  say?(text: string): string;
  /** Files under `home` that make its conversation, as globs: a checkpoint and the next start keep these and nothing else. */
  readonly sessionFiles?: (session: string) => string[];
  /** A session file's text for another place, when the worktree or home moved. */
  relocate?(path: string, text: string, moved: { from: string; to: string }): string;
  /** Writes the session files, before a checkpoint takes them. */
  exportSession?(place: SessionPlace): SessionCommand;
  /** What `exportSession` reads, as globs under `home`. */
  readonly exportedFiles?: readonly string[];
  /** Reads the session files into a new home, before the first turn in it. */
  importSession?(place: SessionPlace): SessionCommand;
  /** Where it leaves its figures at its end, relative to `home`, when its output does not tell them. */
  readonly usageFile?: { path: string; read(text: string): AgentEvent | undefined };
}
