import type { TurnRecord } from '../../../core/contracts/run-event.ts';
import { score } from '../../../core/contracts/verification.ts';
import { code, inlineText } from '../../text/harmless.ts';
import type { Table } from '../../text/markdown.ts';
import { lineChange } from '../../text/words.ts';

/** One row per finished turn. Repeated signatures are bold, because they show a loop (G-10). */
export function turnTable(turns: readonly TurnRecord[]): Table {
  const seen = new Map<string, number>();
  for (const { signature } of turns) if (signature) seen.set(signature, (seen.get(signature) ?? 0) + 1);
  const rows = turns.map((record) => {
    const signature = record.signature ? code(record.signature, 120) : '';
    const repeated = signature && (seen.get(record.signature ?? '') ?? 0) > 1;
    return [
      turnLabel(record),
      whatItDid(record),
      lineChange(record.turn_added, record.turn_removed) || 'none',
      testsOf(record),
      repeated && seen.size > 1 ? `**${signature}**` : signature,
    ];
  });
  return { head: ['Turn', "What it did (agent's title)", 'Lines', 'Tests', 'Result'], rows };
}

function whatItDid({ title, failed, exit }: TurnRecord): string {
  const words = title ?? (failed ? exit : '');
  return [failed ? '✗' : '', words ? inlineText(words, 120) : ''].filter(Boolean).join(' ');
}

export function turnLabel({ turn, kind }: Pick<TurnRecord, 'turn' | 'kind'>): string {
  return kind === 'debug' ? `${turn}, debug` : String(turn);
}

export function testsOf({ verification }: Pick<TurnRecord, 'verification'>): string {
  if (!verification) return '';
  const { passed, total } = score(verification);
  return `${passed}/${total}`;
}
