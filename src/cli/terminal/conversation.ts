import { type Command, showCommand } from '../../core/contracts/command.ts';
import { pendingEscalation } from '../../core/contracts/run-state.ts';
import type { Desk } from '../../core/decide/desk.ts';
import type { UserError } from '../../core/error-catalogue.ts';
import type { Vault } from '../../core/ports/ports.ts';
import { sealCommand } from '../../core/secrets/seal-command.ts';
import { suggestPaths } from '../../core/work/approval-line.ts';
import { type AnswerSource, readTyped } from './answer-source.ts';
import type { Screen } from './screen.ts';

interface Conversation {
  /** A question that is repeated after a partial answer does not start a second conversation. */
  ask(escalation: string): void;
  /** A command of the person at the terminal, whether it answers a question or not. */
  command(command: Command, via: 'terminal' | 'answer_flag'): Promise<void>;
  /** A line typed while no question was on the screen. It never answers one. */
  typed(line: string): Promise<void>;
  /** Resolves when no question is being asked any more. */
  settled(): Promise<void>;
}

/** Asks and reads answers until one resolves the question or nobody is there. */
export function createConversation(options: {
  run: string;
  desk: Desk;
  vault: Vault;
  screen: Screen;
  answers: AnswerSource;
  stateDir: string;
  /** Where the copies of reverted edits are, by path. */
  savedEdits?(): Readonly<Record<string, string>>;
  now(): Date;
  /** The reason why this machine cannot run that agent. */
  agentProblem(name: string): UserError | undefined;
  /** When that agent reads guidance that is sent while it works. */
  whenHeard(agent: string): string;
  isOver(): boolean;
  onNobody(): void;
  onFailure(error: unknown): void;
}): Conversation {
  const { run, desk, vault, screen, answers } = options;
  let talking: Promise<void> = Promise.resolve();
  let asked: string | undefined;

  async function command(given: Command, via: 'terminal' | 'answer_flag'): Promise<void> {
    const sealed = await sealCommand(vault, run, given);
    const at = options.now().toISOString();
    await desk.handleOnce(run, { type: 'command', at, command: sealed, by: screen.user, via });
  }

  async function typed(line: string): Promise<void> {
    const read = readTyped(line);
    if (read.kind === 'nothing') return;
    const state = await desk.state(run);
    if (read.kind === 'problem') {
      const suggestion = read.isPlain
        ? `/guide ${line.trim()}`
        : suggestPaths(read, pendingEscalation(state));
      return screen.reply({ tone: 'refused', title: `Nothing changed: ${read.problem}`, suggestion }, state);
    }
    const problem = problemOf(read.command);
    if (problem)
      return screen.reply(
        { tone: 'refused', title: `Nothing changed: ${problem.message}`, detail: problem.remedy },
        state,
      );
    const sealed = await sealCommand(vault, run, read.command);
    const at = options.now().toISOString();
    const input = {
      type: 'command' as const,
      at,
      command: sealed,
      by: screen.user,
      via: 'terminal' as const,
    };
    if (await desk.handleUnlessAsked(run, input)) {
      if (read.command.name === 'guide' && state.job_live) screen.note(options.whenHeard(state.agent));
    } else screen.note('Ignored: a question came up first. Read it, then answer.');
  }

  /**
   * Checked before the answer closes the question, because a run cannot continue with an agent that has no program or
   * key.
   */
  function problemOf(given: Command): UserError | undefined {
    return given.name === 'continue' && given.agent !== undefined
      ? options.agentProblem(given.agent)
      : undefined;
  }

  async function talk(id: string): Promise<void> {
    for (let shown = false; ; shown = true) {
      const state = await desk.state(run);
      const escalation = pendingEscalation(state);
      if (escalation?.id !== id || options.isOver()) return;
      if (!shown) screen.ask(state, escalation, options.stateDir, options.savedEdits?.());
      const answer = await answers.next(escalation, new Set(Object.keys(state.given)));
      if (options.isOver()) return;
      if (answer.kind === 'none') return options.onNobody();
      if (answer.kind === 'nothing') continue;
      if (answer.kind === 'problem') {
        const title = `Nothing changed: ${answer.problem}`;
        screen.reply({ tone: 'refused', title, suggestion: suggestPaths(answer, escalation) }, state);
        continue;
      }
      if (answer.via === 'answer_flag') screen.note(`> ${showCommand(answer.command)}`);
      const problem = problemOf(answer.command);
      if (problem) {
        const { message, remedy } = problem;
        screen.reply({ tone: 'refused', title: `Nothing changed: ${message}`, detail: remedy }, state);
        continue;
      }
      await command(answer.command, answer.via);
    }
  }

  return {
    command,
    typed,
    settled: () => talking,
    ask(escalation) {
      if (asked === escalation) return;
      asked = escalation;
      talking = talking.then(() => talk(escalation)).catch(options.onFailure);
    },
  };
}
