import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { terminalLine } from '../../comments/terminal/terminal-text.ts';
import { presentFigures } from '../../comments/text/present-figures.ts';
import { totalsOf } from '../../comments/text/totals.ts';
import { count, minutes } from '../../comments/text/words.ts';
import { RESOLUTION_TARGET, resolutionFigures } from '../../core/analytics.ts';
import type { LimitsInForce } from '../../core/contracts/guard.ts';
import { lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { describeStatus } from '../../core/decide/commands/status.ts';
import { userError } from '../../core/error-catalogue.ts';
import { limitsInForce } from '../../guards/observe.ts';
import { lockHolder } from '../../runner/workspace/worktree-lock.ts';
import { findRun } from '../find-run.ts';
import type { Home } from '../home.ts';
import type { CliOptions } from '../options.ts';
import { readState } from '../past-runs/read-state.ts';
import { savedEdits } from '../past-runs/saved-edits.ts';

const SAVED_SHOWN = 10;
const PATH_CELLS = 200;
const PLACE_CELLS = 400;

/** `autobuild status` only reads, so it also works while the run is working. */
export async function statusCommand(
  options: CliOptions,
  home: Home,
  env: Record<string, string>,
): Promise<string[]> {
  if (options.all) return listRuns(options, home);
  const file = await findRun(options, home, env);
  const state = readState(home, file.run);
  if (!state) throw userError('run_missing', { run: file.run, home: home.directory });
  if (options.json) return [JSON.stringify(state)];
  const holder = await lockHolder(home.lockFile(file.worktree));
  // The journal says that a job is live but no process holds the lock, so the process was killed.
  const isGone = state.job_live && holder?.run !== file.run;
  const runDir = home.runDir(file.run);
  const lines = [...describe(state, file.worktree), ...describeSaved(runDir), ...describeUndone(runDir)];
  return isGone
    ? [...lines, `  Its process is gone. Continue where it stopped with: autobuild resume ${file.run}`]
    : lines;
}

function listRuns(options: CliOptions, home: Home): string[] {
  const states = home.runs().flatMap(({ run }) => readState(home, run) ?? []);
  if (options.json) return states.map((state) => JSON.stringify(state));
  if (states.length === 0) return ['No run was started on this machine yet.'];
  const figures = resolutionFigures(
    states.flatMap((state) => state.escalations),
    new Date(),
  );
  return [
    ...states.map(
      (state) => `${state.run}  ${state.task.title.slice(0, 40).padEnd(40)}  ${statusHere(state)}`,
    ),
    '',
    resolutionLine(figures),
  ];
}

function describe(state: RunState, worktree: string): string[] {
  const verification = lastVerification(state) ?? state.baseline;
  const checks = verification && score(verification);
  const limits = limitsInForce(state.limits);
  const off = Object.entries(state.limits).flatMap(([guard, limit]) => (limit === 'off' ? [guard] : []));
  return [
    `${state.run}  ${state.task.title}`,
    `  ${statusHere(state)}`,
    `  ${turnOf(state, limits)}, ${minutes(state.active_ms)} min working, ${minutes(state.waiting_ms)} min waiting, ${state.jobs} ${state.jobs === 1 ? 'job' : 'jobs'}`,
    ...(checks ? [`  ${checks.passed} of ${checks.total} ${checks.unit} pass`] : []),
    `  ${state.changes.paths.length} of ${limits.files ?? 'off'} files changed (+${state.changes.added} −${state.changes.removed}) in ${worktree}`,
    ...(state.turns.length > 0 ? [`  cost ${totalsOf(state, limits).cost}`] : []),
    ...(state.task.scope
      ? [`  scope: ${state.task.scope.join(', ')}`]
      : ['  no scope set: any file may be changed']),
    ...(off.length > 0 ? [`  guards off: ${off.join(', ')}`] : []),
    `  ${resolutionLine(resolutionFigures(state.escalations, new Date()))}`,
  ];
}

/** V-1: the limit is that of the round. Between two of them there is none. */
function turnOf(state: RunState, limits: LimitsInForce): string {
  if (state.began && !state.revision) return count(state.turn, 'turn');
  const { turn, max_turns, number } = presentFigures(state, limits);
  return `${number ? `round ${number}, ` : ''}turn ${turn} of ${max_turns ?? 'off'}`;
}

/** Also of edits that somebody made while the agent worked. */
function describeSaved(runDir: string): string[] {
  const saved = Object.entries(savedEdits(runDir));
  const more = saved.length - SAVED_SHOWN;
  return [
    ...saved
      .slice(0, SAVED_SHOWN)
      .map(
        ([path, place]) =>
          `  reverted: ${terminalLine(path, PATH_CELLS)}, saved in ${terminalLine(place, PLACE_CELLS)}`,
      ),
    ...(more > 0 ? [`  and ${count(more, 'more file')} reverted`] : []),
  ];
}

/** `undo` names its copies after the time. The figures above are those of the run. */
function describeUndone(runDir: string): string[] {
  const kept = join(runDir, 'undone');
  const last = existsSync(kept) ? readdirSync(kept).toSorted().at(-1) : undefined;
  return last ? [`  undone since; a copy of what was there is in ${join(kept, last)}`] : [];
}

/** A shell does not know `/continue`. */
function statusHere(state: RunState): string {
  const status = describeStatus(state, `autobuild resume ${state.run}`);
  const last = state.status === 'reviewing' ? state.revisions?.at(-1) : undefined;
  // Nothing takes the files back, so they may not be those that the checks passed with.
  return last?.outcome === 'cancelled' || last?.outcome === 'failed'
    ? `${status}; round ${last.number} ${last.outcome}, its files are kept`
    : status;
}

function resolutionLine({
  total,
  due,
  resolved_in_time,
  rate,
}: ReturnType<typeof resolutionFigures>): string {
  if (total === 0) return 'no question was asked';
  const open = total > due ? `${count(total - due, 'question')} asked less than an hour ago` : undefined;
  if (rate === undefined) return open ?? '';
  const target = `target ${RESOLUTION_TARGET.rate * 100} %`;
  const answered = `${resolved_in_time} of ${count(due, 'question')} answered within an hour (${Math.floor(rate * 100)} %, ${target})`;
  return open ? `${answered}, ${open}` : answered;
}
