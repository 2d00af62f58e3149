import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, type TestCountReader } from './test-count-reader.ts';

const TITLE_LINES = 12;

export const mochaCounts: TestCountReader = { name: 'mocha', read };

function read(output: string): TestCounts | undefined {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let seen = false;
  const failing: string[] = [];
  for (const [at, line] of lines.entries()) {
    const passing = /^ {2}(\d{1,9}) passing \(/.exec(line);
    if (passing) {
      seen = true;
      counts.passed += Number(passing[1]);
    }
    counts.skipped += Number(/^ {2}(\d{1,9}) pending$/.exec(line)?.[1] ?? 0);
    const failed = /^ {2}(\d{1,9}) failing$/.exec(line);
    if (failed) counts.failed += Number(failed[1]);
    if (/^ {2}\d+\) \S/.test(line)) failing.push(readTitle(lines, at));
  }
  return seen ? { ...counts, failing: listFailing(failing) } : undefined;
}

/** In the list of failures a title has one line for each level, and the last line ends with a colon. */
function readTitle(lines: readonly string[], at: number): string {
  const titles: string[] = [];
  for (const line of lines.slice(at, at + TITLE_LINES)) {
    if (line === '') return '';
    titles.push(line.trim().replace(/^\d+\) /, ''));
    if (line.endsWith(':')) return titles.join(' > ').slice(0, -1);
  }
  return '';
}
