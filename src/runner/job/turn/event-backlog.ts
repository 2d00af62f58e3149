import type { AgentEvent } from '../../../core/contracts/agent/agent-event.ts';

/** Above this many unhandled events the agent blocks on its full pipe; below the other it runs again. */
const MOST_EVENTS = 1_000;
const FEW_EVENTS = 100;
/** The clock and a person's answer are handled after at most this many events. */
const EVENTS_AT_A_TIME = 100;

interface BacklogOptions {
  handle(event: AgentEvent): Promise<void>;
  /** Events share the turn's queue with everything else that happens in it. */
  enqueue(work: () => Promise<void>): void;
  /** Once true, events are dropped. */
  isOver(): boolean;
  output: { pauseOutput(): void; resumeOutput(): void };
}

/** A bounded number of the agent's events, handled in order. */
export class EventBacklog {
  readonly #options: BacklogOptions;
  #events: AgentEvent[] = [];
  #isHandling = false;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  add(event: AgentEvent): void {
    if (this.#options.isOver()) return;
    this.#events.push(event);
    if (this.#events.length > MOST_EVENTS) this.#options.output.pauseOutput();
    if (!this.#isHandling) this.#handleSome();
  }

  #handleSome(): void {
    const { handle, enqueue, isOver, output } = this.#options;
    this.#isHandling = true;
    enqueue(async () => {
      for (const event of this.#events.splice(0, EVENTS_AT_A_TIME)) {
        if (isOver()) break;
        await handle(event);
      }
      if (isOver()) this.#events = [];
      if (this.#events.length < FEW_EVENTS) output.resumeOutput();
      if (this.#events.length > 0) this.#handleSome();
      else this.#isHandling = false;
    });
  }
}
