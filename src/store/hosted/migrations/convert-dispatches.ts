import { sql } from 'kysely';
import type { RunPhase } from '../../../core/contracts/run-state.ts';
import type { JobKind } from '../../../core/ports/job-api.ts';
import type { Trx } from '../tables.ts';
import type { UnfinishedDispatch } from './convert-outbox.ts';
import type { Marks } from './marks.ts';

/** How long a ticket of the older layout was valid. It was made at the time of its dispatch. */
const TICKET_MS = 6 * 3_600_000;

interface TicketRow {
  hash: string;
  run: string;
  job: number;
  kind: JobKind;
  expires_ms: number;
  revoked: number;
  actions_run: number | null;
  attempt: number | null;
  phase: RunPhase | null;
}

/** The newest dispatch of a run, as the older layout remembered it. */
interface LastDispatch {
  kind: JobKind;
  job?: number;
  actions_run?: number;
  ended?: true;
}

interface ConvertedDispatch {
  op: string;
  run: string;
  job: number;
  kind: JobKind;
  verification: string | undefined;
  decidedMs: number;
  requestedMs?: number;
  actionsRun?: number;
  attempt?: number;
  isClaimed?: boolean;
  outcome?: string;
}

/** One dispatch per ticket, and one per request that waits. Only the newest of a run may still be under way. */
export async function convertDispatches(
  trx: Trx,
  { marks, unfinished, nowMs }: { marks: Marks; unfinished: UnfinishedDispatch[]; nowMs: number },
): Promise<void> {
  const { rows: tickets } = await sql<TicketRow>`
    select tickets.*, runs.phase from tickets left join runs on runs.run = tickets.run
    order by tickets.expires_ms, tickets.hash`.execute(trx);
  const dispatches = new Map<string, ConvertedDispatch>();
  for (const ticket of tickets) {
    const op = opOf(ticket, unfinished, marks);
    dispatches.set(op, { ...dispatches.get(op), ...fromTicket(ticket, op, marks) });
    await sql`update tickets set op = ${op} where hash = ${ticket.hash}`.execute(trx);
  }
  const newest = new Map([...dispatches.values()].map((dispatch) => [dispatch.run, dispatch]));
  for (const [run, dispatch] of newest) dispatch.outcome ??= hasEnded(dispatch, lastOf(run, marks));
  for (const dispatch of dispatches.values())
    if (newest.get(dispatch.run) !== dispatch) dispatch.outcome ??= 'ended';
  for (const { op, run, job, kind, verification, buried } of unfinished) {
    const before = newest.get(run);
    if (before && before.op !== op && isUnderWay(before) && before.job === job && before.kind === kind) {
      await sql`delete from outbox where id = ${op}`.execute(trx);
      continue;
    }
    if (before && before.op !== op) before.outcome ??= 'ended';
    const requestedMs = timeOf(marks.get(`dispatching:${op}`));
    const fresh = { op, run, job, kind, verification, decidedMs: nowMs, requestedMs };
    dispatches.set(op, { ...fresh, ...dispatches.get(op), outcome: buried ? 'given up' : undefined });
  }
  for (const dispatch of [...dispatches.values()].sort((a, b) => a.decidedMs - b.decidedMs))
    await insert(trx, dispatch, marks);
  await convertTokens(trx, tickets, { unfinished, marks });
}

/** A request whose response was lost is still in the outbox. Its ticket belongs to the same operation. */
function opOf(ticket: TicketRow, unfinished: UnfinishedDispatch[], marks: Marks): string {
  const { hash, run, job, kind } = ticket;
  const found = unfinished.find((one) => one.run === run && one.job === job && one.kind === kind);
  const begunMs = found && timeOf(marks.get(`dispatching:${found.op}`));
  return begunMs !== undefined && found && begunMs <= ticket.expires_ms - TICKET_MS
    ? found.op
    : `ticket.${hash.slice(0, 24)}`;
}

function fromTicket(ticket: TicketRow, op: string, marks: Marks): ConvertedDispatch {
  const { hash, run, job, kind } = ticket;
  const last = lastOf(run, marks);
  const told = marks.get(`actions-run-of-ticket:${hash}`);
  const ofLast = last?.job === job && last.kind === kind ? last.actions_run : undefined;
  const actionsRun = ticket.actions_run ?? (told === undefined ? ofLast : Number(told));
  const atMs = ticket.expires_ms - TICKET_MS;
  return {
    op,
    run,
    job,
    kind,
    verification: marks.get(`verification-of:${hash}`),
    decidedMs: atMs,
    requestedMs: atMs,
    actionsRun,
    attempt: ticket.attempt ?? undefined,
    isClaimed: ticket.actions_run !== null,
    outcome: outcomeOf(ticket, marks.has(`dropped-actions-run:${actionsRun}`)),
  };
}

function outcomeOf({ phase, revoked }: TicketRow, isDropped: boolean): string | undefined {
  if (isDropped) return 'dropped';
  if (revoked !== 0) return 'stopped';
  return phase === 'working' || phase === 'waiting' ? undefined : 'ended';
}

function hasEnded({ job, kind }: ConvertedDispatch, last: LastDispatch | undefined): string | undefined {
  return last?.ended && last.kind === kind && (last.job ?? job) === job ? 'ended' : undefined;
}

function isUnderWay({ outcome }: ConvertedDispatch): boolean {
  return outcome === undefined;
}

function lastOf(run: string, marks: Marks): LastDispatch | undefined {
  const text = marks.get(`dispatched:${run}`);
  return text === undefined ? undefined : (JSON.parse(text) as LastDispatch);
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

async function insert(trx: Trx, dispatch: ConvertedDispatch, marks: Marks): Promise<void> {
  const { op, run, job, kind, verification, decidedMs, requestedMs, actionsRun, attempt } = dispatch;
  // A ticket without an effect that waits was accepted by GitHub.
  const answeredMs = op.startsWith('ticket.') ? decidedMs : null;
  // A job of the older layout claimed its ticket in its main step.
  const claimedMs = dispatch.isClaimed ? decidedMs : null;
  const heardMs = dispatch.isClaimed ? timeOf(marks.get(`alive:${run}:${job}`)) : undefined;
  const endedMs = dispatch.outcome === undefined ? null : decidedMs;
  await sql`insert into dispatches
    (op, run, job, kind, verification, decided_ms, requested_ms, answered_ms, actions_run, attempt,
      claimed_ms, working_ms, heard_ms, ended_ms, outcome)
    values (${op}, ${run}, ${job}, ${kind}, ${verification ?? null}, ${decidedMs}, ${requestedMs ?? null}, ${answeredMs},
      ${actionsRun ?? null}, ${attempt ?? null}, ${claimedMs}, ${claimedMs},
      ${heardMs ?? null}, ${endedMs}, ${dispatch.outcome ?? null})`.execute(trx);
}

/** Tokens of later attempts made older ones void. A token is of the ticket that was claimed for the same work. */
async function convertTokens(
  trx: Trx,
  tickets: TicketRow[],
  { unfinished, marks }: { unfinished: UnfinishedDispatch[]; marks: Marks },
): Promise<void> {
  const { rows } = await sql<{ hash: string; run: string; job: number; kind: JobKind }>`
    select hash, run, job, kind from tokens`.execute(trx);
  const ticketsOf = Map.groupBy(tickets, ({ run }) => run);
  for (const { hash, run, job, kind } of rows) {
    const newest = marks.get(`claim:${run}:${job}:${kind}`) ?? hash;
    const verification = marks.get(`verification-of:${hash}`);
    const ticket = ticketsOf
      .get(run)
      ?.findLast(
        (one) =>
          one.job === job &&
          one.kind === kind &&
          one.actions_run !== null &&
          marks.get(`verification-of:${one.hash}`) === verification,
      );
    if (newest !== hash || !ticket) await sql`delete from tokens where hash = ${hash}`.execute(trx);
    else
      await sql`update tokens set op = ${opOf(ticket, unfinished, marks)} where hash = ${hash}`.execute(trx);
  }
}
