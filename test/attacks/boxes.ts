import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Box } from '../../src/runner/box/box.ts';
import type { BoxPlan } from '../../src/runner/box/box-plan.ts';
import { directBox } from '../../src/runner/box/direct-box.ts';
import { helperBox } from '../../src/runner/box/helper-box.ts';
import { namespaceBox } from '../../src/runner/box/namespace-box.ts';
import { reaperBox } from '../../src/runner/box/reaper-box.ts';
import { userBox } from '../../src/runner/box/user-box.ts';

type Attempt = Omit<Box, 'why'> | { problem: string };

/** A machine of its own below one directory: worktree, home, and what the runner keeps for itself. */
export function makePlanIn(top: string): BoxPlan & { top: string; home: string; runner: string } {
  const at = (name: string) => join(top, name);
  for (const name of ['home/.ssh', 'home/work', 'runner', 'box']) mkdirSync(at(name), { recursive: true });
  return {
    top,
    home: at('home'),
    runner: at('runner'),
    directory: at('runner/box'),
    worktree: at('home/work'),
    hidden: [at('runner')],
    shared: [],
    readable: [],
  };
}

/** Leaves parent, session and environment, then writes for as long as it lives. */
export const DAEMON = `(setsid env -i /bin/sh -c '(while :; do echo x >> ticks; sleep 0.05; done) & exit' >/dev/null 2>&1 </dev/null &)`;

/** Every level, as this machine makes it. */
export const LEVELS: { level: number; make(plan: BoxPlan): Attempt }[] = [
  { level: 0, make: directBox },
  { level: 1, make: reaperBox },
  { level: 2, make: namespaceBox },
  { level: 3, make: userBox },
  { level: 4, make: helperBox },
];

/** A level that this machine cannot make is named in the output, because a test that is not run proves nothing. */
export function openLevel(level: number, plan: BoxPlan): Omit<Box, 'why'> | undefined {
  const box = LEVELS.find((entry) => entry.level === level)?.make(plan);
  if (box && 'enter' in box) return box;
  process.stderr.write(`NOT RUN at isolation level ${level}: ${box?.problem ?? 'unknown'}\n`);
  return undefined;
}
