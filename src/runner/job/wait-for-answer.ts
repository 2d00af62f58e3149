import type { Agent } from '../../agents/agent.ts';
import { asksForHelp } from '../../core/contracts/guard.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import { describeExit } from '../agent/agent-end.ts';
import type { Supervised } from '../process/supervise.ts';
import type { Job } from './job.ts';

/** Until a person has answered, the hold time is over, or the run is parked. */
export async function waitForOrders({ link, settings: { holdMs }, parking }: Job): Promise<Orders> {
  if (holdMs <= 0) return link.ordersAfterWait(AbortSignal.abort());
  if (!Number.isFinite(holdMs)) return link.ordersAfterWait(parking);
  const over = new AbortController();
  // `AbortSignal.timeout` would not keep the process alive: without a connection nothing else may.
  const timer = setTimeout(() => over.abort(), holdMs);
  try {
    return await link.ordersAfterWait(AbortSignal.any([parking, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** The same for a frozen agent, which may die in the meantime. */
export async function waitForAnswer(
  job: Job,
  agent: Pick<Supervised, 'exited'>,
  { alive, onDeath }: { alive: boolean; onDeath(): void },
): Promise<Orders> {
  const death = alive ? agent.exited.then((exit) => ({ died: describeExit(exit) })) : undefined;
  const answer = waitForOrders(job);
  const first = await Promise.race(death ? [answer, death] : [answer]);
  if (!('died' in first)) return first;
  // Parking thaws the agent, so it may have exited by itself.
  if (job.parking.aborted) return answer;
  // A frozen process cannot exit by itself, so something else killed it (E-13).
  onDeath();
  const orders = await job.claim('agent_died', { reason: first.died });
  return orders.do === 'wait' ? waitForAnswer(job, agent, { alive: false, onDeath }) : orders;
}

/** Whether the agent itself waits for this answer: its edit is held at the gate, or it asked and reads its inputs file. */
export function isWaitingForAnswer({ meter }: Job, { readsInputs }: Agent): boolean {
  return meter
    .tripped()
    .some(
      ({ evidence }) =>
        (asksForHelp(evidence) && readsInputs) || evidence.proposed?.some((write) => write.held) === true,
    );
}
