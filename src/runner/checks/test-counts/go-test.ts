import type { TestCounts } from '../../../core/contracts/verification.ts';
import { sumCounts, type TestCountReader } from './test-count-reader.ts';

export const goTestCounts: TestCountReader = { name: 'go-test', read };

type Result = { name: string; outcome: string };

/**
 * Without `-v`, Go names only failing tests, so a package that is `ok` counts as one passed test. The pass rate still rises
 * with each test that is fixed.
 */
function read(output: string): TestCounts | undefined {
  const packages: TestCounts[] = [];
  let results: Result[] = [];
  for (const line of output.split('\n')) {
    const test = /^\s*--- (PASS|FAIL|SKIP): (\S{1,300}) \(/.exec(line);
    if (test?.[1] && test[2]) results.push({ outcome: test[1], name: test[2] });
    const end = /^(ok {2}|FAIL)\t(\S{1,300})/.exec(line);
    if (!end?.[2]) continue;
    packages.push(countPackage(end[2], end[1] !== 'FAIL', results));
    results = [];
  }
  return sumCounts(packages);
}

function countPackage(name: string, ok: boolean, results: readonly Result[]): TestCounts {
  const leaves = withoutParents(results);
  const failing = leaves.filter((result) => result.outcome === 'FAIL').map((result) => result.name);
  const passed = leaves.filter((result) => result.outcome === 'PASS').length;
  const skipped = leaves.filter((result) => result.outcome === 'SKIP').length;
  if (ok) return { passed: Math.max(passed, 1), failed: 0, skipped, failing: [] };
  // The package did not build, or failed outside any test.
  if (failing.length === 0) return { passed, failed: 1, skipped, failing: [name] };
  return { passed, failed: failing.length, skipped, failing };
}

/** Leaves out tests that have subtests, because Go reports the subtests' outcome for them again. */
function withoutParents(results: readonly Result[]): Result[] {
  const parents = new Set<string>();
  for (const { name } of results) {
    const cut = name.lastIndexOf('/');
    if (cut > 0) parents.add(name.slice(0, cut));
  }
  return results.filter((result) => !parents.has(result.name));
}
