import type { AgentEvent } from '../../core/contracts/agent-event.ts';

/** Above this many unhandled events the agent waits at its full pipe; below the other it goes on. */
const MOST_EVENTS = 1_000;
const FEW_EVENTS = 100;
/** The clock and a person's answer get their turn after so many events. */
const EVENTS_AT_A_TIME = 100;

type Handle = (event: AgentEvent) => Promise<void>;

interface BacklogParts {
  /** In line with everything else that happens in the turn. */
  enqueue(work: () => Promise<void>): void;
  /** Nothing more is handled. */
  isOver(): boolean;
  pauseOutput(): void;
  resumeOutput(): void;
}

/** The agent's events that wait to be handled: in order, and a bounded number of them. */
export class EventBacklog {
  readonly #parts: BacklogParts;
  #events: AgentEvent[] = [];
  #handling = false;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  take(event: AgentEvent, handle: Handle): void {
    if (this.#parts.isOver()) return;
    this.#events.push(event);
    if (this.#events.length > MOST_EVENTS) this.#parts.pauseOutput();
    if (!this.#handling) this.#handleSome(handle);
  }

  #handleSome(handle: Handle): void {
    const { enqueue, isOver, resumeOutput } = this.#parts;
    this.#handling = true;
    enqueue(async () => {
      const some = this.#events.splice(0, EVENTS_AT_A_TIME);
      for (const event of some) {
        if (isOver()) break;
        await handle(event);
      }
      if (isOver()) this.#events = [];
      if (this.#events.length < FEW_EVENTS) resumeOutput();
      if (this.#events.length > 0) this.#handleSome(handle);
      else this.#handling = false;
    });
  }
}
