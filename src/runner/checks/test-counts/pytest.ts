import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, readTally, sumCounts, type TestCountReader } from './test-count-reader.ts';

/** `=== 3 failed, 1 passed, 1 skipped in 1.20s ===`, or without the `===` under `-q`. */
const SUMMARY = /^(?:=+ )?(\d[\w, ]{1,200}) in \d[\d.]*s(?: \([\d:, a-z]{1,30}\))?(?: =+)?$/;
const WORDS = /\b(?:passed|failed|errors?|skipped|xfailed|xpassed)\b/;

export const pytestCounts: TestCountReader = { name: 'pytest', read };

function read(output: string): TestCounts | undefined {
  const all: TestCounts[] = [];
  const failing: string[] = [];
  for (const line of output.split('\n')) {
    const name = /^(?:FAILED|ERROR) (\S.*)$/.exec(line)?.[1];
    if (name && /\.py\b/.test(name)) failing.push(name.split(' - ')[0] ?? name);
    const summary = SUMMARY.exec(line.trimEnd())?.[1];
    if (!summary || !WORDS.test(summary)) continue;
    const tally = readTally(summary);
    const count = (...words: string[]) => words.reduce((total, word) => total + (tally.get(word) ?? 0), 0);
    all.push({
      passed: count('passed', 'xpassed'),
      failed: count('failed', 'error', 'errors'),
      skipped: count('skipped', 'xfailed'),
      failing: [],
    });
  }
  const total = sumCounts(all);
  return total && { ...total, failing: listFailing(failing) };
}
