import type { Agent } from '../agents/agent.ts';
import type { AgentEvent } from '../core/agent-event.ts';
import type { Orders } from '../core/orders.ts';
import { blockerOf, isSoftEnd } from './agent-end.ts';
import type { parseHelpRequest } from './help-request.ts';
import { isNearTimeLimit, type Job, type WorkOrders } from './job.ts';
import type { ActionContext } from './read-action.ts';
import type { AgentExit, Supervised } from './supervise.ts';
import { openInputs, writeInputs } from './turn-files.ts';
import type { WriteGuard, WriteLimits } from './write-guard.ts';

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

type Ended = Extract<AgentEvent, { type: 'ended' }>;

const ACKNOWLEDGEMENT_LENGTH = 300;

/** An agent that has said its last word has this long to leave. */
const LINGER_MS = 5_000;

/** Above this many unhandled events the agent waits at its full pipe; below the other it goes on. */
const MOST_EVENTS = 1_000;
const FEW_EVENTS = 100;
/** The clock and a person's answer get their turn after so many events. */
const EVENTS_AT_A_TIME = 100;

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
  #unacknowledged: string[] = [];
  #events: AgentEvent[] = [];
  #handling = false;
  readonly #startedAt: number;
  #failure: unknown;
  #ended: Ended | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(job: Job, orders: WorkOrders, adapter: Agent) {
    this.#job = job;
    this.#orders = orders;
    this.#adapter = adapter;
    this.#startedAt = job.stopwatch.ms();
  }

  enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch(async (error: unknown) => {
      // A bug or a dead link: the agent must not run on unwatched.
      this.#failure ??= error;
      await this.#agent?.kill({ graceMs: 0 });
    });
  }

  /** Events are handled in order, a bounded number of them waiting. */
  takeEvent(event: AgentEvent, handle: (event: AgentEvent) => Promise<void>): void {
    if (this.#outcome) return;
    this.#events.push(event);
    if (this.#events.length > MOST_EVENTS) this.#agent?.pauseOutput();
    if (!this.#handling) this.#handleSome(handle);
  }

  #handleSome(handle: (event: AgentEvent) => Promise<void>): void {
    this.#handling = true;
    this.enqueue(async () => {
      const some = this.#events.splice(0, EVENTS_AT_A_TIME);
      for (const event of some) {
        if (this.#outcome) break;
        await handle(event);
      }
      if (this.#outcome) this.#events = [];
      if (this.#events.length < FEW_EVENTS) this.#agent?.resumeOutput();
      if (this.#events.length > 0) this.#handleSome(handle);
      else this.#handling = false;
    });
  }

  actionContext(): ActionContext {
    const { brief, workspace, now } = this.#job;
    return {
      turn: this.#orders.turn,
      at: now().toISOString(),
      checks: brief.checks,
      worktree: workspace.worktree,
      knownErrors: brief.known_errors,
    };
  }

  writeLimits(): WriteLimits {
    const { limits, approved_paths, kind } = this.#orders;
    // Nothing of a debugging turn stays, so there is nothing to allow or to ask about.
    if (kind === 'debug') return { maxFiles: 'off', approvedPaths: [], scope: undefined, readOnly: true };
    const maxFiles = limits.files_modified_exceeds;
    return {
      maxFiles: typeof maxFiles === 'number' ? maxFiles : 'off',
      approvedPaths: approved_paths,
      scope: limits.spec_deviation_detected === 'off' ? undefined : this.#job.brief.task.scope,
      readOnly: false,
    };
  }

  /** The turn and the answers it starts with are in the journal before the agent is. */
  async announce(): Promise<void> {
    const { kind, resumed, turn } = this.#orders;
    this.#job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
    await this.#job.say('turn_started', { kind, resumed });
    await this.#deliverAnswers();
  }

  async #deliverAnswers(): Promise<void> {
    for (const answer of this.#orders.answers) {
      await this.#job.say('answer_delivered', { answer: answer.id });
      if (answer.escalation) this.#unacknowledged.push(answer.escalation);
    }
    this.#orders = { ...this.#orders, answers: [] };
  }

  /** The agent's first sign after an answer is its acknowledgement (E-11). */
  acknowledge(event: AgentEvent): void {
    if (this.#unacknowledged.length === 0) return;
    const text = wordsOf(event).trim().slice(0, ACKNOWLEDGEMENT_LENGTH);
    if (!text) return;
    const escalations = this.#unacknowledged;
    this.#unacknowledged = [];
    this.enqueue(async () => {
      for (const escalation of escalations) await this.#job.say('acknowledged', { escalation, text });
    });
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
      const failed = !exit.started || (exit.code !== 0 && !isSoftEnd(this.#ended));
      return this.#outcome ?? { kind: 'ended', exit: describeExit(exit), failed };
    } finally {
      clearInterval(timer);
      clearTimeout(this.#lingering);
      parking.removeEventListener('abort', park);
      stopwatch.stop();
    }
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
    await this.#agent?.kill({ graceMs: this.#job.settings.graceMs });
  }

  /** Freezes the agent and asks, when a guard trips. Once the agent has ended, the end of the turn tells instead. */
  async stopIfTripped(options: { alsoWhenEnded?: boolean } = {}): Promise<void> {
    const job = this.#job;
    const agent = this.#agent;
    if (this.#outcome || !agent || (this.#agentEnded && !options.alsoWhenEnded)) return;
    if (job.meter.tripped().length === 0) return;
    job.stopwatch.stop();
    const measured = job.meter.measured();
    const [frozen, orders] = await Promise.all([
      agent.freeze(),
      job.say('tripped', { usage: job.usage.total(), measured }),
    ]);
    if (orders.do !== 'wait') return this.#obey(orders);
    const { processes, ms } = frozen;
    await job.say('agent_frozen', { escalation: orders.escalation, processes, ms });
    await this.#obey(await this.#waitForAnswer(agent, processes > 0));
  }

  /** Frozen first, read second: a hostile block must not buy the agent time. */
  async askForHelp(read: () => ReadHelp): Promise<void> {
    if (this.#outcome) return;
    const { meter } = this.#job;
    const { turn } = this.#orders;
    await this.#agent?.freeze();
    const help = read();
    meter.observe(
      help.ok
        ? { type: 'help_requested', turn, help: help.request }
        : { type: 'help_requested', turn, raw: help.raw, problem: help.problem },
    );
    if (meter.tripped().length === 0) await this.#agent?.thaw();
    else await this.stopIfTripped({ alsoWhenEnded: true });
  }

  /** It says that its turn is over: one that still listens is told that nothing more comes, and is not waited for long. */
  noteEnd(ended: Ended): void {
    this.#ended = ended;
    const { job, turn } = { job: this.#job, turn: this.#orders.turn };
    if (ended.reason === 'no_session' && job.sessions) delete job.sessions[this.#adapter.name];
    const blocker = blockerOf(ended, this.#adapter.name, turn, job.now().toISOString());
    if (blocker) job.meter.observe(blocker);
    this.#agent?.closeStdin();
    this.#lingering ??= setTimeout(() => {
      if (!this.#agent?.frozen) void this.#agent?.kill({ graceMs: job.settings.graceMs });
    }, LINGER_MS);
  }

  async #waitForAnswer(agent: Supervised, alive: boolean): Promise<Orders> {
    const { link, settings, parking } = this.#job;
    const signals = [parking];
    if (Number.isFinite(settings.holdMs)) signals.push(AbortSignal.timeout(settings.holdMs));
    const hold = AbortSignal.any(signals);
    const death = alive ? agent.exited.then((exit) => ({ died: describeExit(exit) })) : undefined;
    const answer = link.ordersAfterWait(hold);
    const first = await Promise.race(death ? [answer, death] : [answer]);
    if (!('died' in first)) return first;
    // Frozen processes do not end by themselves: someone else killed it (E-13).
    this.#agentEnded = true;
    const orders = await this.#job.say('agent_died', { reason: first.died });
    return orders.do === 'wait' ? this.#waitForAnswer(agent, false) : orders;
  }

  async #obey(orders: Orders): Promise<void> {
    if (orders.do === 'stop') return this.end({ kind: 'stop' });
    if (orders.do !== 'work') return this.end({ kind: 'park' });
    const askedByAgent = this.#orders.turn === orders.turn && this.#agentAsked();
    this.#job.take(orders);
    this.#orders = orders;
    const told = orders.answers.some((answer) => answer.instruction !== '');
    const mustEnd = orders.answers.some((answer) => answer.ends_turn || answer.agent_changed);
    if (this.#agentEnded || mustEnd || (told && !askedByAgent && !this.#adapter.hearsMidTurn)) {
      return this.end({ kind: 'again' });
    }
    await writeInputs(this.#job, orders, await openInputs(this.#job, orders));
    await this.#writes?.settle(orders.answers.at(-1)?.instruction || 'a person decided against this change');
    const words = orders.answers.map((answer) => answer.instruction).filter(Boolean);
    if (words.length > 0 && this.#adapter.say) this.#agent?.write(this.#adapter.say(words.join('\n')));
    await this.#deliverAnswers();
    await this.#agent?.thaw();
    this.#job.stopwatch.start();
  }

  /** It printed a help block, or its edit is held at the gate: either way it waits for just this answer. */
  #agentAsked(): boolean {
    return this.#job.meter
      .tripped()
      .some(
        ({ guard, evidence }) =>
          guard === 'need_help' || evidence.proposed?.some((write) => write.held) === true,
      );
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
      const exit = `stopped at the turn's time limit of ${inWords(settings.turnMs)}`;
      return this.end({ kind: 'ended', exit, failed: true });
    }
    if (isNearTimeLimit(this.#job)) return this.end({ kind: 'hand_over' });
    const orders = await link.orders();
    if (orders.do === 'stop' || orders.do === 'park') return this.#obey(orders);
    if (orders.do === 'work' && orders.limits_rev > this.#orders.limits_rev) {
      if (orders.answers.some((answer) => answer.ends_turn)) return this.#obey(orders);
      // New limits hold at once; words wait for the next turn unless the agent hears them now.
      this.#job.take(orders);
      this.#orders = { ...orders, answers: [] };
    }
    await this.stopIfTripped();
  }
}

function wordsOf(event: AgentEvent): string {
  switch (event.type) {
    case 'text':
      return event.text;
    case 'tool_started':
    case 'action':
      return event.title ?? event.command ?? [event.kind, ...event.paths].join(' ');
    default:
      return '';
  }
}

function inWords(ms: number): string {
  return ms < 60_000 ? `${Number((ms / 1_000).toFixed(1))} s` : `${Math.round(ms / 60_000)} min`;
}

function describeExit(exit: AgentExit): string {
  if (!exit.started) return exit.problem;
  return exit.signal ? `killed by ${exit.signal}` : `exit ${exit.code}`;
}
