import type { AgentEvent } from '../core/contracts/agent/agent-event.ts';
import type { GateAnswer, GateAsk } from '../core/contracts/gate.ts';
import type { ChooseKeyRoute } from './key-route.ts';

/** Paths of the files that one invocation of an agent reads and writes. */
export interface TurnFiles {
  prompt: string;
  context: string;
  inputs: string;
  report: string;
  /** Unix socket that answers "may I write this path?". */
  gate: string;
}

export interface TurnSpec {
  /** The task, context, feedback and answers of this turn. */
  prompt: string;
  /**
   * The rules for reporting and for asking for help. They are the same in every turn, so an agent may add them to its
   * system prompt.
   */
  instructions: string;
  cwd: string;
  files: TurnFiles;
  /** Values that people gave, by key. */
  inputs: Record<string, string>;
  /**
   * A directory of this run outside the worktree, for the agent's configuration and sessions. It is created for each
   * start and contains only the session files of the start before.
   */
  home: string;
  /** The id of the conversation to resume. Absent for a new one. */
  session?: string;
  /** The id for a new conversation, for agents that accept one. */
  newSession: string;
  /**
   * Program and arguments that answer the agent's hook. The hook's input comes on stdin, the answer leaves on stdout
   * and by exit code.
   */
  hook: string[];
  /** The environment the agent will get, because some CLIs accept a setting only from a file or their command line. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Where the model answers in this turn, for agents that accept an address only as a setting. Absent for the usual one. */
  modelAddress?: string;
}

interface Invocation {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /** True when the agent accepts messages while it runs. */
  keepStdinOpen?: boolean;
  /** Files that are written before the start, with paths relative to `home`. */
  homeFiles?: { path: string; text: string }[];
  /** The conversation's id, for an agent that prints it only at its end, which may never come. */
  session?: string;
}

export interface AgentEnd {
  code: number | null;
  signal: string | null;
  /** The end of its stderr, where a CLI that failed to start explains why. */
  stderr?: string;
  /** True when tools ran, so that anything on stderr may be theirs. */
  toolsRan?: boolean;
}

/** Reads the output of one invocation: lines in, events out. It tolerates unknown lines. */
export interface StreamReader {
  /** An empty list means a known line without an event. Undefined means an unknown line. */
  read(line: string): AgentEvent[] | undefined;
  /** True when every printed line that is no event is the agent's own text. */
  readonly plain?: boolean;
  /** Events that the agent did not print before it exited, such as its end. */
  end?(exit: AgentEnd): AgentEvent[];
}

/** Translates the question an agent's hook asks before an edit, and the answer. */
export interface AgentHook {
  /**
   * Reads the hook's stdin. Undefined means that the tool writes no file, so it is allowed. A string says why the input
   * cannot be read, so it is refused.
   */
  readAsk(input: unknown): GateAsk | undefined | string;
  answer(answer: GateAnswer): { stdout: string; stderr: string; exitCode: number };
}

/**
 * A program that the runner runs in the worktree, for agents that keep their conversation in a database instead of
 * files.
 */
export interface SessionCommand {
  argv: string[];
  env: Record<string, string>;
  /** The file for its output, relative to `home`. */
  stdoutFile?: string;
}

/** A file of a conversation. */
interface SessionFile {
  /** Relative to `home`. */
  path: string;
  /** Absent for a binary file, whose content is always copied unchanged. */
  text?: string;
}

interface SessionLocation {
  session: string;
  home: string;
}

/**
 * Chooses the variables of `Agent.environment` that the agent needs this time. `readFile` reads a file that a variable
 * names.
 */
export type ChooseVariables = (
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string | undefined,
) => readonly string[];

interface AgentLogin {
  /** The file with it, in the directory that the variable names, or else in `directory` of the user's home. */
  file: string;
  directory: string;
  directoryVariable: string;
  /** The variable of `keys` that takes its token. */
  variable: string;
  /** The token in the file. Undefined if there is none, or it has expired by `now`, in milliseconds. */
  readToken(text: string, now: number): string | undefined;
}

/** A change that the program makes to its own settings when it starts. */
export interface OwnRewrite {
  /** Paths from the top of the worktree. */
  readonly files: readonly string[];
  /** Whether these lines of a diff are that change and nothing else. */
  isOwn(removed: string, added: string): boolean;
}

/** Files of a repository that an agent obeys without being asked. */
export interface ConfigFiles {
  /** Paths from the top of the worktree. */
  readonly atTop?: readonly string[];
  /** Names that the agent looks for in every directory. */
  readonly anywhere?: readonly string[];
  /**
   * Like `anywhere`, but common names that other people's files have, too. Only a start of this agent restores them.
   */
  readonly ordinary?: readonly string[];
  /** Paths that the agent also looks for in the directories above the worktree. */
  readonly above?: readonly string[];
  /** True when the agent ignores the case of these names at the top and above. */
  readonly ignoresCase?: boolean;
}

/** One agent CLI. It is pure, because the runner handles processes and files. */
export interface Agent {
  readonly name: string;
  /** The program's name, if it differs from the agent's. */
  readonly program?: string;
  /** The npm package that installs the program. */
  readonly npmPackage?: string;
  /**
   * True when the agent reads the answer to a help block from its inputs file. Others get it by `encodeMessage`, or
   * when their conversation is resumed.
   */
  readonly readsInputs?: boolean;
  /** The oldest major version of Node.js that the package asks for. Absent: any. */
  readonly node?: number;
  /** The version this adapter was tested with. Another version causes a warning. */
  readonly testedVersion?: string;
  /** Names of variables that hold a usable key. One of them is enough. Empty if no key is needed. */
  readonly keys?: readonly string[];
  /** The login of the user's own copy of the program, which counts as a key. */
  readonly login?: AgentLogin;
  /**
   * Names and prefixes (`ANTHROPIC_*`) of the variables it gets beside the few that every program gets. Absent means
   * all but tokens.
   */
  readonly environment?: readonly string[];
  /** Absent means all of `environment`. */
  readonly chooseVariables?: ChooseVariables;
  /** True when it decodes `%2e` in the paths that it writes. */
  readonly decodesPaths?: boolean;
  /** Absent if the agent's key cannot be held back from it. */
  readonly keyRoute?: ChooseKeyRoute;
  readonly ownRewrite?: OwnRewrite;
  /** No turn may change these files for the next one. */
  readonly configFiles?: ConfigFiles;
  start(turn: TurnSpec): Invocation;
  createReader(): StreamReader;
  readonly hook?: AgentHook;
  /** Encodes a message for the agent's stdin in the middle of a turn. */
  encodeMessage?(text: string): string;
  /** Globs below `home` of the files that make the conversation. A checkpoint and the next start keep only these. */
  readonly sessionFiles?: (session: string) => string[];
  /**
   * A session file for a worktree or home at another path. The result may have another name, for an agent that names
   * its files after the worktree. Called once with the two worktrees and once with the two homes.
   */
  relocate?(file: SessionFile, moved: { from: string; to: string }): SessionFile;
  /** Writes the session files before a checkpoint packs them. */
  exportSession?(location: SessionLocation): SessionCommand;
  /** Globs below `home` of the files that `exportSession` reads. */
  readonly exportedFiles?: readonly string[];
  /** Loads the session files into a new home before the first turn there. */
  importSession?(location: SessionLocation): SessionCommand;
  /** The file below `home` with its usage figures, if its output does not have them. */
  readonly usageFile?: { path: string; read(text: string): AgentEvent | undefined };
}
