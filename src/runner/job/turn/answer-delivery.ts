import type { AgentEvent } from '../../../core/contracts/agent/agent-event.ts';
import type { Answer } from '../../../core/contracts/answer.ts';
import type { Job } from '../job.ts';

const ACKNOWLEDGEMENT_LENGTH = 300;

/** Reports which answers have reached the agent, and the first thing the agent says or does after them (E-11). */
export class AnswerDelivery {
  readonly #job: Job;
  readonly #enqueue: (work: () => Promise<void>) => void;
  #unacknowledged: string[] = [];

  constructor(job: Job, enqueue: (work: () => Promise<void>) => void) {
    this.#job = job;
    this.#enqueue = enqueue;
  }

  async deliver(answers: readonly Answer[]): Promise<void> {
    for (const answer of answers) {
      await this.#job.claim('answer_delivered', { answer: answer.id });
      if (answer.escalation) this.#unacknowledged.push(answer.escalation);
    }
  }

  acknowledge(event: AgentEvent): void {
    if (this.#unacknowledged.length === 0) return;
    const text = acknowledgementIn(event);
    if (!text) return;
    const escalations = this.#unacknowledged;
    this.#unacknowledged = [];
    this.#enqueue(async () => {
      for (const escalation of escalations) await this.#job.claim('acknowledged', { escalation, text });
    });
  }
}

/** Empty for events that the agent did not cause by saying or doing something. */
function acknowledgementIn(event: AgentEvent): string {
  return wordsOf(event).trim().slice(0, ACKNOWLEDGEMENT_LENGTH);
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
