import type { Told } from '../../agents/told.ts';
import type { Ended } from '../agent/agent-end.ts';
import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import type { Job } from './job.ts';

/** The agent's next start, also after a crash, resumes this conversation. */
export function keepSession(job: Job, agent: string, session: string): void {
  if (job.sessions?.[agent] === session) return;
  job.sessions = { ...job.sessions, [agent]: session };
  saveCheckpoint(job, { sessions: job.sessions });
}

/** Called once the agent has answered, because a start that failed has told it nothing. */
export function keepTold(job: Job, agent: string, told: Told): void {
  const session = job.sessions?.[agent];
  if (session === undefined) return;
  job.told = { ...job.told, [agent]: { ...told, session } };
  saveCheckpoint(job, { told: job.told });
}

/** The agent got these in the middle of its turn. */
export function keepToldAnswers(job: Job, agent: string, answers: string[]): void {
  const told = toldTo(job, agent, job.sessions?.[agent]);
  if (told) keepTold(job, agent, { ...told, answers });
}

/** Undefined: everything has to be said. */
export function toldTo(job: Job, agent: string, session: string | undefined): Told | undefined {
  const told = job.told[agent];
  return told && told.session === session ? told : undefined;
}

/** A lost conversation is no failure, once per turn. A start that resumed none cannot have lost it. */
export function isLostSession(job: Job, turn: number, resumed: boolean): boolean {
  return resumed && job.sessionLostIn !== turn;
}

/**
 * True when the same conversation was refused as too long twice in a row. After the first refusal the agent may have
 * shortened it by itself.
 */
export function isFullAgain(job: Job, agent: string, ended: Ended): boolean {
  const session = job.sessions?.[agent];
  if (session === undefined) return false;
  const wasFull = job.fullSessions.has(session);
  const isFull = ended.reason === 'context';
  // After the second refusal the conversation is given up, so nothing is left to remember.
  if (isFull && !wasFull) job.fullSessions.add(session);
  else job.fullSessions.delete(session);
  // The next turn may be another job's.
  if (isFull || wasFull) saveCheckpoint(job, { full_sessions: [...job.fullSessions] });
  return isFull && wasFull;
}

const FORGOTTEN = {
  lost: (agent: string) => `${agent} no longer has the conversation of this run.`,
  full: (agent: string) => `The conversation of ${agent} is too long for its model, twice in a row.`,
};

/** The same turn starts again with a new conversation, because the prompt has everything the agent needs. */
export function forgetSession(job: Job, agent: string, why: keyof typeof FORGOTTEN): void {
  const { [agent]: _gone, ...others } = job.sessions ?? {};
  job.sessions = others;
  saveCheckpoint(job, { sessions: others });
  const text = `${FORGOTTEN[why](agent)} It starts a new one with the task, the answers and the current worktree.`;
  job.onProgress({ type: 'problem', text });
}
