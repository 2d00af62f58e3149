import type { Agent } from '../../agents/agent.ts';
import type { AgentEvent } from '../../core/contracts/agent-event.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import {
  blockerOf,
  describeEnd,
  describeTimeLimit,
  type Ended,
  isFailedEnd,
  unstartable,
} from '../agent/agent-end.ts';
import type { WriteGuard } from '../gate/write-guard.ts';
import type { parseHelpRequest } from '../output/help-request.ts';
import type { AgentExit, Supervised } from '../process/supervise.ts';
import { secretsLacking } from './actions-secrets.ts';
import { forgetSession } from './agent-sessions.ts';
import { AnswerDelivery } from './answer-delivery.ts';
import { EventBacklog } from './event-backlog.ts';
import { isNearTimeLimit, type Job, type WorkOrders } from './job.ts';
import { letFinish } from './let-finish.ts';
import { measureMidTurn } from './measure-changes.ts';
import { openInputs, writeInputs } from './turn-files.ts';
import { isApproval } from './turn-limits.ts';
import { isWaitingForAnswer, waitForAnswer } from './wait-for-answer.ts';

/** How a turn's invocation came to its end. */
export type TurnOutcome =
  | { kind: 'ended'; exit: string; failed: boolean }
  /** Ended for an answer: the same turn starts anew with it. */
  | { kind: 'again' }
  | { kind: 'park' }
  | { kind: 'stop' }
  /** Near the job's own time limit: a successor goes on. */
  | { kind: 'hand_over' };

type ReadHelp = ReturnType<typeof parseHelpRequest>;

/** An agent that has said its last word has this long to leave. */
const LINGER_MS = 5_000;

/** The agent while it runs: everything that happens is handled one after the other, and a trip stops the line. */
export class LiveTurn {
  readonly #job: Job;
  #orders: WorkOrders;
  readonly #adapter: Agent;
  #queue: Promise<void> = Promise.resolve();
  #agent: Supervised | undefined;
  #writes: WriteGuard | undefined;
  #outcome: TurnOutcome | undefined;
  #agentEnded = false;
  #ticking = false;
  readonly #answers: AnswerDelivery;
  readonly #backlog: EventBacklog;
  readonly #startedAt: number;
  #failure: unknown;
  /** Its last word so far: an agent that was told something afterwards goes on. */
  #ended: Ended | undefined;
  #told = false;
  /** It printed a help block that is not answered yet. */
  #asked = false;
  /** Its stdin is closed: it hears nothing more. */
  #leaving = false;
  #lingering: NodeJS.Timeout | undefined;

  constructor(job: Job, orders: WorkOrders, adapter: Agent) {
    this.#job = job;
    this.#orders = orders;
    this.#adapter = adapter;
    this.#startedAt = job.stopwatch.ms();
    this.#answers = new AnswerDelivery(job, (work) => this.enqueue(work));
    this.#backlog = new EventBacklog({
      enqueue: (work) => this.enqueue(work),
      isOver: () => this.#outcome !== undefined,
      pauseOutput: () => this.#agent?.pauseOutput(),
      resumeOutput: () => this.#agent?.resumeOutput(),
    });
  }

  enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch(async (error: unknown) => {
      // A bug or a dead link: the agent must not run on unwatched.
      this.#failure ??= error;
      await this.#agent?.kill({ graceMs: 0 });
    });
  }

  /** What an event says of the agent's life is known at once; the rest is handled in order. */
  takeEvent(event: AgentEvent, handle: (event: AgentEvent) => Promise<void>): void {
    if (event.type === 'ended') this.#ended = event;
    this.#backlog.take(event, handle);
  }

  /** It is at work: what it said of its end before is out of date. */
  noteLife(): void {
    this.#ended = undefined;
    clearTimeout(this.#lingering);
  }

  /** As they are now: answers change limits and approvals in the middle of a turn. */
  get orders(): WorkOrders {
    return this.#orders;
  }

  /** The turn and the answers it starts with are in the journal before the agent is. */
  async announce(): Promise<void> {
    const { kind, resumed, turn } = this.#orders;
    this.#job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
    await this.#job.say('turn_started', { kind, resumed });
    await this.#deliverAnswers();
  }

  async #deliverAnswers(): Promise<void> {
    await this.#answers.deliver(this.#orders.answers);
    this.#orders = { ...this.#orders, answers: [] };
  }

  acknowledge(event: AgentEvent): void {
    this.#answers.acknowledge(event);
  }

  async run(
    agent: Supervised,
    writes: WriteGuard,
    onOutputEnd: (exit: AgentExit) => void,
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
      this.#agentEnded = true;
      onOutputEnd(exit);
      await this.#drain();
      if (this.#failure) throw this.#failure;
      if (!exit.started) this.#noteUnstartable(exit.problem);
      const failed = isFailedEnd(exit, this.#ended);
      return this.#outcome ?? { kind: 'ended', exit: describeEnd(exit, this.#ended), failed };
    } finally {
      clearInterval(timer);
      clearTimeout(this.#lingering);
      parking.removeEventListener('abort', park);
      stopwatch.stop();
    }
  }

  #noteUnstartable(problem: string): void {
    const { meter, now } = this.#job;
    meter.observe(unstartable(this.#adapter.name, problem, this.#orders.turn, now().toISOString()));
  }

  /** Work that is queued may queue more. */
  async #drain(): Promise<void> {
    for (let seen = this.#queue; ; seen = this.#queue) {
      await seen;
      if (seen === this.#queue) return;
    }
  }

  async end(outcome: TurnOutcome): Promise<void> {
    if (this.#outcome) return;
    this.#outcome = outcome;
    const goesOn = outcome.kind === 'again' || outcome.kind === 'park';
    if (goesOn && this.#asked && !this.#adapter.readsInputs && this.#agent) await letFinish(this.#agent);
    await this.#agent?.kill({ graceMs: this.#job.settings.graceMs });
  }

  /** Freezes the agent and asks, when a guard trips. Once the agent has ended, the end of the turn tells instead. */
  async stopIfTripped(options: { alsoWhenEnded?: boolean } = {}): Promise<void> {
    const job = this.#job;
    const agent = this.#agent;
    if (this.#outcome || !agent || (this.#agentEnded && !options.alsoWhenEnded)) return;
    if (job.meter.tripped().length === 0) return;
    job.stopwatch.stop();
    const freezing = agent.freeze();
    // Without a gate it went on writing until it stood still: that is looked for before anyone is asked.
    if (job.meter.tripped().some(({ evidence }) => evidence.proposed?.some((write) => !write.held))) {
      await freezing;
      await this.#writes?.check();
    }
    const [frozen, orders] = await Promise.all([
      freezing,
      job.say('tripped', { usage: job.usage.total(), measured: job.meter.measured() }),
    ]);
    if (orders.do !== 'wait') return this.#obey(orders);
    const { processes, ms } = frozen;
    // After the question, which does not wait for it.
    const changes = await measureMidTurn(job, this.#orders);
    await job.say('agent_frozen', { escalation: orders.escalation, processes, ms, changes });
    const onDeath = () => {
      this.#agentEnded = true;
    };
    await this.#obey(await waitForAnswer(job, agent, { alive: processes > 0, onDeath }));
  }

  /** Frozen first, read second: a hostile block must not buy the agent time. */
  async askForHelp(read: () => ReadHelp): Promise<void> {
    if (this.#outcome) return;
    const { meter } = this.#job;
    const { turn } = this.#orders;
    this.#asked = true;
    await this.#agent?.freeze();
    // What it wrote just before belongs to the question's figures.
    await this.#writes?.checkIfDue();
    const help = read();
    meter.observe(
      help.ok
        ? { type: 'help_requested', turn, help: help.request }
        : { type: 'help_requested', turn, raw: help.raw, problem: help.problem },
    );
    if (meter.tripped().length === 0) await this.#agent?.thaw();
    else await this.stopIfTripped({ alsoWhenEnded: true });
  }

  /** It says that its turn is over: nothing more comes for it to hear, and it is not waited for long. */
  async noteEnd(ended: Ended): Promise<void> {
    if (this.#ended !== ended) return;
    const job = this.#job;
    if (ended.reason === 'no_session') {
      job.sessionLostIn = this.#orders.turn;
      forgetSession(job, this.#adapter.name);
      return this.end({ kind: 'again' });
    }
    this.#agent?.closeStdin();
    this.#leaving = true;
    clearTimeout(this.#lingering);
    // What it was told last may not have been taken up yet: it leaves by itself once it has.
    if (!this.#told) this.#lingering = setTimeout(() => this.#makeLeave(), LINGER_MS);
    const blocker = blockerOf(ended, this.#adapter.name, this.#orders.turn, job.now().toISOString());
    if (!blocker) return;
    job.meter.observe(blocker);
    // It may be gone already, and the checks would only delay the question.
    await this.stopIfTripped({ alsoWhenEnded: true });
  }

  #makeLeave(): void {
    if (!this.#agent?.frozen) void this.#agent?.kill({ graceMs: this.#job.settings.graceMs });
  }

  async #obey(orders: Orders): Promise<void> {
    if (orders.do === 'stop') return this.end({ kind: 'stop' });
    if (orders.do !== 'work') return this.end({ kind: 'park' });
    const waiting = this.#orders.turn === orders.turn && isWaitingForAnswer(this.#job, this.#adapter);
    this.#job.take(orders);
    this.#orders = orders;
    const words = orders.answers.map((answer) => answer.instruction).filter(Boolean);
    const mustEnd = orders.answers.some((answer) => answer.ends_turn || answer.agent_changed);
    if (this.#agentEnded || this.#leaving || mustEnd) return this.end({ kind: 'again' });
    // What stands in Actions secrets only a job that begins now can have.
    if (secretsLacking(this.#job, orders).length > 0) return this.end({ kind: 'again' });
    if (words.length > 0 && !waiting && !this.#adapter.encodeMessage) return this.end({ kind: 'again' });
    await writeInputs(this.#job, orders, await openInputs(this.#job, orders));
    await this.#writes?.settle(words.at(-1) || 'a person decided against this change', {
      approved: isApproval(orders),
    });
    if (words.length > 0 && this.#adapter.encodeMessage && !this.#tell(words))
      return this.end({ kind: 'again' });
    this.#asked = false;
    await this.#deliverAnswers();
    await this.#agent?.thaw();
    this.#job.stopwatch.start();
  }

  #tick(): void {
    if (this.#ticking || this.#outcome) return;
    this.#ticking = true;
    this.enqueue(async () => {
      await this.#onClock();
      this.#ticking = false;
    });
  }

  async #onClock(): Promise<void> {
    const { stopwatch, settings, meter, link } = this.#job;
    if (this.#outcome || this.#agentEnded) return;
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
      this.#job.take(orders);
      await this.#passOn(orders);
    }
    await this.stopIfTripped();
  }

  /** New limits hold at once. Words that nobody asked for are told to an agent that hears them; others get them with the next turn. */
  async #passOn(orders: WorkOrders): Promise<void> {
    const words = orders.answers.map((answer) => answer.instruction).filter(Boolean);
    const told = words.length > 0 && !this.#leaving && this.#tell(words);
    this.#orders = { ...orders, answers: told ? orders.answers : [] };
    await this.#deliverAnswers();
  }

  /** False when it does not hear them: it never does, or no longer. */
  #tell(words: string[]): boolean {
    const { encodeMessage } = this.#adapter;
    if (!encodeMessage || !this.#agent?.write(encodeMessage(words.join('\n')))) return false;
    this.#told = true;
    this.#ended = undefined;
    return true;
  }
}
