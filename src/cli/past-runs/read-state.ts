import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState } from '../../core/contracts/run-state.ts';
import { foldRun } from '../../core/decide/evolve.ts';
import { userError } from '../../core/error-catalogue.ts';
import { JournalError, readJournal } from '../../store/file.ts';
import type { Home } from '../home.ts';

/** The state of a run by its journal, which may be written meanwhile. */
export function readState(home: Home, run: string): RunState | undefined {
  const file = join(home.runDir(run), 'journal.jsonl');
  if (!existsSync(file)) return undefined;
  try {
    return foldRun(readJournal(readFileSync(file, 'utf8'), file).commits.flatMap((commit) => commit.events));
  } catch (error) {
    if (error instanceof JournalError) throw userError('journal_damaged', { problem: error.message });
    throw error;
  }
}
