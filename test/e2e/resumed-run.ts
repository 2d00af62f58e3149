import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CliResult, FINISH, ofType, type Scratch } from './cli-run.ts';

const HELP =
  "printf '<<<NEED_HELP>>>\\nwhat_i_tried: all of it\\nwhat_i_need: a colour\\ninputs: [{key: colour, label: Colour}]\\n<<<END_HELP>>>\\n'";
/** Asks once, and takes the answer from wherever it comes: the inputs file of this turn, or the environment of a later one. */
export const ASKING = `if [ -z "$AUTOBUILD_INPUT_COLOUR" ]; then ${HELP}; until grep -q colour "$AUTOBUILD_INPUTS"; do sleep 0.05; done; fi; cp "$AUTOBUILD_INPUTS" ../seen.json; ${FINISH}`;

/** Done and verified, each question answered once, and nothing left running. */
export function expectFinished(scratch: Scratch, done: CliResult): void {
  expect(done.code, done.stderr).toBe(0);
  const events = scratch.journalled();
  expect(ofType(events, 'run_finished')).toMatchObject([{ status: 'reviewing', partial: false }]);
  const resolved = ofType(events, 'escalation_resolved').map(({ escalation }) => escalation);
  expect(new Set(resolved).size).toBe(resolved.length);
  expect(scratch.agentProcesses()).toEqual([]);
  expect(scratch.checkProcesses()).toEqual([]);
  // Also what a killed runner had there.
  expect(readdirSync(join(scratch.root, 'tmp'))).toEqual([]);
}

/** A file beside the worktree, by which agents and checks tell how far they are. */
export function isThere(scratch: Scratch, name: string): boolean {
  return existsSync(join(scratch.root, name));
}

export async function killHard(cli: {
  child: { kill(signal: NodeJS.Signals): boolean };
  ended: Promise<unknown>;
}) {
  cli.child.kill('SIGKILL');
  await cli.ended;
}
