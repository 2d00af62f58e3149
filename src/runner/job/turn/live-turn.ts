import type { Agent } from '../../../agents/agent.ts';
import type { AgentEvent } from '../../../core/contracts/agent/agent-event.ts';
import type { KeyCustody } from '../../../core/contracts/key-custody.ts';
import type { Orders } from '../../../core/contracts/orders.ts';
import {
  blockerOf,
  describeEnd,
  describeTimeLimit,
  type Ended,
  isFailedEnd,
  unstartable,
} from '../../agent/agent-end.ts';
import type { WriteGuard } from '../../gate/write-guard.ts';
import type { parseHelpRequest } from '../../output/help-request.ts';
import type { AgentExit } from '../../process/supervise.ts';
import { missingSecrets } from '../actions-secrets.ts';
import { forgetSession, isFullAgain, keepToldAnswers } from '../agent-sessions.ts';
import { isNearTimeLimit, type Job, type WorkOrders } from '../job.ts';
import { measureMidTurn } from '../measure-changes.ts';
import { noteRateLimit } from '../rate-limit.ts';
import { isWaitingForAnswer, waitForAnswer } from '../wait-for-answer.ts';
import { AnswerDelivery } from './answer-delivery.ts';
import type { RunningAgent } from './running-agent.ts';
import { openInputs, writeInputs } from './turn-files.ts';
import { isApproval } from './turn-limits.ts';
import { TurnQueue } from './turn-queue.ts';

export interface AgentEnding {
  exit: string;
  failed: boolean;
  /** The end of its stderr, if it failed. */
  words?: string;
  /** True if it neither said nor did anything. */
  silent?: boolean;
}

/** How one invocation of the agent ended. */
export type TurnOutcome =
  | ({ kind: 'ended' } & AgentEnding)
  /** Ended for an answer: the same turn starts again with it. */
  | { kind: 'again' }
  | { kind: 'park' }
  | { kind: 'stop' }
  /** Near the job's own time limit: a successor continues. */
  | { kind: 'hand_over' };

type ReadHelp = ReturnType<typeof parseHelpRequest>;

/** Decides what happens to the agent while it runs: freezes it when a guard trips, asks the desk, and obeys the orders. */
export class LiveTurn {
  readonly #job: Job;
  readonly #adapter: Agent;
  readonly #queue: TurnQueue;
  readonly #answers: AnswerDelivery;
  readonly #startedAt: number;
  #orders: WorkOrders;
  #agent: RunningAgent | undefined;
  #writes: WriteGuard | undefined;
  #outcome: TurnOutcome | undefined;
  #isClockQueued = false;

  constructor(job: Job, orders: WorkOrders, adapter: Agent) {
    this.#job = job;
    this.#orders = orders;
    this.#adapter = adapter;
    this.#startedAt = job.stopwatch.ms();
    // A bug or a lost link must not leave the agent running unwatched.
    this.#queue = new TurnQueue(async () => this.#agent?.killAtOnce());
    this.#answers = new AnswerDelivery(job, (work) => this.enqueue(work));
  }

  enqueue(work: () => Promise<void>): void {
    this.#queue.add(work);
  }

  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** The current orders: answers change limits and approvals in the middle of a turn. */
  get orders(): WorkOrders {
    return this.#orders;
  }

  /** Reports the turn and the answers it starts with, so that the journal has them before the agent starts. */
  async announce(keys?: KeyCustody): Promise<void> {
    const { kind, resumed, turn } = this.#orders;
    this.#job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
    await this.#job.claim('turn_started', { kind, resumed, keys });
    await this.#deliverAnswers();
  }

  async run(
    agent: RunningAgent,
    writes: WriteGuard,
    onExit: (exit: AgentExit) => void,
  ): Promise<TurnOutcome> {
    const { settings, stopwatch, parking } = this.#job;
    this.#agent = agent;
    this.#writes = writes;
    stopwatch.start();
    const timer = setInterval(() => this.#tick(), settings.tickMs);
    const park = () => void this.end({ kind: 'park' });
    parking.addEventListener('abort', park, { once: true });
    if (parking.aborted) park();
    try {
      const exit = await agent.exited;
      agent.noteExit();
      onExit(exit);
      await this.#queue.drain();
      if (!exit.started) this.#noteUnstartable(exit.problem);
      const { reportedEnd } = agent;
      const failed = isFailedEnd(exit, reportedEnd);
      return this.#outcome ?? { kind: 'ended', exit: describeEnd(exit, reportedEnd), failed };
    } finally {
      clearInterval(timer);
      agent.stopLingering();
      parking.removeEventListener('abort', park);
      stopwatch.stop();
    }
  }

  async end(outcome: TurnOutcome): Promise<void> {
    if (this.#outcome) return;
    this.#outcome = outcome;
    await this.#agent?.stop({ resumable: outcome.kind === 'again' || outcome.kind === 'park' });
  }

  /** Matches the agent's first sign of life with the answers it was given. */
  acknowledge(event: AgentEvent): void {
    this.#answers.acknowledge(event);
  }

  /** Freezes the agent and asks, if a guard has tripped. After the agent's exit, the claim that ends the turn asks instead. */
  async stopIfTripped(options: { alsoAfterExit?: boolean } = {}): Promise<void> {
    const job = this.#job;
    const agent = this.#agent;
    if (this.#outcome || !agent || (agent.hasExited && !options.alsoAfterExit)) return;
    if (job.meter.tripped().length === 0) return;
    job.stopwatch.stop();
    const freezing = agent.freeze();
    // An agent without a gate may have written more files before it was frozen. They belong to the question.
    if (job.meter.tripped().some(({ evidence }) => evidence.proposed?.some((write) => !write.held))) {
      await freezing;
      await this.#writes?.check();
    }
    const [frozen, orders] = await Promise.all([
      freezing,
      job.claim('tripped', { usage: job.usage.total(), measured: job.meter.measured() }),
    ]);
    if (orders.do !== 'wait') return this.#obey(orders);
    const { processes, ms } = frozen;
    // Measured after the claim, so that the question does not wait for it.
    const changes = await measureMidTurn(job, this.#orders);
    await job.claim('agent_frozen', { escalation: orders.escalation, processes, ms, changes });
    const onDeath = () => agent.noteExit();
    await this.#obey(await waitForAnswer(job, agent, { alive: processes > 0, onDeath }));
  }

  /** Freezes first and reads second, because parsing a hostile block must not give the agent time. */
  async askForHelp(read: () => ReadHelp): Promise<void> {
    if (this.#outcome) return;
    const { meter } = this.#job;
    const { turn } = this.#orders;
    this.#agent?.noteHelpAsked();
    await this.#agent?.freeze();
    // Files written just before count in the question's figures.
    await this.#writes?.checkIfDue();
    const help = read();
    meter.observe(
      help.ok
        ? { type: 'help_requested', turn, help: help.request }
        : { type: 'help_requested', turn, raw: help.raw, problem: help.problem },
    );
    if (meter.tripped().length === 0) await this.#agent?.thaw();
    else await this.stopIfTripped({ alsoAfterExit: true });
  }

  /** Handles the agent's own report that its turn is over, unless the agent was active again since. */
  async handleReportedEnd(ended: Ended): Promise<void> {
    if (this.#agent?.reportedEnd !== ended) return;
    const job = this.#job;
    if (ended.reason === 'no_session') {
      job.sessionLostIn = this.#orders.turn;
      forgetSession(job, this.#adapter.name, 'lost');
      return this.end({ kind: 'again' });
    }
    if (isFullAgain(job, this.#adapter.name, ended)) {
      forgetSession(job, this.#adapter.name, 'full');
      return this.end({ kind: 'again' });
    }
    noteRateLimit(job, this.#adapter.name, ended);
    this.#agent.expectExit();
    const blocker = blockerOf(ended, this.#adapter, this.#orders.turn, job.now().toISOString());
    if (!blocker) return;
    job.meter.observe(blocker);
    // Also if it has exited already, because the checks at the end of the turn would only delay the question.
    await this.stopIfTripped({ alsoAfterExit: true });
  }

  async #obey(orders: Orders): Promise<void> {
    if (orders.do === 'stop') return this.end({ kind: 'stop' });
    if (orders.do !== 'work') return this.end({ kind: 'park' });
    const agent = this.#agent;
    const waiting = this.#orders.turn === orders.turn && isWaitingForAnswer(this.#job, this.#adapter);
    this.#job.applyOrders(orders);
    this.#orders = orders;
    const words = instructionsIn(orders);
    const mustEnd = orders.answers.some((answer) => answer.ends_turn || answer.agent_changed);
    if (!agent?.canHear || mustEnd) return this.end({ kind: 'again' });
    // Actions secrets are passed to a job when it starts, so only the next job can have these.
    if (missingSecrets(this.#job, orders).length > 0) return this.end({ kind: 'again' });
    if (words.length > 0 && !waiting && !this.#adapter.encodeMessage) return this.end({ kind: 'again' });
    await writeInputs(this.#job, orders, await openInputs(this.#job, orders));
    await this.#writes?.settle(words.at(-1) || 'a person decided against this change', {
      approved: isApproval(orders),
    });
    if (words.length > 0 && this.#adapter.encodeMessage && !agent.send(words))
      return this.end({ kind: 'again' });
    agent.noteAnswered();
    if (words.length > 0) keepToldAnswers(this.#job, this.#adapter.name, orders.guidance);
    await this.#deliverAnswers();
    await agent.thaw();
    this.#job.stopwatch.start();
  }

  #tick(): void {
    if (this.#isClockQueued || this.#outcome) return;
    this.#isClockQueued = true;
    this.enqueue(async () => {
      await this.#onClock();
      this.#isClockQueued = false;
    });
  }

  async #onClock(): Promise<void> {
    const { stopwatch, settings, meter, link } = this.#job;
    if (this.#outcome || this.#agent?.hasExited) return;
    const active = stopwatch.ms();
    meter.observe({ type: 'clock', active_ms: active });
    if (active - this.#startedAt >= settings.turnMs) {
      return this.end({ kind: 'ended', exit: describeTimeLimit(settings.turnMs), failed: true });
    }
    if (isNearTimeLimit(this.#job)) return this.end({ kind: 'hand_over' });
    const orders = await link.orders();
    if (orders.do === 'stop' || orders.do === 'park') return this.#obey(orders);
    if (orders.do === 'work' && orders.limits_rev > this.#orders.limits_rev) {
      if (orders.answers.some((answer) => answer.ends_turn)) return this.#obey(orders);
      this.#job.applyOrders(orders);
      await this.#passOn(orders);
    }
    await this.stopIfTripped();
  }

  /** New limits apply at once. Unsolicited words go to an agent that reads messages; others get them with the next turn. */
  async #passOn(orders: WorkOrders): Promise<void> {
    const words = instructionsIn(orders);
    const sent = words.length > 0 && this.#agent?.canHear === true && this.#agent.send(words);
    if (sent) keepToldAnswers(this.#job, this.#adapter.name, orders.guidance);
    this.#orders = { ...orders, answers: sent ? orders.answers : [] };
    await this.#deliverAnswers();
  }

  async #deliverAnswers(): Promise<void> {
    await this.#answers.deliver(this.#orders.answers);
    this.#orders = { ...this.#orders, answers: [] };
  }

  #noteUnstartable(problem: string): void {
    const { meter, now } = this.#job;
    meter.observe(unstartable(this.#adapter.name, problem, this.#orders.turn, now().toISOString()));
  }
}

function instructionsIn({ answers }: WorkOrders): string[] {
  return answers.map((answer) => answer.instruction).filter(Boolean);
}
