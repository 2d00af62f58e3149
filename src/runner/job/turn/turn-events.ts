import type { Agent } from '../../../agents/agent.ts';
import type { Told } from '../../../agents/told.ts';
import type { AgentEvent } from '../../../core/contracts/agent/agent-event.ts';
import type { WriteGuard } from '../../gate/write-guard.ts';
import { createActionReader } from '../../output/read-action.ts';
import { isLostSession, keepSession, keepTold } from '../agent-sessions.ts';
import type { Job } from '../job.ts';
import { countUsage, saveUsage } from './count-usage.ts';
import { EventBacklog } from './event-backlog.ts';
import type { LiveTurn } from './live-turn.ts';
import type { RunningAgent } from './running-agent.ts';
import { actionContextOf } from './turn-limits.ts';

interface EventTargets {
  job: Job;
  adapter: Agent;
  live: LiveTurn;
  agent: RunningAgent;
  writes: WriteGuard;
  /** Whether this start resumed a conversation. */
  resumed: boolean;
  /** The facts that this start gives the agent. */
  tells: Told;
}

/** Handles each event of the agent in two steps: at once what must not be lost, and in the turn's order what may stop the agent. */
export class TurnEvents {
  readonly #targets: EventTargets;
  readonly #turn: number;
  readonly #backlog: EventBacklog;
  readonly #actions = createActionReader();
  #hasHeard = false;

  constructor(targets: EventTargets) {
    const { live, agent } = targets;
    this.#targets = targets;
    this.#turn = live.orders.turn;
    this.#backlog = new EventBacklog({
      handle: (event) => this.#handle(event),
      enqueue: (work) => live.enqueue(work),
      isOver: () => live.isOver,
      output: agent,
    });
  }

  receive(reported: AgentEvent): void {
    const { job, adapter, live, agent } = this.#targets;
    const event = this.#withoutFalseLoss(reported);
    job.onProgress({ type: 'agent', event });
    live.acknowledge(event);
    // Conversation and usage are kept at once, because they are real however the turn ends.
    if (event.type === 'session' && adapter.sessionFiles) keepSession(job, adapter.name, event.id);
    if (event.type === 'text' || event.type === 'tool_started') this.#noteActivity();
    if (event.type === 'usage') countUsage(job, adapter.name, this.#turn, event);
    if (event.type === 'ended') agent.noteReportedEnd(event);
    if (event.type !== 'text') this.#backlog.add(event);
  }

  #noteActivity(): void {
    const { job, adapter, agent, tells } = this.#targets;
    agent.noteActivity();
    job.activeAgents.add(adapter.name);
    if (!this.#hasHeard) keepTold(job, adapter.name, tells);
    this.#hasHeard = true;
  }

  async #handle(event: AgentEvent): Promise<void> {
    const { job, live, writes } = this.#targets;
    if (event.type === 'tool_started' || event.type === 'action') await writes.endStartup();
    if (event.type === 'ended') await live.handleReportedEnd(event);
    if (event.type === 'usage') saveUsage(job);
    await this.#measureAction(event);
    await live.stopIfTripped();
  }

  async #measureAction(event: AgentEvent): Promise<void> {
    const { job, adapter, live, writes } = this.#targets;
    const action = this.#actions.read(event, actionContextOf(job, live.orders));
    if (!action) return;
    const mayWrite = action.kind !== 'read' && action.kind !== 'search';
    // An agent with a gate edited a file without asking: the edit is reverted, and a person is asked.
    if (adapter.hook && action.kind === 'edit' && action.ok) await writes.revertUnasked(action.paths);
    if (mayWrite) await writes.checkIfDue();
    job.meter.observe(action);
    // A change that `checkIfDue` skipped may be the progress that a guard misses.
    if (mayWrite && job.meter.tripped().length > 0) await writes.check();
  }

  /** Only a start that resumed a conversation can lose it. For any other, "no such conversation" is a failure, which counts. */
  #withoutFalseLoss(event: AgentEvent): AgentEvent {
    const { job, resumed } = this.#targets;
    const isLoss = event.type === 'ended' && event.reason === 'no_session';
    return isLoss && !isLostSession(job, this.#turn, resumed) ? { ...event, reason: 'failed' } : event;
  }
}
