import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, readTally, sumCounts, type TestCountReader } from './test-count-reader.ts';

/** `Tests:       2 failed, 1 skipped, 3 passed, 6 total` */
const SUMMARY = /(?:^|\s)Tests: {1,12}(\d[\w, ]{1,200} total)$/;

export const jestCounts: TestCountReader = { name: 'jest', read };

function read(output: string): TestCounts | undefined {
  const all: TestCounts[] = [];
  const failing: string[] = [];
  // A suite that failed to run counts as one failed test. A set, because Jest may print it twice.
  let unloaded = new Set<string>();
  let file = '';
  for (const line of output.split('\n')) {
    file = /^\s*FAIL (\S+)/.exec(line)?.[1] ?? file;
    const title = /^\s{2}● (\S.*)$/.exec(line)?.[1];
    if (title === 'Test suite failed to run') {
      unloaded.add(file);
      failing.push(file);
    } else if (title && title !== 'Console') failing.push(title);
    const summary = SUMMARY.exec(line.trimEnd())?.[1];
    if (summary === undefined) continue;
    const tally = readTally(summary);
    all.push({
      passed: tally.get('passed') ?? 0,
      failed: (tally.get('failed') ?? 0) + unloaded.size,
      skipped: (tally.get('skipped') ?? 0) + (tally.get('todo') ?? 0),
      failing: [],
    });
    unloaded = new Set();
  }
  const total = sumCounts(all);
  return total && { ...total, failing: listFailing(failing) };
}
