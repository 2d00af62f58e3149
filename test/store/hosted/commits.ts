import type { Effect } from '../../../src/core/contracts/effect.ts';
import type { Delivery } from '../../../src/core/ports/inbox.ts';
import type { Commit } from '../../../src/core/ports/ports.ts';
import type { RunTarget } from '../../../src/core/ports/run-target.ts';
import { startRun } from '../../core/run-builder.ts';

const START = Date.UTC(2026, 10, 16, 9, 0, 0);

/** `seconds` after the story begins. */
export function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

/** A story with questions and answers, and letters of more than one byte. */
export function someCommits(): Commit[] {
  const run = startRun({ task: { title: 'Anmeldung für Ämter: 登录 🚪 \u0000' } })
    .beginTurn()
    .askForHelp();
  run.say('/guide Für „Ämter“: 登录 🚪 zuerst');
  return run.commits;
}

const [REQUEST] = someCommits();

/** The first commit of a run. */
export function request(run: string): Commit {
  if (REQUEST?.input.type !== 'request') throw new Error('the story must begin with a request');
  const events = REQUEST.events.map((event) => (event.type === 'run_requested' ? { ...event, run } : event));
  return { input: { ...REQUEST.input, run }, events, effects: [] };
}

/** A later commit: an event, an effect to perform, and a timer, all of one number. */
export function note(number: number): Commit {
  const time = at(number);
  return {
    input: { type: 'timer', at: time, timer: `note ${number}` },
    events: [{ type: 'command_refused', at: time, command: 'note', by: 'rosa', reason: String(number) }],
    effects: [
      { type: 'set_timer', timer: 'next', at: time },
      { type: 'reply', reply: { tone: 'info', title: `note ${number}` } },
    ],
  };
}

/** A later commit that asks for effects. */
export function asking(number: number, effects: Effect[]): Commit {
  return { ...note(number), effects };
}

/** Asks for a job and for a verification, after an effect of another kind. */
export function dispatching(number: number): Commit {
  return asking(number, [
    { type: 'update_status' },
    { type: 'dispatch_job', job: 2 },
    { type: 'dispatch_verification', job: 2, verification: '1.0' },
  ]);
}

export function finish(number: number, status: 'cancelled' | 'reviewing' = 'cancelled'): Commit {
  const time = at(number);
  return {
    input: { type: 'timer', at: time, timer: 'end' },
    events: [{ type: 'run_finished', at: time, status, partial: true, reason: 'enough' }],
    effects: [],
  };
}

export function target(issue: number): RunTarget {
  return {
    installation_id: 1,
    owner: 'acme',
    repo: 'shop',
    repo_id: 77,
    issue,
    default_branch: 'main',
    head_sha: 'a'.repeat(40),
    private: false,
    workflow: 'autobuild.yml',
    ci: 'skip',
    labelled_by: 'rosa',
  };
}

export function delivery(id: string, lane = '77#1', seconds = 0): Delivery {
  return {
    id,
    event: 'issue_comment',
    payload: JSON.stringify({ action: 'created', id }),
    lane,
    received_ms: Date.parse(at(seconds)),
  };
}
