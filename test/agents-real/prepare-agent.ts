import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Agent, SessionCommand } from '../../src/agents/agent.ts';
import { startFixture } from '../runner/supervised-fixture.ts';
import { makeTemporaryDirectory, makeWorktree } from '../runner/temporary-worktree.ts';
import { type AgentTurn, startTurn, type TurnOptions } from './agent-turn.ts';
import type { ModelScript, ModelServer, ModelTurn } from './model-servers/play-script.ts';

export const HELP = 'I am stuck.\n<<<NEED_HELP>>>\nwhat_i_tried: all\nwhat_i_need: the key\n<<<END_HELP>>>\n';
export const LONG_TEXT = 'I think aloud, and slowly, so that there is time to be stopped. '.repeat(4);

/** A worktree, a home and a scripted model for one agent. */
export async function prepareAgent(options: {
  agent: Agent;
  serve(script: ModelScript): Promise<ModelServer>;
  environment(model: ModelServer, home: string): Record<string, string>;
  turns: ModelTurn[] | ((at: (name: string) => string) => ModelTurn[]);
  files?: Record<string, string>;
}) {
  const { agent } = options;
  const { worktree } = makeWorktree({ 'a.txt': 'a\n', ...options.files });
  const home = makeTemporaryDirectory();
  const at = (name: string) => join(worktree, name);
  const turns = typeof options.turns === 'function' ? options.turns(at) : options.turns;
  const model = await options.serve({ turns, tokens: { input: 1000, output: 50 } });
  onTestFinished(() => model.close());
  // What a CLI drops there, such as the report of an error, goes with the test.
  const env: Record<string, string> = {
    ...options.environment(model, home),
    TMPDIR: makeTemporaryDirectory(),
  };
  const hook = [process.execPath, join(import.meta.dirname, 'hook-by-name.ts'), agent.name];
  const start = (more: Partial<TurnOptions> = {}): Promise<AgentTurn> =>
    startTurn({ agent, worktree, home, env, hook, ...more });

  async function runSessionCommand(command: SessionCommand, cwd: string, itsHome: string): Promise<void> {
    const { agent: run, lines } = startFixture(command.argv, { cwd, env: { ...env, ...command.env } });
    const exit = await run.exited;
    if (!exit.started || exit.code !== 0)
      throw new Error(`${command.argv.join(' ')}: ${JSON.stringify(exit)}`);
    if (command.stdoutFile) writeFileSync(join(itsHome, command.stdoutFile), lines.join('\n'));
  }

  /** As a checkpoint would: the session's files alone go to a new home, and the worktree is somewhere else. */
  async function moveAway(session: string): Promise<{ worktree: string; home: string }> {
    if (agent.exportSession) await runSessionCommand(agent.exportSession({ session, home }), worktree, home);
    const moved = { worktree: join(makeTemporaryDirectory(), 'elsewhere'), home: makeTemporaryDirectory() };
    for await (const path of glob(agent.sessionFiles?.(session) ?? [], { cwd: home })) {
      const text = readOrSkip(join(home, path));
      if (text === undefined) continue;
      mkdirSync(dirname(join(moved.home, path)), { recursive: true });
      const place = { from: worktree, to: moved.worktree };
      writeFileSync(join(moved.home, path), agent.relocate?.(path, text, place) ?? text);
    }
    renameSync(worktree, moved.worktree);
    if (agent.importSession)
      await runSessionCommand(agent.importSession({ session, home: moved.home }), moved.worktree, moved.home);
    return moved;
  }

  return { worktree, home, model, env, at, start, moveAway };
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
