import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { describeStatus } from '../../core/decide/commands/status.ts';
import { userError } from '../../core/error-catalogue.ts';
import { removeConversations } from '../../runner/agent/agent-home.ts';
import { openFileVault } from '../../store/file-vault.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { findRun } from '../find-run.ts';
import type { RunFile } from '../home.ts';
import type { CliOptions } from '../options.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';
import { type CliContext, workOnRun } from '../work-on-run.ts';

/** `autobuild resume` continues a run that was parked or whose process was killed. */
export async function resumeCommand(options: CliOptions, context: CliContext): Promise<RunState> {
  const file = await findRun(options, context.home, context.env);
  const { home, screen } = context;
  return withWorktreeLock(home, file, () =>
    workOnRun(file, context, async (desk) => {
      const state = await desk.state(file.run);
      if (!isUnderWay(state)) {
        // A process that was killed right after the run's last event may not have deleted values and transcripts.
        await openFileVault(home.runDir(file.run)).forget(file.run);
        await removeConversations(home.runDir(file.run));
        throw userError('run_over', { run: file.run, status: describeStatus(state) });
      }
      if (!namesAgent(options.answers)) checkStart(state.agent, file, context);
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

/** An answer that switches to another agent makes it irrelevant whether the current agent can start. */
function namesAgent(answers: readonly string[]): boolean {
  return answers.some((answer) => /\bagent=/.test(answer));
}

/** A program inside the worktree is not checked, because a deleted worktree is restored together with it. */
function checkStart(name: string, { agents, worktree }: RunFile, { env }: CliContext): void {
  if (!agents[name]?.[0]?.includes('/')) checkAgent(name, agents, { worktree, env });
}
