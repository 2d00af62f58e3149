import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import type { Job } from './job.ts';

/** The agent's next start, also after a crash, resumes this conversation. */
export function keepSession(job: Job, agent: string, session: string): void {
  if (job.sessions?.[agent] === session) return;
  job.sessions = { ...job.sessions, [agent]: session };
  saveCheckpoint(job, { sessions: job.sessions });
}

/** A lost conversation is no failure, once per turn. A start that resumed none cannot have lost it. */
export function isLostSession(job: Job, turn: number, resumed: boolean): boolean {
  return resumed && job.sessionLostIn !== turn;
}

/** The same turn starts again with a new conversation, because the prompt has everything the agent needs. */
export function forgetSession(job: Job, agent: string): void {
  const { [agent]: _gone, ...others } = job.sessions ?? {};
  job.sessions = others;
  saveCheckpoint(job, { sessions: others });
  const text = `${agent} no longer has the conversation of this run. It begins another one, with the task, the answers and the worktree as they are.`;
  job.onProgress({ type: 'problem', text });
}
