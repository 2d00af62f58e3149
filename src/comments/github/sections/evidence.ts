import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type {
  Evidence,
  Occurrence,
  PassRate,
  ProposedWrite,
  Trigger,
  WriteReason,
} from '../../../core/contracts/guard.ts';
import type { RunState } from '../../../core/contracts/run-state.ts';
import { counterOf, unitName } from '../../text/figures.ts';
import type { Fold } from '../../text/fit-comment.ts';
import { code, htmlCode, inlineText } from '../../text/harmless.ts';
import { link, renderTable, type Table } from '../../text/markdown.ts';
import { placeOf, renderPlace } from '../../text/places.ts';
import { renderSparkline } from '../../text/sparkline.ts';
import { clockSeconds, count, list } from '../../text/words.ts';
import { blockerTable } from './external-blocker.ts';
import { turnTable } from './turn-history.ts';

/** The evidence of a trigger. The deciding part is visible, the rest is in folds. */
interface ShownEvidence {
  open: string[];
  folds: Fold[];
}

/** Shows every filled field, from any guard. `alone`: no other trigger needs room on the first screen. */
export function showEvidence(
  state: RunState,
  trigger: Trigger,
  alone: boolean,
  where: CommentContext,
): ShownEvidence {
  const { evidence } = trigger;
  const shown: ShownEvidence = { open: [], folds: [] };
  const blocker = blockerTable(evidence, where);
  if (blocker) shown.open.push(renderTable(blocker));
  showProposed(evidence, shown, where);
  showOccurrences(trigger, alone, shown, where);
  showTurns(state, evidence, alone, shown);
  showRates(evidence, alone, shown);
  if (evidence.attempts?.length) {
    const rows = evidence.attempts.map(actionRow);
    shown.folds.push({
      summary: `The last ${count(rows.length, 'attempt')}`,
      content: [{ head: ACTION_HEAD, rows }],
    });
  }
  return shown;
}

const HELD: Record<WriteReason, string> = {
  file_limit: 'one file over the limit',
  out_of_scope: "outside the task's scope",
  gate_bypassed: 'edited without asking',
  protected: 'a protected path',
  workflow:
    'a workflow: it runs with the repository’s secrets, and the App needs `workflows: write` to commit it',
  owners: 'a file that sets code owners',
  agent_config: 'a file with instructions or settings for agents',
};

const NEVER_COMMITTED = 'a workflow, and GitHub does not let Actions commit one: add it yourself';

/** All reasons, because the least harmful one alone would hide the others. */
function renderReasons(
  { why, reasons = [why] }: ProposedWrite,
  { capabilities: { workflow_files } }: CommentContext,
): string {
  const words = workflow_files === false ? { ...HELD, workflow: NEVER_COMMITTED } : HELD;
  return [...new Set(reasons)].map((reason) => words[reason]).join(' *and* ');
}

function showProposed(
  { proposed = [], examined = [], scope, files }: Evidence,
  shown: ShownEvidence,
  where: CommentContext,
): void {
  for (const write of proposed.slice(0, 5)) {
    const path = `**${renderPlace(write.path, where)}**`;
    const before = examined.some((file) => file.path === write.path && file.approved_before);
    const reasons = renderReasons(write, where);
    const changed = before ? ' It was approved before, but has changed since.' : '';
    shown.open.push(
      write.finished
        ? `The finished work changes ${path} (${reasons}).${changed} It is only committed if you approve it.${notShown(write, where.links?.diff)}`
        : write.held
          ? `The agent wants to change ${path} (${reasons}). The edit waits for your answer.${write.diff === undefined ? ' The agent did not say what it would write.' : ''}`
          : `The agent changed ${path} (${reasons}). The edit was reverted and saved; approve to apply it.${notShown(write)}`,
    );
  }
  if (proposed.length > 5) {
    shown.open.push(`${count(proposed.length - 5, 'more file')} in the list below.`);
    if (!files?.length)
      shown.folds.push({
        summary: `All ${proposed.length} files to approve`,
        content: [
          {
            head: ['File', 'Why'],
            rows: proposed.map((write) => [code(write.path, 160), renderReasons(write, where)]),
          },
        ],
      });
  }
  if (scope?.length)
    shown.open.push(
      `**The task's scope:** ${list(
        scope.map((path) => code(path, 100)),
        10,
      )}`,
    );
  const diffs = proposed.filter((write) => write.diff);
  if (diffs.length > 0) {
    shown.folds.push({
      summary: `The proposed edit${diffs.length > 1 ? `s: ${diffs.length} files` : ''}`,
      content: [
        ...diffs.slice(0, 5).map((write) => ({ raw: write.diff ?? '', info: 'diff' })),
        ...renderWholeDiff(proposed, where),
      ],
    });
  }
  if (files?.length) {
    const rows = files.map((path, i) => [String(i + 1), code(path, 160), '']);
    rows.push(
      ...proposed.map((write, i) => [
        String(files.length + i + 1),
        code(write.path, 160),
        write.finished ? 'needs approval' : write.held ? 'not changed yet' : 'reverted',
      ]),
    );
    shown.folds.push({
      summary: `The ${count(files.length, 'file')} so far: ${groupFolders(files)}`,
      content: [{ head: ['', 'File', ''], align: 'rll', rows }],
    });
  }
}

/** S-7: an approval covers content that this comment does not show, so it says so. */
function notShown({ diff, why }: ProposedWrite, whole?: string): string {
  // At the file limit the number is approved, not the content.
  if (diff || why === 'file_limit') return '';
  return whole === undefined
    ? ' Its content is not shown here.'
    : ` Its content is not shown here: ${link('the whole change', whole)}.`;
}

/** A comment has room for so much of a diff at the least. */
const SURELY_SHOWN = 500;

function renderWholeDiff(proposed: readonly ProposedWrite[], { links }: CommentContext): string[] {
  const isCut = proposed.length > 5 || proposed.some(({ diff = '' }) => diff.length > SURELY_SHOWN);
  return isCut && links?.diff ? [link('The whole change', links.diff)] : [];
}

function groupFolders(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.includes('/') ? path.split('/').slice(0, -1).slice(0, 2).join('/') : 'top level';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const groups = [...counts].sort((a, b) => b[1] - a[1]).map(([folder, n]) => `${htmlCode(folder, 40)} ${n}`);
  return list(groups, 5);
}

function showOccurrences(
  trigger: Trigger,
  alone: boolean,
  shown: ShownEvidence,
  where: CommentContext,
): void {
  const { occurrences = [] } = trigger.evidence;
  if (occurrences.length === 0) return;
  const table = occurrenceTable(occurrences, where);
  if (alone && occurrences.length <= 5) shown.open.push(renderTable(table));
  else
    shown.folds.push({
      summary: `${counterOf(trigger)}: the ${alone ? 'last ' : ''}${count(occurrences.length, 'occurrence')}`,
      content: [table],
    });
}

function occurrenceTable(occurrences: readonly Occurrence[], where: CommentContext): Table {
  const same = new Set(occurrences.map(({ error }) => error.signature)).size === 1;
  const rows = occurrences.map(({ turn, at, error, remediation }, i) => {
    const tried = remediation
      .slice(-3)
      .map((step) => inlineText(step, 120))
      .join('; ');
    return [
      String(i + 1),
      `${turn}, ${clockSeconds(at)}`,
      placeOf(error, where) || code(occurrences[i]?.operation ?? '', 80),
      ...(same ? [] : [code(error.message, 200)]),
      tried || (i === occurrences.length - 1 ? 'Stopped here' : 'nothing'),
    ];
  });
  return { head: ['', 'Turn, when (UTC)', 'Where', ...(same ? [] : ['Error']), 'Tried next'], rows };
}

function showTurns(
  state: RunState,
  { signature, turns = [] }: Evidence,
  alone: boolean,
  shown: ShownEvidence,
): void {
  if (turns.length === 0 || !signature) return;
  if (alone) shown.open.push(`Turns ${list(turns.map(String))} ended the same way: ${code(signature, 120)}.`);
  const records = state.turns.filter((record) => turns.includes(record.turn) && record.kind === 'normal');
  if (records.length === 0) return;
  shown.folds.push({
    summary: `The ${count(records.length, 'turn')} side by side`,
    content: [
      turnTable(records),
      'Line numbers, times and temporary paths are removed before results are compared.',
    ],
  });
}

function showRates({ pass_rates = [] }: Evidence, alone: boolean, shown: ShownEvidence): void {
  if (pass_rates.length === 0) return;
  if (alone) shown.open.push(`**Pass rates:** ${ratesInShort(pass_rates)}`);
  shown.folds.push({
    summary: `Pass rates of all ${count(pass_rates.length, 'run')}`,
    content: [rateTable(pass_rates)],
  });
}

/** `11, 11, 11 of 14 · ▆▆▆` */
function ratesInShort(rates: readonly PassRate[]): string {
  const last = rates.slice(-6);
  const totals = new Set(last.map((rate) => rate.total));
  const values =
    totals.size === 1
      ? `${last.map((rate) => rate.passed).join(', ')} of ${last[0]?.total}`
      : last.map((rate) => `${rate.passed}/${rate.total}`).join(', ');
  return `${values} · \`${renderSparkline(last)}\``;
}

function rateTable(rates: readonly PassRate[]): Table {
  const rows = rates.map((rate) => [
    rate.turn === 0 ? 'Baseline' : String(rate.turn),
    `${rate.passed}/${rate.total}`,
    `${rate.total > 0 ? Math.floor((100 * rate.passed) / rate.total) : 0} %`,
  ]);
  return { head: ['After turn', unitName(rates[0] ?? { unit: 'tests' }), 'Rate'], align: 'lrr', rows };
}

export const ACTION_HEAD = ['Turn, time (UTC)', 'Action', 'Result'];

export function actionRow(action: {
  turn: number;
  at: string;
  title: string;
  ok: boolean;
  result: string;
}): string[] {
  const result = inlineText(action.result, 120);
  return [
    `${action.turn}, ${clockSeconds(action.at)}`,
    inlineText(action.title, 160),
    `${action.ok ? '✓' : '✗'} ${result}`.trimEnd(),
  ];
}

/** One cell in the table of limits reached. */
export function evidenceInShort({ evidence }: Trigger, where: CommentContext): string {
  const last = evidence.occurrences?.at(-1);
  if (last) return [code(last.error.message, 100), placeOf(last.error, where)].filter(Boolean).join(', ');
  if (evidence.pass_rates?.length) return ratesInShort(evidence.pass_rates.slice(-3));
  if (evidence.signature) return code(evidence.signature, 100);
  if (evidence.proposed?.length)
    return list(
      evidence.proposed.map((write) => code(write.path, 80)),
      3,
    );
  if (evidence.blocker) return code(evidence.blocker.kind, 40);
  if (evidence.help) return inlineText(evidence.help.what_i_need, 100);
  if (evidence.review_reason) return inlineText(evidence.review_reason, 100);
  return '';
}
