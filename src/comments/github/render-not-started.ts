import { code, inlineText } from '../text/harmless.ts';
import { blocks, marker, renderTable } from '../text/markdown.ts';

export interface NotStarted {
  op: string;
  /** After "Not started:". */
  headline: string;
  problems: { line?: number; key: string; found?: string; allowed: string }[];
  /** What to do, in one sentence. */
  next: string;
  mention: string;
}

/** A label that could not become a run: what is wrong, where, and what to do. */
export function renderNotStarted({ op, headline, problems, next, mention }: NotStarted): string {
  return blocks(
    `${marker('not-started', { op })}\n### ✗ Not started: ${headline}`,
    problems.length > 0 &&
      renderTable({
        head: ['Line', 'Key', 'Found', 'Allowed'],
        align: 'rlll',
        rows: problems.map(({ line, key, found, allowed }) => [
          line ? String(line) : '',
          code(key, 80),
          found ? code(found, 80) : '',
          inlineText(allowed, 200),
        ]),
      }),
    `**Next:** ${next}`,
    `Asking @${mention}, who labelled the issue.`,
  );
}
