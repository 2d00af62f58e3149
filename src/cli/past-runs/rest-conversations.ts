import { existsSync } from 'node:fs';
import type { RunState } from '../../core/contracts/run-state.ts';
import { inputsByAnswer } from '../../core/secrets/secrets-of-run.ts';
import { agentHomeOf, removeConversations } from '../../runner/agent/agent-home.ts';
import { saveCheckpoint } from '../../runner/checkpoint/checkpoint.ts';
import type { Home, RunFile } from '../home.ts';
import { readState } from './read-state.ts';

/**
 * V-9: at rest the agent's conversation is kept, because another round continues it. A conversation in which values were given
 * has them in it, so it is deleted together with them, like that of a run that has ended.
 */
export async function restConversations(runDir: string, state: RunState): Promise<void> {
  const hasValues = inputsByAnswer(state).some((given) => Object.keys(given).length > 0);
  if (state.status !== 'reviewing' || hasValues) await forgetConversations(runDir);
}

/** The next start of an agent begins a new conversation with everything that it needs to know. */
export async function forgetConversations(runDir: string): Promise<void> {
  await removeConversations(runDir);
  saveCheckpoint({ runDir }, { sessions: {}, told: {} });
}

/** A new run in the worktree says that nothing more is wanted of those that are done there. Call it with the lock. */
export async function forgetEarlierRounds(home: Home, { run, worktree }: RunFile): Promise<void> {
  for (const earlier of home.runs()) {
    const runDir = home.runDir(earlier.run);
    if (earlier.run === run || earlier.worktree !== worktree || !existsSync(agentHomeOf(runDir))) continue;
    if (readState(home, earlier.run)?.status === 'reviewing') await forgetConversations(runDir);
  }
}
