import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionCommand } from '../../src/agents/agent.ts';
import { startFixture } from '../runner/supervised-fixture.ts';
import { makeTemporaryDirectory, makeWorktree } from '../runner/temporary-worktree.ts';
import type { AgentCase } from './agent-cases.ts';
import { type AgentTurn, startTurn, type TurnOptions } from './agent-turn.ts';
import { describeRequests, explainFailure } from './explain-failure.ts';
import { type Said, serveSaid } from './said.ts';

export const HELP = 'I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>\n';
export const LONG_TEXT = 'I think aloud, and slowly, so that there is time to be stopped. '.repeat(4);

/** A worktree, a home and a scripted model for one agent. */
export async function prepareAgent(
  agentCase: AgentCase,
  script: Said[] | ((at: (name: string) => string) => Said[]),
  files: Record<string, string> = {},
) {
  const { agent } = agentCase;
  const { worktree } = makeWorktree({ 'a.txt': 'a\n', ...files });
  const home = makeTemporaryDirectory();
  const at = (name: string) => join(worktree, name);
  const model = await serveSaid(agentCase, typeof script === 'function' ? script(at) : script, worktree);
  const env: Record<string, string> = {
    HOME: home,
    ...agentCase.environment(model.url, home),
    // What a CLI drops there, such as the report of an error, goes with the test.
    TMPDIR: makeTemporaryDirectory(),
  };
  const turns: AgentTurn[] = [];
  explainFailure(() => [...turns.map((turn) => turn.describe()), describeRequests(model)].join('\n'));
  async function start(more: Partial<TurnOptions> = {}): Promise<AgentTurn> {
    const turn = await startTurn({ agent, worktree, home, env, ...more });
    turns.push(turn);
    return turn;
  }

  async function runSessionCommand(command: SessionCommand, cwd: string, itsHome: string): Promise<void> {
    const { agent: run, lines } = startFixture(command.argv, { cwd, env: { ...env, ...command.env } });
    const exit = await run.exited;
    if (!exit.started || exit.code !== 0)
      throw new Error(`${command.argv.join(' ')}: ${JSON.stringify(exit)}`);
    if (command.stdoutFile) writeFileSync(join(itsHome, command.stdoutFile), lines.join('\n'));
  }

  /** What a checkpoint would keep of the conversation so far. */
  async function sessionFiles(session: string): Promise<{ path: string; text: string }[]> {
    const files: { path: string; text: string }[] = [];
    for await (const path of glob(agent.sessionFiles?.(session) ?? [], { cwd: home })) {
      const text = readOrSkip(join(home, path));
      if (text !== undefined) files.push({ path, text });
    }
    return files;
  }

  /** As a checkpoint would: the session's files alone go to a new home, and the worktree is somewhere else. */
  async function moveAway(
    session: string,
    change = (text: string) => text,
  ): Promise<{ worktree: string; home: string }> {
    if (agent.exportSession) await runSessionCommand(agent.exportSession({ session, home }), worktree, home);
    const moved = { worktree: join(makeTemporaryDirectory(), 'elsewhere'), home: makeTemporaryDirectory() };
    for (const file of await sessionFiles(session)) {
      const arrived = agent.relocate?.(file, { from: worktree, to: moved.worktree }) ?? file;
      mkdirSync(dirname(join(moved.home, arrived.path)), { recursive: true });
      writeFileSync(join(moved.home, arrived.path), change(arrived.text ?? file.text));
    }
    renameSync(worktree, moved.worktree);
    if (agent.importSession)
      await runSessionCommand(agent.importSession({ session, home: moved.home }), moved.worktree, moved.home);
    return moved;
  }

  return { worktree, home, model, env, at, start, sessionFiles, moveAway };
}

/** A glob finds directories as well. */
function readOrSkip(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return undefined;
    throw error;
  }
}
