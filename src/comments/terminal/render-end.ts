import { firstBaseline, lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { checkFiles } from '../../core/work/check-files.ts';
import { partialCause } from '../github/render-pull-request.ts';
import { ratesOf } from '../text/figures.ts';
import { revertedEdits } from '../text/reverted-edits.ts';
import { type Totals, totalsOf } from '../text/totals.ts';
import { count, list } from '../text/words.ts';
import { paintState, type RunLook, widthOf } from './style.ts';
import { terminalLine } from './terminal-text.ts';

const REVERTED_SHOWN = 10;
const PLACE_CELLS = 400;
const CHECK_FILES_SHOWN = 3;

interface EndLook extends RunLook {
  left?: {
    /** The branch and directory of a worktree that the run made. */
    branch?: string;
    worktree: string;
    /** The command that takes a patch over from there. */
    apply?: string;
    /** Whether there is a snapshot to compare with. */
    hasSnapshot: boolean;
    /** The result of `git status` in one line. */
    git?: string;
  };
}

/** The end of a run: result, totals, branch. */
export function renderEnd(state: RunState, look: EndLook): string {
  const totals = totalsOf(state, look.limits);
  const { paths, added, removed } = state.changes;
  const lines = [
    paintState(terminalLine(headline(state), widthOf(look)), look),
    ...(isPartial(state)
      ? [`  Task completed with partial results due to ${terminalLine(partialCause(state), 60)}`]
      : []),
    ...state.known_issues
      .slice(0, 10)
      .map((issue) => `  ✗ known issue: ${terminalLine(issue.title, widthOf(look) - 18)}`),
    ...revertedLines(state, look),
    ...checkFileLines(state, look),
    `  turns ${totals.turns}   ${totals.working}   waiting ${totals.waiting}${spent(state, totals)}`,
    `  ${count(paths.length, 'file')}, +${added} −${removed}`,
    ...workLines(state, look),
  ];
  return lines.join('\n');
}

/** Where the work is, and the commands that show and undo it. */
function workLines({ run, status, changes }: RunState, { left }: EndLook): string[] {
  if (!left) return [];
  const isOver = status !== 'waiting_for_input' && status !== 'building' && status !== 'pending';
  return [
    ...(left.branch
      ? [`  branch ${terminalLine(left.branch, 70)}`, `  in ${terminalLine(left.worktree, 400)}`]
      : []),
    ...(left.git ? [`  git:   ${left.git}`] : []),
    ...(left.hasSnapshot && changes.paths.length > 0
      ? [`  Look:  autobuild diff ${run}${isOver ? `     Undo:  autobuild undo ${run}` : ''}`]
      : []),
    ...(left.apply && left.hasSnapshot && isOver && changes.paths.length > 0
      ? [`  Take:  autobuild diff ${run} | ${terminalLine(left.apply, PLACE_CELLS)}`]
      : []),
    ...(status === 'reviewing' ? [`  More:  autobuild resume ${run} --answer '/guide …'`] : []),
  ];
}

/** V-9: a round without a result leaves the run as it was, but nothing takes its files back. */
function stoppedRound(state: RunState): string | undefined {
  const last = state.revisions?.at(-1);
  if (state.status !== 'reviewing' || !last || isKept(last)) return undefined;
  const kept = 'its files are kept';
  return last.outcome === 'failed'
    ? `✗ Round ${last.number} failed, ${kept}: ${last.reason ?? 'no reason recorded'}`
    : `✗ Round ${last.number} cancelled: ${figures(state)}; ${kept}`;
}

function isKept({ outcome }: NonNullable<RunState['revisions']>[number]): boolean {
  return outcome === 'done' || outcome === 'partial';
}

function revertedLines(state: RunState, look: EndLook): string[] {
  const paths = revertedEdits(state);
  const more = paths.length - REVERTED_SHOWN;
  return [
    ...paths.slice(0, REVERTED_SHOWN).flatMap((path) => {
      const saved = look.saved_edits?.[path];
      return [
        `  ✗ reverted, not included: ${terminalLine(path, widthOf(look) - 28)}`,
        ...(saved ? [`    saved in ${terminalLine(saved, PLACE_CELLS)}`] : []),
      ];
    }),
    ...(more > 0 ? [`  ✗ and ${count(more, 'more file')} reverted`] : []),
  ];
}

/** The checks ran once, with the work's own versions of these files, unless a fresh job ran them. */
function checkFileLines(state: RunState, look: EndLook): string[] {
  if (state.fresh_verification || !(state.status === 'reviewing' || state.status === 'approved')) return [];
  const paths = checkFiles(state.changes.paths, { commands: state.checks, scripts: {}, patterns: [] });
  if (paths.length === 0) return [];
  const words = '  ! the work changes files that the checks depend on: ';
  return [`${words}${terminalLine(list(paths, CHECK_FILES_SHOWN), widthOf(look) - words.length)}`];
}

function isPartial(state: RunState): boolean {
  return state.finished?.partial === true && (state.status === 'reviewing' || state.status === 'approved');
}

function headline(state: RunState): string {
  const by = state.finished?.by ? ` by ${state.finished.by}` : '';
  switch (state.status) {
    case 'reviewing':
    case 'approved':
      return (
        stoppedRound(state) ??
        `✓ ${state.finished?.partial ? 'Partially done' : 'Done'}${roundOf(state)}: ${figures(state)}`
      );
    case 'rejected':
      return '✗ Rejected: closed without merging';
    case 'cancelled':
      return `✗ Cancelled${by}: ${figures(state)}; the work is kept`;
    case 'terminated_by_human':
      return `✗ Terminated${by}: ${figures(state)}; the work is kept`;
    case 'failed':
      return `✗ Failed: ${state.finished?.reason ?? 'no reason recorded'}`;
    case 'waiting_for_input':
      return `⏸ Paused: resume with autobuild resume ${state.run}`;
    case 'pending':
    case 'building':
      return `▶ Stopped in turn ${state.turn}: resume with autobuild resume ${state.run}`;
  }
}

/** V-8: the round whose work this is. */
function roundOf({ revisions = [] }: RunState): string {
  const last = revisions.findLast(isKept);
  return last ? `, round ${last.number}` : '';
}

function figures(state: RunState): string {
  const last = lastVerification(state);
  if (!last) return 'nothing verified';
  const { passed, total, unit } = score(last);
  const [first] = ratesOf(state);
  const before = firstBaseline(state) && first?.unit === unit ? ` (${first.passed} before)` : '';
  return `${passed} of ${total} ${unit} pass${before}`;
}

/** Nothing for an agent that does not report its usage, because a zero would be wrong. */
function spent({ usage }: RunState, { tokens, cost }: Totals): string {
  const { input_tokens, output_tokens, cost_usd } = usage;
  const parts = [input_tokens + output_tokens > 0 && `${tokens} tokens`, cost_usd !== null && cost];
  return parts.flatMap((part) => (part ? [`   ${part}`] : [])).join('');
}
