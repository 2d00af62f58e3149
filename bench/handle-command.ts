import type { SealedCommand } from '../src/core/contracts/command.ts';
import { type Claim, PROTOCOL } from '../src/core/contracts/envelope.ts';
import type { Input } from '../src/core/contracts/input.ts';
import { handle } from '../src/core/decide/handle.ts';
import type { HostedStore } from '../src/core/ports/hosted-store.ts';
import type { Delivery } from '../src/core/ports/inbox.ts';
import type { RunTarget } from '../src/core/ports/run-target.ts';
import { RULES } from '../src/guards/rules.ts';
import { sampleRequest } from './sample-run.ts';

export const REPO_ID = 77;
const LEASE_MS = 30_000;
const AT_ONCE = 8;

export const runOf = (issue: number) => `run-${issue}`;

const targetOf = (issue: number): RunTarget => ({
  ...{ installation_id: 5, owner: 'rosa', repo: 'shop', repo_id: REPO_ID, issue, default_branch: 'main' },
  ...{ head_sha: 'a'.repeat(40), private: false, workflow: 'autobuild.yml', ci: 'skip', labelled_by: 'rosa' },
});

/** Starts runs for these issues, each with a job at work. Their first effects are done. */
export async function seedRuns(store: HostedStore, issues: readonly number[]): Promise<void> {
  for (let start = 0; start < issues.length; start += AT_ONCE)
    await Promise.all(issues.slice(start, start + AT_ONCE).map((issue) => seedRun(store, issue)));
  await drainOutbox(store);
}

async function seedRun(store: HostedStore, issue: number): Promise<void> {
  const run = runOf(issue);
  const request = { ...sampleRequest(), run } as Input;
  await handle(store.runs, RULES, run, request, { target: targetOf(issue) });
  const claims: Claim[] = [
    { type: 'job_started', data: {} },
    { type: 'turn_started', data: { kind: 'normal', resumed: false } },
  ];
  for (const [at, claim] of claims.entries()) {
    const stamp = { protocol: PROTOCOL, run, fence: 1, seq: at + 1, turn: 1, active_ms: at, limits_rev: 1 };
    const time = new Date().toISOString();
    await handle(store.runs, RULES, run, { type: 'claim', envelope: { ...stamp, at: time, ...claim } });
  }
}

/** A person's comment, as ingest stores it. */
export function commentOf(issue: number, id: number, body: string): Delivery {
  const payload = {
    action: 'created',
    installation: { id: 5 },
    repository: { id: REPO_ID, name: 'shop', owner: { login: 'rosa' } },
    sender: { login: 'rosa', type: 'User' },
    issue: { number: issue },
    comment: { id, node_id: `C_${id}`, body, user: { login: 'rosa', type: 'User' } },
  };
  return {
    id: `delivery-${id}`,
    event: 'issue_comment',
    payload: JSON.stringify(payload),
    lane: `${REPO_ID}#${issue}`,
    received_at: new Date().toISOString(),
  };
}

/**
 * Decides the oldest comment in the inbox: claimed, its run found, decided, committed, done. Only what is asked of GitHub (may
 * this person do that?) is left out. False if none is due.
 */
export async function decideNext({ inbox, runs }: HostedStore): Promise<boolean> {
  const delivery = await inbox.claim(LEASE_MS);
  if (!delivery) return false;
  const { issue, comment, sender } = JSON.parse(delivery.payload) as {
    issue: { number: number };
    comment: { id: number; body: '/pause' | '/continue' };
    sender: { login: string };
  };
  const run = await runs.ofIssue(REPO_ID, issue.number);
  if (run === undefined) throw new Error(`Issue ${issue.number} has no run.`);
  const source = `comment:${comment.id}`;
  const command: SealedCommand =
    comment.body === '/pause' ? { name: 'pause' } : { name: 'continue', new_approach: false };
  const at = new Date().toISOString();
  const input: Input = { type: 'command', at, command, by: sender.login, via: 'comment', source };
  const handled = await handle(runs, RULES, run, input, { seen: [source] });
  if (!handled || handled.events.some(({ type }) => type === 'command_refused'))
    throw new Error(`${comment.body} was refused.`);
  return inbox.done(delivery);
}

/** Takes what one lane has to write and counts it as written. False if no lane has anything. */
export async function writeNext({ outbox }: HostedStore): Promise<boolean> {
  const lease = await outbox.claim(LEASE_MS);
  if (!lease) return false;
  for (let effect = await outbox.next(lease); effect; effect = await outbox.next(lease))
    await outbox.done(lease, effect.id);
  await outbox.release(lease);
  return true;
}

async function drainOutbox(store: HostedStore): Promise<void> {
  while (await writeNext(store));
}
