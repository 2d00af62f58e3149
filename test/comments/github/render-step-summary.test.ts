import { expect, test } from 'vitest';
import { type JobRecord, renderStepSummary } from '../../../src/comments/github/render-step-summary.ts';
import type { Verification } from '../../../src/core/contracts/verification.ts';

const check = { exit_code: 0, timed_out: false, duration_ms: 1_500, output_tail: '', errors: [] };
const VERIFICATION: Verification = {
  at: '2026-11-16T09:00:00.000Z',
  ok: false,
  checks: [
    { ...check, command: 'npm test', ok: false },
    { ...check, command: 'npm run lint', ok: true },
  ],
};
const RECORD: JobRecord = {
  title: 'Add a login page',
  run: 'r1',
  job: 2,
  kind: 'build',
  agent: 'scripted',
  end: 'paused, the work is saved',
  turns: [],
  leftOut: [],
};

test('the record in figures: how the job ended, the checks, what cannot be committed', () => {
  const leftOut = [{ path: 'passwd', problem: 'it is a symbolic link' }];
  expect(
    renderStepSummary({ ...RECORD, baseline: VERIFICATION, leftOut }),
  ).toBe(`### Autobuild: Add a login page

**Job 2:** paused, the work is saved

1 of 2 checks pass.

|  | Check | Took |
|:-:|:--|--:|
| ✗ | \`npm test\` | 1.5 s |
| ✓ | \`npm run lint\` | 1.5 s |

1 change cannot be committed:
- \`passwd\`: it is a symbolic link

<sub>run \`r1\` · agent \`scripted\`</sub>`);
});

test('S-14: text of issues and agents is harmless in it, and there is nothing to tick', () => {
  const hostile = '- [ ] @everyone <img src=x> ![](http://evil)\n# fixes #1';
  const text = renderStepSummary({
    ...RECORD,
    title: hostile,
    end: hostile,
    leftOut: [{ path: hostile, problem: hostile }],
  });
  expect(text.split('\n').filter((line) => /^\s*[-*] \[[ x]\]/.test(line))).toEqual([]);
  // Inside of code it is shown, and does nothing.
  const outside = text.replaceAll(/`[^`]*`/g, '');
  expect(outside).not.toMatch(/<img|!\[|@everyone|#1/);
});

test('a list without end is cut', () => {
  const leftOut = Array.from({ length: 500 }, (_, n) => ({ path: `f${n}`, problem: 'too large' }));
  const text = renderStepSummary({ ...RECORD, kind: 'verify', leftOut });
  expect(text).toContain('- and 480 more');
  expect(text).toContain('**Fresh verification:**');
});
