import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { inTime } from '../../core/in-time.ts';
import { createBoundedStderr } from './bounded-stderr.ts';
import { type Enter, enterDirectly } from './enter.ts';
import { findExecutable } from './find-executable.ts';
import { createLineReader } from './line-reader.ts';
import { createPacedReading, type PacedReading } from './paced-reading.ts';
import { assertMark, MARK_VARIABLE, type ProcessTree } from './process-tree.ts';

/** How long output is still read after the agent itself has ended. */
const DRAIN_MS = 1000;
const LEFTOVER_GRACE_MS = 500;

export type AgentExit =
  | { started: false; problem: string }
  | { started: true; code: number | null; signal: string | null; leftovers: number };

export type SuperviseOptions = {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  /** For agents that read messages while they run. Otherwise stdin is closed after `stdin` is written. */
  keepStdinOpen?: boolean;
  /** Unique to this agent, and inherited by its processes in their environment, so that detached ones are found. */
  mark: string;
  onLine(line: string): void;
  /** Receives a line too long to be buffered in pieces. `final` is true for the last piece of the line. */
  onOverlong(text: string, final: boolean): void;
  onStderr(text: string): void;
  useCgroup?: boolean;
  /** The box that the agent runs in. Left out: none. */
  enter?: Enter;
  /** Directories that the agent needs in its box beside the working directory. */
  share?: readonly string[];
};

export type Supervised = {
  pid: number | undefined;
  /** Rejects only if a callback threw; the agent has been killed by then. */
  exited: Promise<AgentExit>;
  readonly frozen: boolean;
  freeze(): ReturnType<ProcessTree['freeze']>;
  thaw(): Promise<void>;
  kill(options: { graceMs: number }): ReturnType<ProcessTree['kill']>;
  /** False if the agent's stdin is closed. */
  write(text: string): boolean;
  closeStdin(): void;
  /** Back-pressure for a reader that cannot keep up: the agent blocks on its full pipe. Undone when the agent ends. */
  pauseOutput(): void;
  resumeOutput(): void;
};

/** Starts an agent and manages every process it starts, until none is left. */
export function superviseAgent(options: SuperviseOptions): Supervised {
  const { argv, cwd, env, mark } = options;
  assertMark(mark);
  const found = findExecutable(argv[0] ?? '', { cwd, path: env.PATH ?? '' });
  if ('problem' in found) return neverStarted(found.problem);

  const { enter = enterDirectly, share, useCgroup } = options;
  const entered = enter({
    argv: [found.path, ...argv.slice(1)],
    cwd,
    env: { ...env, [MARK_VARIABLE]: mark },
    mark,
    share,
    useCgroup,
  });
  const [command = '', ...rest] = entered.command;
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(command, rest, { cwd, env: entered.env, detached: true, stdio: 'pipe' });
  } catch (error) {
    entered.close();
    return neverStarted(describeSpawnFailure(found.path, error));
  }
  const { pid } = child;
  if (pid === undefined) {
    const exited = once(child, 'error').then(([error]) => describeSpawnFailure(found.path, error));
    entered.close();
    return neverStarted(exited);
  }

  const tree = entered.tree(pid);
  let frozen = false;
  /** Once true, no signal is sent, because the tree's pids may have been reused. */
  let ended = false;
  /** Freeze, thaw and kill run one at a time, because a thaw during a freeze would leave half of the tree stopped. */
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = last.then(action);
    last = result.catch(() => undefined);
    return result;
  }
  const killTree = (graceMs: number) =>
    inTurn(async () => {
      if (ended) return { processes: 0, survivors: 0 };
      const killed = await tree.kill({ graceMs });
      frozen = false;
      return killed;
    });

  feedStdin(child, options);
  const output = createPacedReading(child.stdout);
  const exited = watch(child, output, options, killTree, entered.hidesSignals).finally(() => {
    ended = true;
    entered.close();
  });

  return {
    pid,
    exited,
    get frozen() {
      return frozen;
    },
    freeze: () =>
      inTurn(async () => {
        if (ended) return { processes: 0, running: 0, ms: 0 };
        const result = await tree.freeze();
        frozen = result.processes > 0;
        return result;
      }),
    thaw: () =>
      inTurn(async () => {
        if (!ended) await tree.thaw();
        frozen = false;
      }),
    kill: ({ graceMs }) => killTree(graceMs),
    write(text) {
      if (!child.stdin.writable) return false;
      child.stdin.write(text);
      return true;
    },
    closeStdin: () => void child.stdin.end(),
    pauseOutput() {
      if (child.exitCode === null && child.signalCode === null) output.hold();
    },
    resumeOutput: () => output.release(),
  };
}

/** Forwards the output, waits for the agent to end, and kills the processes it left running. */
async function watch(
  child: ChildProcessWithoutNullStreams,
  output: PacedReading,
  options: SuperviseOptions,
  killTree: (graceMs: number) => ReturnType<ProcessTree['kill']>,
  hidesSignals: boolean,
): Promise<AgentExit> {
  const { onLine, onOverlong, onStderr } = options;
  const reader = createLineReader({ onLine, onOverlong });
  const stderr = createBoundedStderr(onStderr);
  let bug: { cause: unknown } | undefined;
  /** A callback that throws is a bug of ours. The agent is killed then, because it must not run unsupervised. */
  function guarded<A extends unknown[]>(action: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      if (bug) return;
      try {
        action(...args);
      } catch (cause) {
        bug = { cause };
        void killTree(0);
      }
    };
  }
  output.read(guarded(reader.push));
  child.stderr.on('data', guarded(stderr.push));
  const closed = Promise.all([whenClosed(child.stdout), whenClosed(child.stderr)]);

  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  output.release();
  await inTime<unknown>(closed, AbortSignal.timeout(DRAIN_MS), () => undefined);
  child.stdout.destroy();
  child.stderr.destroy();
  child.stdin.destroy();
  guarded(reader.end)();
  guarded(stderr.end)();
  const { processes } = await killTree(LEFTOVER_GRACE_MS);
  if (bug) throw new Error('A listener of the agent failed; the agent was stopped.', bug);
  const hidden = hidesSignals && code !== null ? signalIn(code) : undefined;
  if (hidden) return { started: true, code: null, signal: hidden, leftovers: processes };
  return { started: true, code, signal, leftovers: processes };
}

/** The signal in a shell's exit code. */
function signalIn(code: number): string | undefined {
  const number = code - 128;
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** Write errors are ignored, because an agent may close stdin early or never read it. */
function feedStdin(child: ChildProcessWithoutNullStreams, { stdin, keepStdinOpen }: SuperviseOptions): void {
  child.stdin.on('error', () => child.stdin.destroy());
  if (keepStdinOpen) child.stdin.write(stdin);
  else child.stdin.end(stdin);
}

function whenClosed(stream: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
  });
}

function describeSpawnFailure(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG')
    return `The agent ${path} was given more arguments and environment than the system takes. Pass the prompt on stdin.`;
  return `The agent ${path} could not be started: ${message}. Try the same command by hand in the working directory.`;
}

function neverStarted(problem: string | Promise<string>): Supervised {
  return {
    pid: undefined,
    exited: Promise.resolve(problem).then((text) => ({ started: false, problem: text })),
    frozen: false,
    freeze: async () => ({ processes: 0, running: 0, ms: 0 }),
    thaw: async () => undefined,
    kill: async () => ({ processes: 0, survivors: 0 }),
    write: () => false,
    closeStdin: () => undefined,
    pauseOutput: () => undefined,
    resumeOutput: () => undefined,
  };
}
