import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, readTally, sumCounts, type TestCountReader } from './test-count-reader.ts';

/** Printed for each crate, integration test and doc test: `test result: FAILED. 1 passed; 1 failed; 1 ignored; …` */
const SUMMARY = /^test result: (?:ok|FAILED)\. (\d.{1,200})$/;

export const cargoTestCounts: TestCountReader = { name: 'cargo-test', read };

function read(output: string): TestCounts | undefined {
  const all: TestCounts[] = [];
  const failing: string[] = [];
  for (const line of output.split('\n')) {
    const name = /^test (\S.{0,300}) \.\.\. FAILED$/.exec(line)?.[1];
    if (name) failing.push(name);
    const summary = SUMMARY.exec(line)?.[1];
    if (!summary) continue;
    const tally = readTally(summary);
    all.push({
      passed: tally.get('passed') ?? 0,
      failed: tally.get('failed') ?? 0,
      skipped: tally.get('ignored') ?? 0,
      failing: [],
    });
  }
  const total = sumCounts(all);
  return total && { ...total, failing: listFailing(failing) };
}
