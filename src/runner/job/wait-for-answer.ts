import type { Agent } from '../../agents/agent.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import { describeExit } from '../agent/agent-end.ts';
import type { Supervised } from '../process/supervise.ts';
import type { Job } from './job.ts';

/** Holds a frozen agent until a person has answered, the hold is over, or the run is parked. */
export async function waitForAnswer(
  job: Job,
  agent: Pick<Supervised, 'exited'>,
  { alive, onDeath }: { alive: boolean; onDeath(): void },
): Promise<Orders> {
  const { link, settings, parking } = job;
  const signals = [parking];
  if (Number.isFinite(settings.holdMs)) signals.push(AbortSignal.timeout(settings.holdMs));
  const hold = AbortSignal.any(signals);
  const death = alive ? agent.exited.then((exit) => ({ died: describeExit(exit) })) : undefined;
  const answer = link.ordersAfterWait(hold);
  const first = await Promise.race(death ? [answer, death] : [answer]);
  if (!('died' in first)) return first;
  // On the way to a park it is let go by us, and may have ended by itself.
  if (parking.aborted) return answer;
  // Frozen processes do not end by themselves: someone else killed it (E-13).
  onDeath();
  const orders = await job.say('agent_died', { reason: first.died });
  return orders.do === 'wait' ? waitForAnswer(job, agent, { alive: false, onDeath }) : orders;
}

/** Its edit is held at the gate, or it looks for what it asked for in its inputs file: it waits for just this answer. */
export function isWaitingForAnswer({ meter }: Job, { readsInputs }: Agent): boolean {
  return meter
    .tripped()
    .some(
      ({ guard, evidence }) =>
        (guard === 'need_help' && readsInputs) || evidence.proposed?.some((write) => write.held) === true,
    );
}
