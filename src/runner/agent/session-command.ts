import { randomBytes } from 'node:crypto';
import type { Agent, SessionCommand } from '../../agents/agent.ts';
import { writeInside } from '../disk/write-inside.ts';
import { keylessEnvironment } from '../key-proxy/turn-keys.ts';
import type { Enter } from '../process/enter.ts';
import { superviseAgent } from '../process/supervise.ts';
import { environmentFor } from './agent-environment.ts';
import { keepFiles } from './keep-files.ts';

const MAX_OUTPUT = 64 * 1024 * 1024;
/** Overhead counted for each piece, so that many short lines cannot fill the memory either. */
const PIECE_COST = 64;
const STDERR_KEPT = 500;

interface SessionCommandContext {
  agent: Agent;
  worktree: string;
  home: string;
  env: Record<string, string>;
  timeoutMs: number;
  enter?: Enter;
}

/** Runs the agent's own command that exports or imports its conversation. Returns the problem if it failed. */
export function runSessionCommand(
  command: SessionCommand,
  context: SessionCommandContext,
): Promise<string | undefined> {
  // The program rewrites its own settings at each start (OpenCode's does), and no write guard watches this one.
  return keepFiles(context.worktree, context.agent.ownRewrite?.files ?? [], () => runAlone(command, context));
}

async function runAlone(
  command: SessionCommand,
  { agent, worktree, home, env, timeoutMs, enter }: SessionCommandContext,
): Promise<string | undefined> {
  const output: string[] = [];
  let left = MAX_OUTPUT;
  let stderr = '';
  let problem: string | undefined;
  const stop = (why: string): void => {
    if (problem !== undefined) return;
    problem = why;
    void program.kill({ graceMs: 0 });
  };
  const keep = (text: string): void => {
    if (problem !== undefined) return;
    left -= text.length + PIECE_COST;
    if (left < 0) stop('it printed more than can be kept');
    else if (command.stdoutFile !== undefined) output.push(text);
  };
  const program = superviseAgent({
    argv: command.argv,
    cwd: worktree,
    env: { ...keylessEnvironment(agent, environmentFor(agent, env)), ...command.env },
    stdin: '',
    mark: randomBytes(12).toString('hex'),
    enter,
    share: [home],
    onLine: (line) => keep(`${line}\n`),
    onOverlong: (text, final) => keep(final ? `${text}\n` : text),
    onStderr(text) {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    },
  });
  const timer = setTimeout(() => stop(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
  const exit = await program.exited.finally(() => clearTimeout(timer));
  if (problem !== undefined) return problem;
  if (!exit.started) return exit.problem;
  if (exit.code !== 0) return `it ended with ${exit.code ?? exit.signal}: ${stderr.trim() || 'no words'}`;
  if (command.stdoutFile !== undefined) {
    const bytes = Buffer.from(output.join(''));
    if (bytes.length === 0) return 'it printed nothing';
    await writeInside(home, command.stdoutFile, { bytes, mode: 0o600 });
  }
  return undefined;
}
