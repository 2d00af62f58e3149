import { saveCheckpoint } from '../checkpoint/checkpoint.ts';
import type { Job } from './job.ts';

/** The next start, also after a crash, goes on with this conversation. */
export function keepSession(job: Job, agent: string, session: string): void {
  if (job.sessions?.[agent] === session) return;
  job.sessions = { ...job.sessions, [agent]: session };
  saveCheckpoint(job, { sessions: job.sessions });
}

/** A start that resumed nothing cannot have lost a conversation, and none loses it twice: both are failures like any other. */
export function isLostSession(job: Job, turn: number, resumed: boolean): boolean {
  return resumed && job.sessionLostIn !== turn;
}

/** The prompt holds all there is to know, so that the same turn can begin a conversation of its own. */
export function forgetSession(job: Job, agent: string): void {
  const { [agent]: _gone, ...others } = job.sessions ?? {};
  job.sessions = others;
  saveCheckpoint(job, { sessions: others });
  const text = `${agent} no longer has the conversation of this run. It begins another one, with the task, the answers and the worktree as they are.`;
  job.onProgress({ type: 'problem', text });
}
