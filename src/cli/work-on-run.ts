import { dirname, join } from 'node:path';
import { commandAgent } from '../agents/command.ts';
import { agentNamed } from '../agents/registry.ts';
import { count } from '../comments/text/words.ts';
import type { Effect } from '../core/contracts/effect.ts';
import type { RunEvent } from '../core/contracts/run-event.ts';
import { isAtRest, isUnderWay, pendingEscalation, type RunState } from '../core/contracts/run-state.ts';
import { createDesk, type Desk } from '../core/decide/desk.ts';
import { reminderTime } from '../core/decide/expiry.ts';
import { briefFor } from '../core/decide/orders/brief-for.ts';
import { userError } from '../core/error-catalogue.ts';
import { RULES } from '../guards/rules.ts';
import { createInProcessLink } from '../link/in-process.ts';
import { openAgentConfig } from '../runner/agent/agent-config.ts';
import type { Box } from '../runner/box/box.ts';
import { BoxRefusedError } from '../runner/box/open-box.ts';
import { loadCheckpoint, saveCheckpoint } from '../runner/checkpoint/checkpoint.ts';
import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { checkBoxOf } from '../runner/job/check-box.ts';
import { openJobBox } from '../runner/job/open-job-box.ts';
import { stateDirOf } from '../runner/job/repair-state-dir.ts';
import { runJob } from '../runner/job/run-job.ts';
import { openStateDir } from '../runner/job/state-dir.ts';
import { markChecks } from '../runner/process/orphans.ts';
import { openWorkspace, type Workspace } from '../runner/workspace/workspace.ts';
import { JournalError, openFileStore } from '../store/file.ts';
import { openFileVault } from '../store/file-vault.ts';
import { agentEnvironment } from './agent-environment.ts';
import { describeJournalChanges } from './describe-journal-changes.ts';
import { isDiskFull } from './disk-full.ts';
import { agentProblem } from './doctor/check-agent.ts';
import type { Home, RunFile } from './home.ts';
import { isRoundNew, roundInput } from './past-runs/begin-round.ts';
import { restConversations } from './past-runs/rest-conversations.ts';
import { savedEdits } from './past-runs/saved-edits.ts';
import { takeEdits } from './past-runs/take-edits.ts';
import { saveBlockedReport, saveReportOf } from './save-blocked-report.ts';
import type { AnswerSource } from './terminal/answer-source.ts';
import { createConversation } from './terminal/conversation.ts';
import { describeTypedAhead } from './terminal/describe-typed-ahead.ts';
import type { LiveInput } from './terminal/live-input.ts';
import { createSecretMask } from './terminal/mask-secrets.ts';
import { createReminders } from './terminal/reminders.ts';
import type { Screen } from './terminal/screen.ts';
import { shownProgress } from './terminal/shown-progress.ts';

const TICK_MS = 1_000;
const GRACE_MS = 3_000;

export interface CliContext {
  home: Home;
  env: Record<string, string>;
  screen: Screen;
  answers: AnswerSource;
  /** The line that is typed while the agent works, at a terminal. */
  typing?: LiveInput;
  /** Called with 1 by the first Ctrl-C and with 2 by the second, including those that came before this call. */
  onInterrupt(handler: (count: number) => void): void;
  /** V-9: a person at the terminal is asked for another round when the run is done. */
  offersRounds: boolean;
  /** The command line that starts this program again, for an agent's hook. */
  self: string[];
}

/** Runs desk and job in one process until the run is over or parked, and returns its state. */
export async function workOnRun(
  file: RunFile,
  context: CliContext,
  begin: (desk: Desk) => Promise<void>,
): Promise<RunState> {
  const { home, env, screen, answers } = context;
  const { run, worktree } = file;
  const runDir = home.runDir(run);
  const store = openStore(runDir);
  if (store.repaired)
    screen.note(`The journal's last line was incomplete and was moved to ${store.repaired}.`);
  for (const change of describeJournalChanges(store.changes)) screen.note(change);
  const vault = openFileVault(runDir);
  const parking = new AbortController();
  const now = () => new Date();
  let failure: unknown;
  let isInterrupted = false;
  /** Lines are handled one after the other, in the order they were typed. */
  let typing: Promise<void> = Promise.resolve();
  const fail = (error: unknown): void => {
    failure ??= error;
    parking.abort();
  };

  const desk = createDesk({ store, rules: RULES, onEvents, perform });
  const link = createInProcessLink(desk, run, vault);
  const mask = createSecretMask(desk, run, vault, env);
  const reminders = createReminders(now, (timer) => {
    desk.handleOnce(run, { type: 'timer', at: now().toISOString(), timer }).catch(fail);
  });
  const conversation = createConversation({
    run,
    desk,
    vault,
    screen,
    answers,
    stateDir: file.state_dir,
    savedEdits: () => savedEdits(runDir),
    now,
    agentProblem: (name) =>
      file.agents[name] || agentNamed(name) ? agentProblem(name, file.agents, { worktree, env }) : undefined,
    whenHeard: (name) =>
      !file.agents[name] && agentNamed(name)?.encodeMessage
        ? '  The agent reads it now.'
        : '  The agent reads it when its turn ends.',
    isOver: () => parking.signal.aborted,
    onNobody: () => parking.abort(),
    onFailure: fail,
  });

  function onEvents(events: RunEvent[], state: RunState): void {
    for (const event of events) screen.event(event, state);
    link.changed();
  }

  async function perform(effect: Effect, state: RunState): Promise<void> {
    switch (effect.type) {
      case 'ask': {
        const asked = state.escalations.find(({ id }) => id === effect.escalation);
        // The agent's own report is saved by an effect of its own.
        if (asked && !asked.blocked_report) complain(await saveReportOf(asked, state, file));
        return conversation.ask(effect.escalation);
      }
      case 'reply':
        // The end of the run says how to resume it.
        return isInterrupted ? undefined : screen.reply(effect.reply, state);
      case 'show_review':
        return screen.review(state, effect.escalation);
      case 'notify':
        if (effect.reminder > 0) screen.reminder(state, effect.escalation, effect.reminder);
        return;
      case 'set_timer':
        return reminders.set(effect.timer, effect.at);
      case 'clear_timer':
        return reminders.clear(effect.timer);
      case 'save_blocked_report':
        return complain(await saveBlockedReport(effect.report, state, file));
      case 'forget_inputs':
        return vault.forget(run);
      // The screen shows the status and every event, and the loop below is the job.
      case 'update_status':
      case 'show_receipt':
      case 'close_question':
      case 'dispatch_job':
      case 'stop_job':
        return;
      case 'collect_revision':
        await desk.handleOnce(run, roundInput(state, file, runDir, now().toISOString()));
        return;
      // These happen on GitHub alone.
      case 'react':
      case 'delete_comment':
      case 'dispatch_verification':
      case 'stop_verification':
      case 'publish':
      case 'run_ci':
      case 'describe_pull':
      case 'show_ci':
      case 'answer_remarks':
      case 'settle_pull':
        return;
      default:
        // A new effect does not compile until it has a case above.
        return effect satisfies never;
    }
  }

  function complain(problem: string | undefined): void {
    if (problem !== undefined) screen.note(mask.clean(problem));
  }

  async function interrupt(count: number): Promise<void> {
    isInterrupted = true;
    const state = await desk.state(run);
    if (count > 1) screen.note('Cancelling.');
    else screen.note('Pausing. Ctrl-C again cancels the run.');
    // An open question stays open, because parking is not an answer.
    if (count > 1) await conversation.command({ name: 'cancel' }, 'terminal');
    else if (!state.pending) await conversation.command({ name: 'pause' }, 'terminal');
    parking.abort();
  }

  try {
    await begin(desk);
    context.onInterrupt((count) => void interrupt(count).catch(fail));
    context.typing?.onLine((line) => {
      typing = typing.then(() => conversation.typed(line)).catch(fail);
    });
    // A run that an answer has just ended still needs its job, which clears what a killed one left.
    const begun = await desk.state(run);
    if (begun.status === 'reviewing') return begun;
    context.typing?.open();
    const { task, jobs } = await desk.state(run);
    const stateDir = stateDirOf(worktree, file.state_dir, task.id);
    if (jobs === 0) await makeStateDir(worktree, file.state_dir, task.id);
    const workspace = await openWorkspace({
      worktree,
      gitDir: join(runDir, 'git'),
      stateDir: file.state_dir,
      path: env.PATH,
    });
    // Taken before any agent has run, for `diff` and `undo`.
    if (jobs === 0) home.saveRun({ ...file, snapshot: workspace.base(), special: await workspace.special() });
    const agentConfig = await openAgentConfig(workspace, join(runDir, 'agent-config'));
    const box = openBoxFor(file, runDir);
    await reopenQuestion(await desk.state(run));
    for (;;) {
      if (await settleRounds()) return await desk.state(run);
      if (isRoundNew(await desk.state(run))) await keepEdits(workspace);
      const { tree, aside, sessions } = loadCheckpoint(runDir);
      const end = await runJob({
        brief: briefFor(await desk.state(run)),
        link: mask.wrap(link),
        workspace,
        stateDir,
        runDir,
        aside,
        agentConfig,
        lastTree: tree,
        // Agents of the config take precedence over built-in ones.
        agentFor: (name) => (file.agents[name] ? commandAgent(name, file.agents[name]) : agentNamed(name)),
        hookFor: (agent) => [...context.self, 'hook', agent],
        sessions,
        agentEnv: agentEnvironment(env),
        checkEnv: markChecks(scrubEnv(env, []), run),
        box,
        checkBox: checkBoxOf(box, file.check_isolation),
        settings: {
          holdMs: Number.POSITIVE_INFINITY,
          turnMs: file.turn_minutes * 60_000,
          checkMs: file.check_minutes * 60_000,
          tickMs: TICK_MS,
          graceMs: GRACE_MS,
          junit: file.junit,
          useCgroup: true,
        },
        now,
        parking: parking.signal,
        onProgress(progress) {
          const shown = shownProgress(progress);
          if (shown) screen.progress(mask.clean(shown));
        },
      });
      if (failure) throw failure;
      if (end === 'handed_over') continue;
      // Everything up to here is the run's. Changes after it are somebody else's, and `undo` asks about them.
      saveCheckpoint(
        { runDir },
        {
          tree: await workspace.snapshot().catch(() => tree),
          special: await workspace.special().catch(() => undefined),
        },
      );
      // A line that was sent at the last moment may have begun a round.
      const unsent = context.typing?.pause() ?? '';
      await typing;
      const state = await desk.state(run);
      if (end === 'finished' && isUnderWay(state)) {
        context.typing?.open();
        continue;
      }
      if (unsent.trim() !== '') screen.note(`Not sent: ${describeTypedAhead(unsent)}`);
      if (!isUnderWay(state)) await restConversations(runDir, state);
      return state;
    }
  } finally {
    context.typing?.close();
    answers.close();
    reminders.clearAll();
    store.close();
  }

  /** Nothing is left to do in this process: the run is done, or nobody answered whether it may have more rounds. */
  async function isOver(): Promise<boolean> {
    const state = await desk.state(run);
    return !isUnderWay(state) || (isAtRest(state) && parking.signal.aborted);
  }

  /** V-1: once the rounds are used up a person is asked. No job waits together with that question. True: nothing is left to do. */
  async function settleRounds(): Promise<boolean> {
    const state = await desk.state(run);
    if (!isAtRest(state) || !state.pending) return false;
    const givenUp = new Promise<void>((resolve) => {
      if (parking.signal.aborted) resolve();
      parking.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([conversation.settled(), givenUp]);
    if (failure) throw failure;
    return isOver();
  }

  async function keepEdits(workspace: Workspace): Promise<void> {
    const edited = await takeEdits(run, context, workspace);
    if (edited === 0) return;
    screen.note(
      `  ${count(edited, 'file')} changed since the last round: kept, and not counted as the agent's`,
    );
  }

  /** The process before this one may have been killed between asking the question and saving its report or timer. */
  async function reopenQuestion(state: RunState): Promise<void> {
    const open = pendingEscalation(state);
    if (!open) return;
    complain(await saveReportOf(open, state, file));
    reminders.set(`reminder:${open.id}`, reminderTime(state, open, now().toISOString()));
    conversation.ask(open.id);
  }
}

/** Content that exists before any agent ran belongs to the user and is not replaced. */
async function makeStateDir(worktree: string, stateDir: string, taskId: string): Promise<void> {
  try {
    await openStateDir({ worktree, stateDir, taskId });
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    throw userError('state_dir_unusable', { directory: stateDir, problem: (cause as Error).message });
  }
}

/** The journals and values of all runs are hidden. At a terminal the rest of the machine stays as the agent knows it. */
function openBoxFor({ worktree, isolation }: RunFile, runDir: string): Box {
  try {
    return openJobBox({ worktree, runDir, mode: isolation ?? 'best', hidden: [dirname(runDir)] });
  } catch (error) {
    if (error instanceof BoxRefusedError) throw userError('box_refused', { problem: error.message });
    throw error;
  }
}

function openStore(runDir: string): ReturnType<typeof openFileStore> {
  const explain = (error: unknown): never => {
    if (error instanceof JournalError) throw userError('journal_damaged', { problem: error.message });
    throw error;
  };
  try {
    const store = openFileStore(runDir);
    return {
      ...store,
      load: (run) => store.load(run).catch(explain),
      commit: (...args) => store.commit(...args).catch(explain),
    };
  } catch (error) {
    return explain(error);
  }
}
