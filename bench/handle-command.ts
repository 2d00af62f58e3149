import { type Claim, PROTOCOL } from '../src/core/contracts/envelope.ts';
import type { Input } from '../src/core/contracts/input.ts';
import { handle } from '../src/core/decide/handle.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import type { Delivery } from '../src/core/ports/inbox.ts';
import type { RunTarget } from '../src/core/ports/run-target.ts';
import { RULES } from '../src/guards/rules.ts';
import { type Desk, openDesk } from './desk.ts';
import { sampleRequest } from './sample-run.ts';

export type Command = '/pause' | '/continue' | '/cancel';

/** An issue and the repository it is in. */
export interface Place {
  repo_id: number;
  issue: number;
}

const AT_ONCE = 8;
/** More than any of these repositories has at work. */
const PARALLEL = 1_000;

export const runOf = ({ issue }: Place) => `run-${issue}`;

function targetOf(place: Place): RunTarget {
  return {
    ...{ ...place, installation_id: 5, owner: 'rosa', repo: 'shop', default_branch: 'main' },
    ...{ head_sha: 'a'.repeat(40), private: false, workflow: 'autobuild.yml', ci: 'skip' },
    ...{ labelled_by: 'rosa', parallel: PARALLEL },
  };
}

/** Starts runs for these issues, each with a job at work. What they had to say so far is written. */
export async function seedRuns(store: HostedStore, places: readonly Place[]): Promise<void> {
  const desk = openDesk(store);
  for (let start = 0; start < places.length; start += AT_ONCE)
    await Promise.all(
      places.slice(start, start + AT_ONCE).map(async (place) => {
        const request = { ...sampleRequest(), run: runOf(place) } as Input;
        const labelling = { event: place.issue, at: new Date().toISOString() };
        await handle(store.runs, RULES, runOf(place), request, { target: targetOf(place), labelling });
      }),
    );
  await performAll(desk);
  for (const place of places) await startJob(store, runOf(place));
  await performAll(desk);
}

/** Does what the job of a run does after the command: it ends after a pause, and the next one begins when it continues. */
export async function followCommand(store: HostedStore, place: Place, command: Command): Promise<void> {
  if (command === '/pause') await endJob(store, runOf(place));
  else await startJob(store, runOf(place));
  await performAll(openDesk(store));
}

async function startJob(store: HostedStore, run: string): Promise<void> {
  const op = await openDispatch(store, run);
  const at = (await store.now()).toISOString();
  await store.dispatches.change(op, { claimed_at: at, working_at: at, heard_at: at, attempt: 1 });
  await store.tickets.addToken(`token of ${op}`, op);
  const { state } = await store.runs.load(run);
  const job = (state?.jobs ?? 0) + 1;
  await claim(store, run, job, { type: 'job_started', data: {} });
  await claim(store, run, job, { type: 'turn_started', data: { kind: 'normal', resumed: job > 1 } });
}

async function endJob(store: HostedStore, run: string): Promise<void> {
  const op = await openDispatch(store, run);
  const { state } = await store.runs.load(run);
  await claim(store, run, state?.jobs ?? 0, { type: 'handed_over', data: { guards: {} } });
  await store.dispatches.change(op, { ended_at: (await store.now()).toISOString(), outcome: 'handed over' });
}

async function openDispatch(store: HostedStore, run: string): Promise<string> {
  const [dispatch] = await store.dispatches.open(run);
  if (!dispatch?.actions_run) throw new Error(`No job was asked for by ${run}.`);
  return dispatch.op;
}

async function claim(store: HostedStore, run: string, job: number, said: Claim): Promise<void> {
  const at = new Date().toISOString();
  const { version } = await store.runs.load(run);
  const stamp = { protocol: PROTOCOL, run, fence: job, seq: version, turn: job, active_ms: version };
  const envelope = { ...stamp, limits_rev: 1, at, ...said };
  const handled = await handle(store.runs, RULES, run, { type: 'claim', envelope });
  if (!handled || handled.events.length === 0) throw new Error(`${said.type} of ${run} was not taken.`);
}

async function performAll({ performNext }: Desk): Promise<void> {
  while (await performNext());
}

/** A person's comment, as ingest stores it. */
export function commentOf({ repo_id, issue }: Place, id: number, body: Command): Delivery {
  const at = new Date().toISOString();
  const payload = {
    action: 'created',
    installation: { id: 5 },
    repository: { id: repo_id, name: 'shop', owner: { login: 'rosa' } },
    sender: { login: 'rosa', type: 'User' },
    issue: { number: issue },
    comment: { id, node_id: `C_${id}`, body, created_at: at, user: { login: 'rosa', type: 'User' } },
  };
  return {
    id: `delivery-${id}`,
    event: 'issue_comment',
    payload: JSON.stringify(payload),
    lane: `${repo_id}#${issue}`,
    installation: payload.installation.id,
    received_ms: Date.parse(at),
  };
}
