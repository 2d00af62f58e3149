import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../core/contracts/command.ts';
import type { GuardLimits } from '../../core/contracts/guard.ts';
import type { Input } from '../../core/contracts/input.ts';
import { isAtRest, type RunState } from '../../core/contracts/run-state.ts';
import type { Desk } from '../../core/decide/desk.ts';
import { sealCommand } from '../../core/secrets/seal-command.ts';
import { readJournal } from '../../store/file.ts';
import { openFileVault } from '../../store/file-vault.ts';
import type { RunFile } from '../home.ts';

/** For runs of older versions, which do not name it. */
const MAX_ROUNDS = 10;

interface AtRest {
  run: string;
  runDir: string;
  user: string;
}

/** V-9: a command of the person at the terminal to a run that is done. `/guide` begins a round. */
export async function commandAtRest(
  desk: Desk,
  { run, runDir, user }: AtRest,
  { command, via }: { command: Command; via: 'terminal' | 'answer_flag' },
): Promise<void> {
  const sealed = await sealCommand(openFileVault(runDir), run, command);
  const at = new Date().toISOString();
  await desk.handleOnce(run, { type: 'command', at, command: sealed, by: user, via });
}

/** V-9: there are no remarks at a terminal, so a round is about the person's own words. */
export function roundInput(state: RunState, { max_rounds }: RunFile, runDir: string, at: string): Input {
  return {
    type: 'revise',
    at,
    revision: { remarks: [] },
    limits: requestedLimits(runDir) ?? state.limits,
    max: max_rounds ?? MAX_ROUNDS,
  };
}

/** Answers let limits grow, so those in the state are not the ones a round begins with. */
function requestedLimits(runDir: string): GuardLimits | undefined {
  const file = join(runDir, 'journal.jsonl');
  const [first] = readJournal(readFileSync(file), file).commits;
  return first?.events.find((event) => event.type === 'run_requested')?.limits;
}

/** Whether this is the moment between the beginning of a round and its first job. */
export function isRoundNew({ revision, job_began }: RunState): boolean {
  return revision !== undefined && (job_began === undefined || job_began.at < revision.at);
}

/** Work that is gone cannot be changed further. */
export function isUndone(runDir: string): boolean {
  const copies = join(runDir, 'undone');
  return existsSync(copies) && readdirSync(copies).length > 0;
}

/** V-9: whether a person at the terminal is asked for another round. One who has cancelled is not. */
export function mayBeginRound(state: RunState): boolean {
  return isAtRest(state) && state.pending === undefined && state.revisions?.at(-1)?.outcome !== 'cancelled';
}
