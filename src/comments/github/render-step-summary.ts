import type { TurnRecord } from '../../core/contracts/run-event.ts';
import { type BaseVerification, score, type Verification } from '../../core/contracts/verification.ts';
import { compareResults } from '../text/both-results.ts';
import { code, inlineText } from '../text/harmless.ts';
import { blocks, renderTable, small } from '../text/markdown.ts';
import { count } from '../text/words.ts';
import { turnTable } from './sections/turn-history.ts';
import { explainBaseRun } from './sections/with-base.ts';

/** One job in figures, for the summary page of its Actions run. It has no boxes. */
export interface JobRecord {
  title: string;
  run: string;
  job: number;
  kind: 'build' | 'verify';
  /** The job that verifies need not know it. */
  agent?: string;
  end: string;
  baseline?: Verification;
  turns: readonly TurnRecord[];
  /** The result of the fresh job. */
  verification?: Verification;
  /** Its second result, with the base's versions of files that the checks depend on. */
  withBase?: BaseVerification;
  leftOut: readonly { path: string; problem: string }[];
}

const LEFT_OUT_SHOWN = 20;

export function renderStepSummary(record: JobRecord): string {
  const { kind, turns, leftOut } = record;
  const last =
    record.verification ?? turns.findLast((turn) => turn.verification)?.verification ?? record.baseline;
  return blocks(
    `### Autobuild: ${inlineText(record.title, 120)}`,
    `**${kind === 'verify' ? 'Fresh verification' : `Job ${record.job}`}:** ${inlineText(record.end, 200)}`,
    last && summarize(last),
    last && renderTable(checksOf(last)),
    last &&
      record.withBase &&
      `**${compareResults(last, record.withBase.verification)}.** ${explainBaseRun(record.withBase)}`,
    turns.length > 0 && renderTable(turnTable(turns)),
    leftOut.length > 0 && renderLeftOut(leftOut),
    small([
      `run ${code(record.run, 40)}`,
      ...(record.agent === undefined ? [] : [`agent ${code(record.agent, 40)}`]),
    ]),
  );
}

function summarize(verification: Verification): string {
  const { passed, total, unit } = score(verification);
  return `${passed} of ${total} ${unit} pass.`;
}

function checksOf({ checks }: Verification) {
  return {
    head: ['', 'Check', 'Took'],
    align: 'clr',
    rows: checks.map(({ ok, command, duration_ms }) => [
      ok ? '✓' : '✗',
      code(command, 120),
      `${(duration_ms / 1000).toFixed(1)} s`,
    ]),
  };
}

function renderLeftOut(leftOut: JobRecord['leftOut']): string {
  const shown = leftOut
    .slice(0, LEFT_OUT_SHOWN)
    .map(({ path, problem }) => `- ${code(path, 200)}: ${inlineText(problem, 200)}`);
  const more = leftOut.length - shown.length;
  return [
    `${count(leftOut.length, 'change')} cannot be committed:`,
    ...shown,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n');
}
