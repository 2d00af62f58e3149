#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isDiskFull } from './cli/disk-full.ts';
import { EXIT, exitCodeOf, exitCodeOfError } from './cli/exit-code.ts';
import { openHome } from './cli/home.ts';
import { type CliOptions, readOptions, usage } from './cli/options.ts';
import { packageVersion } from './cli/package-version.ts';
import type { CliContext } from './cli/work-on-run.ts';
import { UserError, userError } from './core/error-catalogue.ts';

/** The command line. Reads the environment, wires everything, and is the only place where errors are caught. */
async function main(argv: string[]): Promise<number> {
  const options = readOptions(argv, currentDirectory());
  const { command } = options;
  if (options.version) return print(`autobuild ${packageVersion()}`);
  // Each command is imported on its own, because an agent's hook asks the gate before every edit and must start fast.
  if (options.help || command === 'help') {
    return print((await readUsage()).trimEnd());
  }
  switch (command) {
    case 'run':
    case 'resume': {
      const context = await createContext(options);
      const state =
        command === 'run'
          ? await (await import('./cli/commands/run-command.ts')).runCommand(options, context)
          : await (await import('./cli/commands/resume-command.ts')).resumeCommand(options, context);
      context.screen.end(state);
      return exitCodeOf(state);
    }
    case 'status': {
      const { statusCommand } = await import('./cli/commands/status-command.ts');
      return print((await statusCommand(options, openHome(process.env))).join('\n'));
    }
    case 'replay': {
      const { replayCommand } = await import('./cli/commands/replay-command.ts');
      const { lines, differences } = replayCommand(options, openHome(process.env));
      print(lines.join('\n'));
      return differences === 0 ? EXIT.done : EXIT.failed;
    }
    case 'check-config': {
      const { checkConfigCommand } = await import('./cli/commands/check-config-command.ts');
      return print(checkConfigCommand(options).join('\n'));
    }
    case 'init': {
      const { initCommand } = await import('./cli/commands/init-command.ts');
      const { lines, ok } = await initCommand(options);
      print(lines.join('\n'));
      return ok ? EXIT.done : EXIT.failed;
    }
    case 'doctor': {
      const { doctorCommand } = await import('./cli/commands/doctor-command.ts');
      const { lines, ok } = await doctorCommand(options, process.env);
      print(lines.join('\n'));
      return ok ? EXIT.done : EXIT.failed;
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
      process.stderr.write(await readUsage());
      return EXIT.usage;
    default:
      throw usage(`${command} is not a command of autobuild.`);
  }
}

async function createContext(options: CliOptions): Promise<CliContext> {
  const { createAnswerSource } = await import('./cli/terminal/answer-source.ts');
  const { createPrompter } = await import('./cli/terminal/prompter.ts');
  const { createTerminalScreen } = await import('./cli/terminal/terminal-screen.ts');
  const out = options.json ? process.stderr : process.stdout;
  const interactive = process.stdin.isTTY === true && out.isTTY === true && process.env.TERM !== 'dumb';
  const colour = options.colour && out.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const { interrupt, onInterrupt } = listenForInterrupts();
  const screen = createTerminalScreen({
    out,
    events: options.json ? process.stdout : undefined,
    live: out.isTTY === true && process.env.TERM !== 'dumb',
    colour,
    user: userInfo().username,
    now: () => new Date(),
  });
  // Answers given by `--answer` mean that nobody is at the terminal.
  const prompter =
    interactive && options.answers.length === 0
      ? createPrompter(process.stdin, out as NodeJS.WriteStream, interrupt)
      : undefined;
  return {
    home: openHome(process.env),
    env: Object.fromEntries(
      Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
    self: [process.execPath, fileURLToPath(import.meta.url)],
    screen,
    answers: createAnswerSource(options.answers, prompter),
    onInterrupt,
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
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', hangUp);
  return {
    interrupt,
    onInterrupt(next: (count: number) => void) {
      handler = next;
      for (let missed = 1; missed <= Math.min(count, 2); missed += 1) next(missed);
    },
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw userError('worktree_missing', { directory: 'The current directory' });
  }
}

async function readUsage(): Promise<string> {
  const { USAGE } = await import('./cli/usage.ts');
  return USAGE;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

async function report(error: unknown): Promise<number> {
  const { cleanMessage } = await import('./cli/terminal/clean-message.ts');
  const expected = isDiskFull(error)
    ? userError('disk_full', { where: (error as Error).message })
    : error instanceof UserError
      ? error
      : undefined;
  const text = expected
    ? `✗ ${expected.message}\n  ${expected.remedy}`
    : `✗ Autobuild itself failed; the work is in the worktree and \`autobuild resume\` goes on from it.\n${(error as Error).stack}`;
  process.stderr.write(`${cleanMessage(text)}\n`);
  return expected ? exitCodeOfError(expected) : EXIT.failed;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = await report(error);
}
