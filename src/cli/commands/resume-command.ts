import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFinished, type RunState } from '../../core/contracts/run-state.ts';
import { userError } from '../../core/error-catalogue.ts';
import { removeConversations } from '../../runner/agent/agent-home.ts';
import { openFileVault } from '../../store/file-vault.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { type RunFile, realDirectory } from '../home.ts';
import { type CliOptions, usage } from '../options.ts';
import { withLock } from '../with-worktree-lock.ts';
import { type Surroundings, workOnRun } from '../work-on-run.ts';

/** `autobuild resume`: goes on where the run stopped, whether it was parked or its process was killed. */
export async function resumeCommand(options: CliOptions, surroundings: Surroundings): Promise<RunState> {
  const file = findRun(options, surroundings);
  const { home, screen } = surroundings;
  return withLock(home, file, () =>
    workOnRun(file, surroundings, async (desk) => {
      const state = await desk.state(file.run);
      if (isFinished(state)) {
        // A process killed right after the run's last word had no time to forget values and transcripts.
        await openFileVault(home.runDir(file.run)).forget(file.run);
        await removeConversations(home.runDir(file.run));
        throw userError('run_over', { run: file.run, status: state.status });
      }
      if (!namesAgent(options.answers)) checkStart(state.agent, file, surroundings);
      screen.resumed(state);
      const at = new Date().toISOString();
      if (state.job_live) {
        const reason = 'the process was gone when the run was resumed';
        await desk.handleOnce(file.run, { type: 'job_lost', at, reason, resumed: true });
      }
      if (state.paused) {
        const command = { name: 'continue' as const, new_approach: false };
        await desk.handleOnce(file.run, { type: 'command', at, command, by: screen.user, via: 'terminal' });
      }
    }),
  );
}

/** Whoever gives the run to another agent does so because of this one. */
function namesAgent(answers: readonly string[]): boolean {
  return answers.some((answer) => /\bagent=/.test(answer));
}

/** A program of the worktree itself may be gone with it, and comes back with it. */
function checkStart(name: string, { agents, worktree }: RunFile, { env }: Surroundings): void {
  if (!agents[name]?.[0]?.includes('/')) checkAgent(name, agents, { worktree, env });
}

/** By name from anywhere; without one, the newest of the worktree, also when an agent has deleted it. */
function findRun(options: CliOptions, { home }: Surroundings): RunFile {
  const [run, ...extra] = options.operands;
  if (extra.length > 0) throw usage(`autobuild resume takes one run, not also ${extra.join(' ')}.`);
  if (run) return home.findRun(run, '');
  const { directory } = options;
  return home.findRun(undefined, existsSync(directory) ? realDirectory(directory) : resolve(directory));
}
