import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, readTally, sumCounts, type TestCountReader } from './test-count-reader.ts';

/** `Tests  2 failed | 2 passed | 1 skipped | 1 todo (6)`, also after the prefix of a workspace. */
const SUMMARY = /(?:^|\s)Tests {2}(?=\d)([^(]{1,200}) \(\d+\)$/;
const NO_TESTS = /(?:^|\s)Tests {2}no tests$/;

export const vitestCounts: TestCountReader = { name: 'vitest', read };

function read(output: string): TestCounts | undefined {
  const all: TestCounts[] = [];
  // A file that could not be loaded counts as one failed test.
  let unloaded = 0;
  const failing: string[] = [];
  for (const line of output.split('\n')) {
    const summary = SUMMARY.exec(line.trimEnd());
    if (summary || NO_TESTS.test(line.trimEnd())) {
      all.push(countSummary(summary?.[1] ?? '', unloaded));
      unloaded = 0;
    }
    unloaded += Number(/⎯ Failed Suites (\d{1,6}) ⎯/.exec(line)?.[1] ?? 0);
    const name = /(?:^|\s)FAIL {2}(\S.*)$/.exec(line)?.[1];
    if (name) failing.push(name.replace(/ \[ .* \]$/, ''));
  }
  const total = sumCounts(all);
  return total && { ...total, failing: listFailing(failing) };
}

function countSummary(text: string, unloaded: number): TestCounts {
  const tally = readTally(text);
  return {
    passed: tally.get('passed') ?? 0,
    failed: (tally.get('failed') ?? 0) + unloaded,
    skipped: (tally.get('skipped') ?? 0) + (tally.get('todo') ?? 0),
    failing: [],
  };
}
