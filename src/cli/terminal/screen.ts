import type { Reply } from '../../core/contracts/effect.ts';
import type { Escalation } from '../../core/contracts/escalation.ts';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { Task } from '../../core/contracts/task.ts';
import type { JobProgress } from '../../runner/job/job.ts';
import type { OwnWorktree } from '../choose-worktree.ts';
import type { WorkLeft } from '../describe-work.ts';

/** Where the run works, if not at the top of the repository. */
interface RunPlace {
  part: string;
  own?: OwnWorktree;
}

/** Everything a person sees of a run at a terminal. */
export interface Screen {
  /** The name of the person at the terminal. */
  readonly user: string;
  start(run: string, task: Task, checks: string[], place: RunPlace): void;
  resumed(state: RunState): void;
  event(event: RunEvent, state: RunState): void;
  progress(progress: JobProgress): void;
  /** `saved`: where the copies of reverted edits are, by path. */
  ask(
    state: RunState,
    escalation: Escalation,
    stateDir: string,
    saved?: Readonly<Record<string, string>>,
  ): void;
  reply(reply: Reply, state: RunState): void;
  review(state: RunState, escalation?: string): void;
  reminder(state: RunState, escalation: string, number: number): void;
  note(text: string): void;
  end(state: RunState, left: WorkLeft): void;
}
