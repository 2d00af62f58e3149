import type { EarlierTurn } from '../core/contracts/earlier-turn.ts';
import type { Predecessor } from '../core/contracts/predecessor.ts';
import type { Revision } from '../core/contracts/revision.ts';

/** The facts that the agent gets each turn beside the task. The context file has the same facts (B-1). */
export interface TurnContext {
  task_id: string;
  turn: number;
  max_turns: number | null;
  approaching_limit: boolean;
  kind: 'normal' | 'debug';
  /** True when this turn was started before, so that its work is in the worktree. */
  resumed: boolean;
  scope: string[] | null;
  max_files: number | null;
  /** Files that the run has changed so far. */
  files_so_far: number;
  checks: string[];
  inputs: string[];
  answers: string[];
  /** True when this start brings answers that the agent has not had yet. */
  new_answers: boolean;
  known_issues: string[];
  handoff_path: string | null;
  /** The agent that worked on the run before, if another one did. */
  predecessor: Predecessor | null;
  /** One line per turn so far, oldest first. */
  earlier: EarlierTurn[];
  /** The round of changes to a pull request that was ready, if this is one. */
  round: Revision | null;
  /** Where help blocks stood that were not taken as a call for help. */
  stray_help: string[];
}
