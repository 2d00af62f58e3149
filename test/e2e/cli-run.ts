import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Escalation } from '../../src/core/contracts/escalation.ts';
import type { RunEvent } from '../../src/core/contracts/run-event.ts';
import { kill, processesWith, until } from './processes.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
/** Compiled once for all the processes a test starts. */
const COMPILE_CACHE = join(tmpdir(), `autobuild-e2e-compile-cache-${process.getuid?.() ?? 0}`);

/** A scratch repository with a task, and the real command line at hand. */
export interface Scratch {
  /** Holds everything else: whatever a run writes is in here. */
  root: string;
  worktree: string;
  home: string;
  write(path: string, text: string, mode?: number): void;
  read(path: string): string;
  exists(path: string): boolean;
  start(args: string[], env?: Record<string, string>): StartedCli;
  /** The same inside another command, such as a shell that sets limits. */
  startIn(wrapper: string[], args: string[]): StartedCli;
  /** The same at a terminal of its own: questions wait for what is typed. Without `--json` there are no events. */
  startAtTerminal(args: string[], env?: Record<string, string>): TerminalCli;
  /** The journal of the only run. */
  journal(): string;
  /** Every event of the only run, over all its processes. */
  journalled(): RunEvent[];
  /** The directory of the only run. */
  runDir(): string;
  /** Ids of all runs that left a directory. */
  runs(): string[];
  run(args: string[], env?: Record<string, string>): Promise<CliResult>;
  /** Living processes of agents that were started in this scratch, wherever they went. */
  agentProcesses(): { pid: number; state: string }[];
  /** Living processes of the checks. */
  checkProcesses(): { pid: number; state: string }[];
  /** Every file below the root that holds the text. */
  filesWith(text: string): string[];
}

export interface StartedCli {
  child: ChildProcess;
  /** Resolves when an event of the type has been printed. */
  saw(type: RunEvent['type'], count?: number): Promise<void>;
  /** So far. */
  output(): { stdout: string; stderr: string };
  ended: Promise<CliResult>;
}

export interface TerminalCli extends StartedCli {
  type(line: string): void;
  /** The process of the command line itself. */
  pid(): Promise<number>;
  screen(): string;
}

export interface CliResult {
  code: number | null;
  events: (RunEvent | { type: 'run_ended'; status: string })[];
  escalations: Escalation[];
  stdout: string;
  stderr: string;
}

type Cleaning = (clean: () => void) => void;

/** Tests that run at the same time must give the one of their own context. */
export function createScratch(whenFinished: Cleaning = onTestFinished): Scratch {
  const root = mkdtempSync(join(tmpdir(), 'autobuild-e2e-'));
  const worktree = join(root, 'repo');
  const home = join(root, 'home');
  mkdirSync(worktree);
  mkdirSync(join(root, 'tmp'));
  mkdirSync(join(root, 'bin'));
  symlinkSync(join(CLI, '../../bin/autobuild.cjs'), join(root, 'bin/autobuild'));
  const runs = () => (existsSync(join(home, 'runs')) ? readdirSync(join(home, 'runs')) : []);
  const runDir = () => join(home, 'runs', runs()[0] ?? '');
  const journal = () => readFileSync(join(runDir(), 'journal.jsonl'), 'utf8');
  const start = (args: string[], env: Record<string, string> = {}) =>
    startCli([], args, { worktree, home, env, whenFinished });
  const scratch: Scratch = {
    root,
    worktree,
    home,
    runs,
    runDir,
    start,
    startIn: (wrapper, args) => startCli(wrapper, args, { worktree, home, env: {}, whenFinished }),
    write(path, text, mode = 0o644) {
      const file = join(worktree, path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
    },
    read: (path) => readFileSync(join(worktree, path), 'utf8'),
    exists: (path) => existsSync(join(worktree, path)),
    startAtTerminal: (args, env = {}) => startAtTerminal(args, { root, worktree, home, env, whenFinished }),
    journal,
    journalled: () =>
      journal()
        .trimEnd()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { events: RunEvent[] }).events),
    run: (args, env) => start(args, env).ended,
    agentProcesses: () => processesWith(`\0AUTOBUILD_CONTEXT=${worktree}/`),
    checkProcesses: () =>
      processesWith(`\0HOME=${home}\0`).filter(({ environment }) =>
        environment.includes('\0RUN_BY_AUTOBUILD='),
      ),
    filesWith: (text) =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => readFileSync(file).includes(text)),
  };
  scratch.write('TASK.md', '# Make the check pass\n\nWhatever it takes.\n');
  whenFinished(() => {
    // Whatever a failed test left running must not outlive it.
    for (const { pid } of [...scratch.agentProcesses(), ...scratch.checkProcesses()]) kill(pid);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return scratch;
}

function environmentOf(home: string): Record<string, string> {
  return {
    // As if it was installed, so that hints name it.
    PATH: `${join(home, '../bin')}:${process.env.PATH}`,
    HOME: home,
    AUTOBUILD_HOME: home,
    TMPDIR: join(home, '../tmp'),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
}

function startCli(
  wrapper: string[],
  args: string[],
  {
    worktree,
    home,
    env,
    whenFinished,
  }: { worktree: string; home: string; env: Record<string, string>; whenFinished: Cleaning },
): StartedCli {
  const [command = '', ...rest] = [...wrapper, process.execPath, CLI, ...args];
  const child = spawn(command, rest, {
    cwd: worktree,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentOf(home), ...env },
  });
  return { child, ...watchCli(child, whenFinished) };
}

/** `script` gives it a terminal; the events go to a pipe of their own, everything else to the screen. */
function startAtTerminal(
  args: string[],
  {
    root,
    worktree,
    home,
    env,
    whenFinished,
  }: Pick<Scratch, 'root' | 'worktree' | 'home'> & { env: Record<string, string>; whenFinished: Cleaning },
): TerminalCli {
  const pidFile = join(root, `pid-${Math.random().toString(36).slice(2)}`);
  const command = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `echo $$ > ${pidFile}; exec ${command.join(' ')}${args.includes('--json') ? ' 1>&3' : ''}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: worktree,
    // With --json the events are on stdout, here the fourth of the pipes.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...environmentOf(home), TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  let shown = '';
  child.stdout?.on('data', (chunk) => {
    shown += chunk;
  });
  const events = child.stdio[3] as NodeJS.ReadableStream;
  const watched = watchCli(child, whenFinished, events);
  return {
    child,
    ...watched,
    screen: () => shown,
    type: (text) => void child.stdin?.write(`${text}\r`),
    async pid() {
      await until('the terminal has started', () => existsSync(pidFile));
      return Number(readFileSync(pidFile, 'utf8'));
    },
  };
}

function watchCli(
  child: ChildProcess,
  whenFinished: Cleaning,
  output: NodeJS.ReadableStream | null = child.stdout,
): Omit<StartedCli, 'child'> {
  let stdout = '';
  let stderr = '';
  const lookers = new Set<() => void>();
  output?.on('data', (chunk) => {
    stdout += chunk;
    for (const look of lookers) look();
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<CliResult>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr, ...readEvents(stdout) }));
  });
  whenFinished(() => void child.kill('SIGKILL'));
  return {
    ended,
    output: () => ({ stdout, stderr }),
    saw: (type, count = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const seen = readEvents(stdout).events.filter((event) => event.type === type).length;
          if (seen < count) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        look();
        ended.then(({ code }) => reject(new Error(`ended with ${code} before ${type}: ${stderr}`)), reject);
      }),
  };
}

function readEvents(stdout: string): Pick<CliResult, 'events' | 'escalations'> {
  const lines = stdout.slice(0, stdout.lastIndexOf('\n') + 1).split('\n');
  const events = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as RunEvent);
  const escalations = events.flatMap((event) =>
    event.type === 'escalation_raised' ? [event.escalation] : [],
  );
  return { events, escalations };
}

export function ofType<Type extends RunEvent['type']>(events: CliResult['events'], type: Type) {
  return events.filter((event) => event.type === type) as Extract<RunEvent, { type: Type }>[];
}

/** The command line for the agent that `prepare` wrote. */
export function runArgs(options: { answers?: string[]; verify?: string; more?: string[] } = {}): string[] {
  const { answers = [], verify = 'test -f done', more = [] } = options;
  const flags = answers.flatMap((answer) => ['--answer', answer]);
  return ['run', 'TASK.md', '--dirty', '--json', '--verify', verify, ...flags, ...more, '--', './agent.sh'];
}

export function prepare(scratch: Scratch, agent: string, config = onlyGuards()): void {
  scratch.write('.github/autobuild.yml', config);
  scratch.write('agent.sh', agentScript(agent), 0o755);
}

/** The last lines of an agent that is done. */
export const FINISH = 'touch done; report implemented finished';

/** A shell script as agent. `$TURN` is the turn's number; `report STATUS TEXT` writes the report. */
export function agentScript(body: string): string {
  return `#!/bin/sh
TURN=$(sed -n 's/.*"turn": \\([0-9]*\\),.*/\\1/p' "$AUTOBUILD_CONTEXT")
report() { printf '{"status":"%s","summary":"%s"}' "$1" "$2" > "$AUTOBUILD_REPORT"; }
say() { printf '%s\\n' "$1"; }
${body}
`;
}

/** Only the guards a test is about, so that no other one trips first. */
export function onlyGuards(lines = ''): string {
  const off = [
    'same_error_repeated',
    'consecutive_errors',
    'no_file_changes_after_attempts',
    'loop_detected',
    'no_test_improvement_after',
  ].filter((guard) => !lines.includes(guard));
  return `guards:\n${off.map((guard) => `  ${guard}: off\n`).join('')}${lines}`;
}
