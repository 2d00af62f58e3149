import { showCommand } from '../../core/contracts/command.ts';
import { isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { describeStatus } from '../../core/decide/commands/status.ts';
import { sensibleCommands } from '../../core/decide/decide-command.ts';
import type { Desk } from '../../core/decide/desk.ts';
import { userError } from '../../core/error-catalogue.ts';
import { openFileVault } from '../../store/file-vault.ts';
import { checkAgent } from '../doctor/check-agent.ts';
import { findRun } from '../find-run.ts';
import { type RunFile, realDirectory } from '../home.ts';
import type { CliOptions } from '../options.ts';
import { commandAtRest, isUndone, roundInput } from '../past-runs/begin-round.ts';
import { restConversations } from '../past-runs/rest-conversations.ts';
import type { Answered } from '../terminal/answer-source.ts';
import { withWorktreeLock } from '../with-worktree-lock.ts';
import { type CliContext, workOnRun } from '../work-on-run.ts';

type GivenAnswer = Extract<Answered, { kind: 'command' | 'problem' }>;

/** `autobuild resume` continues a run that was parked or whose process was killed, and one that is done in another round. */
export async function resumeCommand(options: CliOptions, context: CliContext): Promise<RunState> {
  const file = await findRun(options, context.home, context.env);
  const { home, screen } = context;
  return withWorktreeLock(home, file, () =>
    workOnRun(file, context, async (desk) => {
      const state = await desk.state(file.run);
      if (!isUnderWay(state)) {
        // A process that was killed right after the run's last event may not have deleted values and transcripts.
        await openFileVault(home.runDir(file.run)).forget(file.run);
        await restConversations(home.runDir(file.run), state);
      }
      if (state.status === 'reviewing') return resumeAtRest(desk, state, { file, options, context });
      if (!isUnderWay(state)) throw userError('run_over', { run: file.run, status: describeStatus(state) });
      if (!namesAgent(options.answers)) checkStart(state.agent, file, context);
      screen.resumed(state);
      if (state.job_live) {
        const at = new Date().toISOString();
        const reason = 'the process was gone when the run was resumed';
        await desk.handleOnce(file.run, { type: 'job_lost', at, reason, resumed: true });
      }
      if (state.paused) await endPause(desk, state, context);
    }),
  );
}

/** G-12: an `--answer` for a paused run decides what becomes of it, because no question may come that would take it. */
async function endPause(desk: Desk, state: RunState, { screen, answers, home }: CliContext): Promise<void> {
  const { run } = state;
  const to = { run, runDir: home.runDir(run), user: screen.user };
  const given = answers.nextFlag(sensibleCommands(state));
  if (given) {
    screen.note(`> ${showCommand(given.command)}`);
    await commandAtRest(desk, to, given);
  }
  // Refused, or a command that only shows something.
  const after = await desk.state(run);
  if (!after.paused || !isUnderWay(after)) return;
  const command = { name: 'continue' as const, new_approach: false };
  await commandAtRest(desk, to, { command, via: 'terminal' });
}

/** V-9: a line that a person gave after the run was done. A command that begins no round leaves the run as it was. */
export async function roundCommand(
  file: RunFile,
  given: GivenAnswer,
  context: CliContext,
): Promise<RunState> {
  return withWorktreeLock(context.home, file, () =>
    workOnRun(file, context, async (desk) => {
      const state = await desk.state(file.run);
      if (state.status !== 'reviewing')
        throw userError('run_over', { run: file.run, status: describeStatus(state) });
      await give(desk, state, given, { file, context });
    }),
  );
}

interface AtRest {
  file: RunFile;
  context: CliContext;
}

async function resumeAtRest(
  desk: Desk,
  state: RunState,
  { file, options, context }: AtRest & { options: CliOptions },
): Promise<void> {
  const { run } = file;
  const { screen, answers, home, offersRounds } = context;
  // The process before this one was killed between the word of the person and the beginning of the round.
  if (state.asked_revisions) {
    screen.resumed(state);
    await desk.handleOnce(run, roundInput(state, file, home.runDir(run), new Date().toISOString()));
    return;
  }
  if (options.answers.length === 0) {
    if (offersRounds) return;
    throw userError('run_done', { run, status: describeStatus(state) });
  }
  const given = await answers.atRest();
  if (given.kind !== 'command' && given.kind !== 'problem') throw userError('round_not_begun', { run });
  screen.resumed(state);
  if (given.kind === 'command') screen.note(`> ${showCommand(given.command)}`);
  await give(desk, state, given, { file, context });
  if (!isUnderWay(await desk.state(run))) throw userError('round_not_begun', { run });
}

async function give(
  desk: Desk,
  state: RunState,
  given: GivenAnswer,
  { file, context }: AtRest,
): Promise<void> {
  const { run, worktree } = file;
  const { screen, home } = context;
  if (given.kind === 'problem') {
    const { problem, suggestion } = given;
    return screen.reply({ tone: 'refused', title: `Nothing changed: ${problem}`, suggestion }, state);
  }
  const runDir = home.runDir(run);
  realDirectory(worktree);
  if (isUndone(runDir)) throw userError('run_over', { run, status: 'Its work was undone' });
  if (given.command.name === 'guide') checkStart(state.agent, file, context);
  await commandAtRest(desk, { run, runDir, user: screen.user }, given);
}

/** An answer that switches to another agent makes it irrelevant whether the current agent can start. */
function namesAgent(answers: readonly string[]): boolean {
  return answers.some((answer) => /\bagent=/.test(answer));
}

/** A program inside the worktree is not checked, because a deleted worktree is restored together with it. */
function checkStart(name: string, { agents, worktree }: RunFile, { env }: CliContext): void {
  if (!agents[name]?.[0]?.includes('/')) checkAgent(name, agents, { worktree, env });
}
