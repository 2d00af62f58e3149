import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, sumCounts, type TestCountReader } from './test-count-reader.ts';

/** The totals node prints last: `ℹ pass 3` (spec reporter) or `# pass 3` (TAP reporter). */
const TOTAL = /^(?:ℹ|#) (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9})$/;

export const nodeTestCounts: TestCountReader = { name: 'node-test', read };

function read(output: string): TestCounts | undefined {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const all: TestCounts[] = [];
  let totals = new Map<string, number>();
  for (const line of lines) {
    const total = TOTAL.exec(line);
    if (!total?.[1]) continue;
    totals.set(total[1], Number(total[2]));
    // Requires `suites`, which only node prints, because other TAP producers print `# pass` too.
    if (total[1] !== 'todo' || !totals.has('suites')) continue;
    const count = (key: string) => totals.get(key) ?? 0;
    all.push({
      passed: count('pass'),
      failed: count('fail') + count('cancelled'),
      skipped: count('skipped') + count('todo'),
      failing: [],
    });
    totals = new Map();
  }
  const sum = sumCounts(all);
  return sum && { ...sum, failing: listFailing(findFailing(lines)) };
}

function* findFailing(lines: readonly string[]): Generator<string> {
  let listed = false;
  for (const [at, line] of lines.entries()) {
    if (line === '✖ failing tests:') listed = true;
    const spec = listed && /^✖ (\S.*) \([\d.]+ms\)$/.exec(line);
    if (spec) yield spec[1] ?? '';
    const tap = /^\s*not ok \d+ - (.*)$/.exec(line)?.[1];
    if (tap !== undefined && !/ # (?:TODO|SKIP)\b/i.test(tap) && !isSuite(lines, at)) yield tap;
  }
}

function isSuite(lines: readonly string[], at: number): boolean {
  return lines.slice(at + 1, at + 5).some((line) => line.trim() === "type: 'suite'");
}
