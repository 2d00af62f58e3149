import type { DispatchInputs } from '../core/ports/dispatch.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import { jobCommits } from '../core/work/round-head.ts';
import type { JobStarter } from './job-starter.ts';

/** As long as a job may wait in a queue of Actions. */
const TICKET_MS = 24 * 3_600_000;

/** Jobs that start with a ticket and reach their desk by HTTP. */
export function createTicketJobs(desk: {
  store: Pick<HostedStore, 'tickets' | 'now'>;
  /** The desk's URL for jobs, without a trailing slash. */
  publicUrl: string;
  randomToken(): string;
  hash(text: string): string;
}): JobStarter {
  const { store, publicUrl } = desk;
  return {
    async prepare({ op, kind }, { state, target }) {
      const ticket = desk.randomToken();
      const expires_at = new Date((await store.now()).getTime() + TICKET_MS).toISOString();
      await store.tickets.add({ hash: desk.hash(ticket), op, expires_at });
      const inputs: DispatchInputs = {
        ticket,
        desk: publicUrl,
        kind,
        ...jobCommits(state, target),
        issue: String(target.issue),
        operation: op,
      };
      return { workflow: target.workflow, inputs };
    },
    async stop({ actions_run }, github) {
      if (actions_run !== undefined) await github.cancelRun(actions_run);
    },
    silence: (op) => store.tickets.revoke(op),
    isConnected: true,
  };
}
