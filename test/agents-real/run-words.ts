import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CliResult } from '../e2e/cli-run.ts';
import type { AgentRun } from './run-case.ts';
import type { Said } from './said.ts';

const REPORT = `printf '{"status":"implemented","summary":"all of it"}' > "$AUTOBUILD_REPORT"`;
/** The last words of a model that is done. */
export const FINISH: Said = { text: 'I finish.', run: `echo done > done.txt; ${REPORT}` };
export const DONE: Said = { text: 'All done.' };

export function expectDone(done: CliResult, { scratch }: AgentRun): void {
  expect(done.code, done.stderr).toBe(0);
  expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
  expect(existsSync(join(scratch.worktree, 'done.txt'))).toBe(true);
  expect(scratch.agentProcesses()).toEqual([]);
}

export function guardsOf({ escalations }: CliResult): string[][] {
  return escalations.map(({ triggers }) => triggers.map(({ guard }) => guard));
}

/** Nothing asks before a command: it stays until the watch has put its file back (an approval brings it again), and to be frozen after that. */
export const untilPutBack = (path: string) =>
  `seq 100 | while read n; do test -f ${path} || break; sleep 0.1; done; seq 40 | while read n; do sleep 0.1; done`;
