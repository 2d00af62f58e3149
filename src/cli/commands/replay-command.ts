import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Input } from '../../core/contracts/input.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { describeStatus } from '../../core/decide/commands/status.ts';
import { decide } from '../../core/decide/decide.ts';
import { evolve } from '../../core/decide/evolve.ts';
import { userError } from '../../core/error-catalogue.ts';
import { RULES } from '../../guards/rules.ts';
import { JournalError, readJournal } from '../../store/file.ts';
import type { Home } from '../home.ts';
import { type CliOptions, usage } from '../options.ts';

interface ReplayResult {
  lines: string[];
  differences: number;
}

/** `autobuild replay` decides every recorded input again and reports where today's rules differ. It writes nothing. */
export function replayCommand(options: CliOptions, home: Home): ReplayResult {
  const [journal, ...extra] = options.operands;
  if (!journal || extra.length > 0) throw usage('autobuild replay takes one journal file or run.');
  const file = journalFile(journal, home);
  const { commits, torn } = readJournalFile(file);
  const lines: string[] = [];
  let state: RunState | undefined;
  let differences = 0;
  for (const [index, { input, events }] of commits.entries()) {
    const now = decide(state, input, RULES).events;
    if (!isDeepStrictEqual(toJson(now), toJson(events))) {
      differences += 1;
      lines.push(`✗ line ${index + 1}, ${nameOf(input)}`);
      lines.push(`    journal: ${events.map((event) => event.type).join(', ') || 'nothing'}`);
      lines.push(`    today:   ${now.map((event) => event.type).join(', ') || 'nothing'}`);
    }
    // The next decision starts from the recorded events, because the journal is what really happened.
    for (const event of events) state = evolve(state, event);
  }
  if (torn) lines.push(`The last line is incomplete (${torn.length} characters) and was skipped.`);
  lines.push(
    differences === 0
      ? `✓ ${commits.length} decisions, all the same today.${state ? ` ${describeStatus(state)}.` : ''}`
      : `✗ ${differences} of ${commits.length} decisions would differ today.`,
  );
  return { lines, differences };
}

function journalFile(name: string, home: Home): string {
  const asRun = join(home.runDir(name), 'journal.jsonl');
  if (/^[a-z0-9]+$/.test(name) && existsSync(asRun)) return asRun;
  if (existsSync(name) && statSync(name).isFile()) return name;
  throw userError('journal_missing', { name, home: home.directory });
}

function readJournalFile(file: string) {
  try {
    const journal = readJournal(readFileSync(file, 'utf8'), file);
    if (journal.commits[0]?.events[0]?.type !== 'run_requested')
      throw new JournalError(`${file} is not the journal of a run: it does not start with a request.`);
    return journal;
  } catch (error) {
    if (error instanceof JournalError) throw userError('journal_damaged', { problem: error.message });
    throw error;
  }
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function nameOf(input: Input): string {
  if (input.type === 'claim') return `claim ${input.envelope.type}`;
  return input.type === 'command' ? `/${input.command.name}` : input.type;
}
