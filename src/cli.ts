#!/usr/bin/env node
import { readFileSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isDiskFull } from './cli/disk-full.ts';
import { EXIT, exitCodeOf, exitCodeOfError } from './cli/exit-code.ts';
import { openHome } from './cli/home.ts';
import { type CliOptions, readOptions, usage } from './cli/options.ts';
import { nameProgram } from './cli/package/name-program.ts';
import { startLine } from './cli/package/start-line.ts';
import { packageVersion } from './cli/package-version.ts';
import type { CliContext } from './cli/work-on-run.ts';
import { UserError, userError } from './core/error-catalogue.ts';

/** Commands of the agents' hooks, and the one that asks for help. */
const WITHOUT_HELP = new Set(['help', 'hook', 'gate']);

/** The run that this process works on. */
let begun: string | undefined;
let start: string | undefined;
let begunIn = '/';

/** The command line. Reads the environment, wires everything, and is the only place where errors are caught. */
async function main(argv: string[]): Promise<number> {
  const options = readOptions(argv, currentDirectory());
  const { command } = options;
  if (options.version) return print(`autobuild ${packageVersion()}`);
  // Each command is imported on its own, because an agent's hook asks the gate before every edit and must start fast.
  if (options.help || command === 'help') {
    const { helpFor } = await import('./cli/command-help.ts');
    const about = command === 'help' ? options.operands[0] : command;
    const help = helpFor(about ?? '');
    if (help === undefined && about && !WITHOUT_HELP.has(about)) throw await unknownCommand(about);
    return print(help ?? (await readUsage()).trimEnd());
  }
  switch (command) {
    case 'run':
    case 'resume': {
      if (options.dryRun) {
        const { dryRunCommand } = await import('./cli/commands/run-command.ts');
        return print((await dryRunCommand(options, environment())).join('\n'));
      }
      return workInRounds(options);
    }
    case 'status': {
      const { statusCommand } = await import('./cli/commands/status-command.ts');
      return print((await statusCommand(options, openHome(process.env), environment())).join('\n'));
    }
    case 'runs': {
      const { statusCommand } = await import('./cli/commands/status-command.ts');
      const all = { ...options, all: true };
      return print((await statusCommand(all, openHome(process.env), environment())).join('\n'));
    }
    case 'diff': {
      const { diffCommand } = await import('./cli/commands/diff-command.ts');
      const isShown = process.stdout.isTTY === true;
      return printDiff(await diffCommand(options, openHome(process.env), environment(), { isShown }));
    }
    case 'undo': {
      const { undoCommand } = await import('./cli/commands/undo-command.ts');
      const lines = await undoCommand(options, openHome(process.env), userInfo().username, environment());
      return print(lines.join('\n'));
    }
    case 'replay': {
      const { replayCommand } = await import('./cli/commands/replay-command.ts');
      const { lines, differences } = replayCommand(options, openHome(process.env));
      print(lines.join('\n'));
      return differences === 0 ? EXIT.done : EXIT.failed;
    }
    case 'check-config': {
      const { checkConfigCommand } = await import('./cli/commands/check-config-command.ts');
      return print((await checkConfigCommand(options, environment())).join('\n'));
    }
    case 'init': {
      const { initCommand } = await import('./cli/commands/init-command.ts');
      const { lines, ok } = await initCommand(options, { env: environment(), ask: await createAsk() });
      print(lines.join('\n'));
      return ok ? EXIT.done : EXIT.failed;
    }
    case 'doctor': {
      const { doctorCommand } = await import('./cli/commands/doctor-command.ts');
      const { lines, ok } = await doctorCommand(options, process.env);
      print(lines.join('\n'));
      return ok ? EXIT.done : EXIT.failed;
    }
    case 'register': {
      const { registerCommand } = await import('./cli/commands/register-command.ts');
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort());
      const { signal } = stop;
      await registerCommand(options, { print, signal, now: () => new Date() });
      return EXIT.done;
    }
    case 'serve': {
      const { main: serve } = await import('./server.ts');
      await serve();
      return EXIT.done;
    }
    case 'hook': {
      const { hookCommand } = await import('./cli/commands/hook-command.ts');
      const answer = await hookCommand(options, readFileSync(0, 'utf8'), process.env.AUTOBUILD_GATE);
      process.stdout.write(answer.stdout);
      process.stderr.write(answer.stderr);
      return answer.exitCode;
    }
    case 'gate': {
      const { gateCommand } = await import('./cli/commands/gate-command.ts');
      const answer = await gateCommand(options, process.env.AUTOBUILD_GATE);
      process.stderr.write(`${answer.reason}\n`);
      // Agents' hooks treat exit code 2 as "blocked".
      return answer.decision === 'allow' ? 0 : 2;
    }
    case '':
      process.stderr.write(pasteable(await readUsage()));
      return EXIT.usage;
    default:
      throw await unknownCommand(command);
  }
}

/** V-9: `run` or `resume`, then as many rounds as the person at the terminal asks for. Nothing is locked while they think. */
async function workInRounds(options: CliOptions): Promise<number> {
  const { describeWork } = await import('./cli/describe-work.ts');
  const { resumeCommand, roundCommand } = await import('./cli/commands/resume-command.ts');
  const { mayBeginRound } = await import('./cli/past-runs/begin-round.ts');
  const env = environment();
  let context = await createContext(options, env);
  let state =
    options.command === 'run'
      ? await (await import('./cli/commands/run-command.ts')).runCommand(options, context)
      : await resumeCommand(options, context);
  for (let isTold = false; ; ) {
    if (!isTold) context.screen.end(state, await describeWork(state, context.home, env));
    if (!context.offersRounds || context.isInterrupted() || !mayBeginRound(state)) break;
    const { forget } = context;
    context = await createContext(options, env);
    forget();
    if (!isTold) context.screen.note('  /guide <what to change> begins another round; Enter leaves.');
    context.onInterrupt(() => context.answers.close());
    const given = await context.answers.atRest();
    if (given.kind === 'none' || given.kind === 'nothing') break;
    const rounds = state.revisions?.length ?? 0;
    state = await roundCommand(context.home.findRun(state.run, []), given, context);
    // A command that only asks something leaves the run as it was.
    isTold = state.status === 'reviewing' && (state.revisions?.length ?? 0) === rounds;
  }
  // Typed lines are still read, which would keep this process alive.
  context.typing?.close();
  context.answers.close();
  return exitCodeOf(state);
}

interface OwnContext extends CliContext {
  isInterrupted(): boolean;
  /** Signals are not listened to any more. */
  forget(): void;
}

async function createContext(options: CliOptions, env: Record<string, string>): Promise<OwnContext> {
  const { createAnswerSource } = await import('./cli/terminal/answer-source.ts');
  const { createLiveInput } = await import('./cli/terminal/live-input.ts');
  const { createPrompter } = await import('./cli/terminal/prompter.ts');
  const { forgetKeys } = await import('./cli/forget-keys.ts');
  const { createTerminalScreen } = await import('./cli/terminal/terminal-screen.ts');
  const out = options.json ? process.stderr : process.stdout;
  const interactive = process.stdin.isTTY === true && out.isTTY === true && env.TERM !== 'dumb';
  const colour = options.colour && out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const { interrupt, ...interrupts } = listenForInterrupts();
  // Answers given by `--answer` mean that nobody is at the terminal.
  const isAttended = interactive && options.answers.length === 0;
  const typing = isAttended ? createLiveInput(process.stdin, out, interrupt) : undefined;
  const prompter = isAttended
    ? createPrompter(process.stdin, out as NodeJS.WriteStream, interrupt, typing)
    : undefined;
  const screen = createTerminalScreen({
    out,
    events: options.json ? process.stdout : undefined,
    live: out.isTTY === true && env.TERM !== 'dumb',
    typing,
    question: prompter,
    colour,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    user: userInfo().username,
    now: () => new Date(),
    pasteable,
  });
  const home = openHome(env);
  forgetKeys(process.env);
  return {
    home,
    env,
    self: [process.execPath, fileURLToPath(import.meta.url)],
    screen: {
      ...screen,
      start(run, ...rest) {
        begun = run;
        screen.start(run, ...rest);
      },
      resumed(state) {
        begun = state.run;
        screen.resumed(state);
      },
    },
    answers: createAnswerSource(options.answers, prompter),
    typing,
    // A program that reads the events waits for their end.
    offersRounds: isAttended && !options.json,
    ...interrupts,
  };
}

/** Ctrl-C, SIGTERM, a closed terminal or a closed output stream park the run. Only a second Ctrl-C cancels it. */
function listenForInterrupts() {
  let handler: ((count: number) => void) | undefined;
  let count = 0;
  const interrupt = () => {
    count += 1;
    if (count <= 2) handler?.(count);
  };
  const hangUp = () => {
    if (count === 0) interrupt();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('SIGHUP', hangUp);
  const streams = [process.stdin, process.stdout, process.stderr];
  for (const stream of streams) stream.on('error', hangUp);
  return {
    interrupt,
    isInterrupted: () => count > 0,
    forget() {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', hangUp);
      for (const stream of streams) stream.off('error', hangUp);
    },
    onInterrupt(next: (count: number) => void) {
      handler = next;
      for (let missed = 1; missed <= Math.min(count, 2); missed += 1) next(missed);
    },
  };
}

/** Undefined if nobody is at the terminal. */
async function createAsk(): Promise<((question: string) => Promise<string | undefined>) | undefined> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return undefined;
  const { createAskLine } = await import('./cli/init/ask-line.ts');
  return createAskLine(process.stdin, process.stdout);
}

function currentDirectory(): string {
  try {
    begunIn = process.cwd();
    return begunIn;
  } catch {
    throw userError('worktree_missing', { directory: 'The current directory' });
  }
}

async function unknownCommand(command: string): Promise<UserError> {
  const { nearestCommand } = await import('./cli/command-help.ts');
  const near = nearestCommand(command);
  return usage(`${command} is not a command of autobuild.${near ? ` Did you mean ${near}?` : ''}`);
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function printDiff({ output, cut }: { output: string | Buffer; cut: boolean }): number {
  process.stdout.write(output);
  if (cut) process.stderr.write('The patch is longer and was cut here. `git diff` shows all of it.\n');
  return EXIT.done;
}

async function readUsage(): Promise<string> {
  const { USAGE } = await import('./cli/usage.ts');
  return USAGE;
}

/** Output for scripts has no hints. */
function print(text: string): number {
  process.stdout.write(`${process.argv.includes('--json') ? text : pasteable(text)}\n`);
  return EXIT.done;
}

/** The text with hints that work in the shell this was started from. */
function pasteable(text: string): string {
  start ??= startLine({
    file: realpathSync(fileURLToPath(import.meta.url)),
    node: realpathSync(process.execPath),
    cwd: begunIn,
    env: process.env,
  });
  return nameProgram(text, start);
}

/** Said only of a run that is in the journal, because there is nothing else to resume. */
function savedWork(): string {
  if (begun === undefined) return '';
  try {
    return ` The work so far is saved; continue with: autobuild resume ${openHome(process.env).findRun(begun, []).run}`;
  } catch {
    return '';
  }
}

/** A wrong use of a command leads to the help of that command. */
async function namingHelp({ code, remedy }: UserError): Promise<string> {
  const [, , command = ''] = process.argv;
  const { helpFor } = await import('./cli/command-help.ts');
  return code === 'usage' && helpFor(command)
    ? remedy.replace('autobuild --help', `autobuild ${command} --help`)
    : remedy;
}

async function report(error: unknown): Promise<number> {
  const { cleanMessage } = await import('./cli/terminal/clean-message.ts');
  const expected = isDiskFull(error)
    ? userError('disk_full', { where: (error as Error).message })
    : error instanceof UserError
      ? error
      : undefined;
  const text = expected
    ? `✗ ${expected.message}\n  ${await namingHelp(expected)}`
    : `✗ Autobuild itself failed.${savedWork()}\n${(error as Error).stack}`;
  process.stderr.write(`${cleanMessage(pasteable(text))}\n`);
  return expected ? exitCodeOfError(expected) : EXIT.failed;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = await report(error);
}
