import type { TestCounts } from '../../../core/contracts/verification.ts';
import { listFailing, type TestCountReader } from './test-count-reader.ts';

export const tapCounts: TestCountReader = { name: 'tap', read };

const POINT = /^(\s*)(not ok|ok)\b(?: \d+)?(?: -)? ?(.*)$/;

function read(output: string): TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failing: string[] = [];
  let plan = false;
  let depth = 0;
  for (const raw of output.split('\n')) {
    const line = raw.trimEnd();
    if (/^(?:TAP version \d+|1\.\.\d+)/.test(line)) plan = true;
    const close = /^(\s*)\}$/.exec(line);
    if (close) depth = close[1]?.length ?? 0;
    const point = POINT.exec(line);
    if (!point) continue;
    const indent = point[1]?.length ?? 0;
    const text = point[3] ?? '';
    // A test with subtests is left out, because it repeats their outcome. It opens a block or follows an indented one.
    const parent = text.endsWith('{') || indent < depth;
    depth = indent;
    if (parent) continue;
    if (/ # (?:skip|todo)\b/i.test(` ${text}`)) counts.skipped += 1;
    else if (point[2] === 'ok') counts.passed += 1;
    else {
      counts.failed += 1;
      failing.push(text.replace(/ # time=\S+$/, ''));
    }
  }
  const total = counts.passed + counts.failed + counts.skipped;
  return plan && total > 0 ? { ...counts, failing: listFailing(failing) } : undefined;
}
