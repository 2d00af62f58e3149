import type { TestCounts } from '../../../core/contracts/verification.ts';
import { readPlainLines, stripAnsi } from '../../../core/errors/plain-lines.ts';
import { cargoTestCounts } from './cargo-test.ts';
import { goTestCounts } from './go-test.ts';
import { jestCounts } from './jest.ts';
import { junitXmlCounts } from './junit-xml.ts';
import { mochaCounts } from './mocha.ts';
import { nodeTestCounts } from './node-test.ts';
import { pytestCounts } from './pytest.ts';
import { tapCounts } from './tap.ts';
import type { TestCountReader } from './test-count-reader.ts';
import { vitestCounts } from './vitest.ts';

/** The most specific formats first, because `ok 1 - …` may be in any log but `test result: ok. 3 passed;` only in cargo's. */
const READERS: readonly TestCountReader[] = [
  vitestCounts,
  jestCounts,
  cargoTestCounts,
  pytestCounts,
  nodeTestCounts,
  mochaCounts,
  goTestCounts,
  junitXmlCounts,
  tapCounts,
];

/** The numbers in the test tool's own summary; `undefined` if the output has none. */
export function readTestCounts(output: string): TestCounts | undefined {
  const lines = readPlainLines(output).join('\n');
  for (const reader of READERS) {
    // An XML report may be a single long line. All other formats are read from lines of bounded length.
    const counts = reader.read(reader === junitXmlCounts ? stripAnsi(output) : lines);
    if (counts) return counts;
  }
  return undefined;
}
