import { code, inlineText } from '../text/harmless.ts';
import { blocks, marker, renderTable } from '../text/markdown.ts';

interface NotStarted {
  op: string;
  /** Follows "Not started:". */
  headline: string;
  problems: { line?: number; key: string; found?: string; allowed: string }[];
  /** The remedy, in one sentence. */
  next: string;
  mention: string;
}

/** Says why a label did not start a run, and how to fix it. */
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
    `@${mention}, please take a look (you set the label).`,
  );
}
