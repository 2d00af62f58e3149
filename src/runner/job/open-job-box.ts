import { join } from 'node:path';
import { agentHomeOf } from '../agent/agent-home.ts';
import type { Box } from '../box/box.ts';
import { type IsolationMode, openBox } from '../box/open-box.ts';
import { closeInherited } from '../process/close-inherited.ts';

interface JobBoxOptions {
  worktree: string;
  runDir: string;
  mode: IsolationMode;
  hidden: readonly string[];
  readable?: readonly string[];
  home?: string;
}

/** The box for one job. It hides the run's own directory except for the parts that agents use. */
export function openJobBox({ worktree, runDir, mode, hidden, readable = [], home }: JobBoxOptions): Box {
  closeInherited();
  const agentHome = agentHomeOf(runDir);
  const plan = {
    directory: join(runDir, 'box'),
    worktree,
    hidden: [...hidden, runDir],
    shared: [agentHome, join(runDir, 'agent-config', 'apart')],
    readable,
    home,
  };
  // A machine of Actions is there for the job. At a terminal the rights of root are the person's own.
  return openBox(plan, mode, { byRoot: home !== undefined });
}
