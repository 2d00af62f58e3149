import { expect, test } from 'vitest';
import { renderCi } from '../../../src/comments/github/render-ci.ts';
import type { FailedCheck } from '../../../src/core/contracts/revision.ts';
import type { KnownCi } from '../../../src/core/contracts/run-state.ts';
import { findActive } from '../active-markdown.ts';
import { TRICKS } from '../hostile-text.ts';
import { WHERE } from '../story.ts';

const LOG = [
  ...Array.from({ length: 36 }, (_, test) => `  ✓ ${test + 1} cart.spec.ts`),
  '  1) checkout.spec.ts:31:5 › pays by card',
  '     Error: expect(locator).toHaveText: "Paid" – received "Pending"',
  '  1 failed, 36 passed',
  'Process completed with exit code 1.',
].join('\n');

const E2E: FailedCheck = {
  name: 'e2e (chromium)',
  url: 'https://github.com/acme/storefront/actions/runs/7000/job/42',
  step: 'Run tests',
  failed_at: '2026-11-16T15:48:00.000Z',
  log: LOG,
  error: 'Error: expect(locator).toHaveText: "Paid" – received "Pending"',
  signature: 'x',
  base: { result: 'passes' },
};
const LINT: FailedCheck = {
  name: 'lint',
  signature: 'y',
  base: { result: 'fails', since: { sha: '77ab001c', at: '2026-11-16T13:52:00.000Z' } },
};
const REPORT: KnownCi = {
  ...{ head: '3c81d02e', base: 'main', total: 6, failed: [E2E], flaky: [], waiting: [], conflict: false },
  ...{ number: 1, round: 2, at: '2026-11-16T15:52:00.000Z' },
};
const HERE = { ...WHERE, op: 'k7m2q9.c1' };

const render = (report: Partial<KnownCi>, isNewest = true) =>
  renderCi({ run: 'k7m2q9', report: { ...REPORT, ...report }, round: 3, isNewest, setting: 'ask' }, HERE);

const COMMENTS: Record<string, string> = {
  'ci-failed': render({}),
  'ci-failed-on-base': render({ failed: [LINT], flaky: ['unit'] }),
  'ci-ignored': render({ answer: { answer: 'ignore', by: 'hubert' } }),
  'ci-being-fixed': render({ answer: { answer: 'fix', by: 'hubert' } }),
  'ci-outdated': render({}, false),
  'ci-flaky': render({ failed: [], flaky: ['e2e (chromium)'] }),
  'ci-waits-for-approval': render({
    ...{ failed: [], total: 0 },
    waiting: [{ name: 'ci', url: 'https://github.com/acme/storefront/actions/runs/7000' }],
  }),
  'ci-conflict': render({ failed: [], total: 0, conflict: true }),
};

test.each(Object.entries(COMMENTS))('V-7: %s', async (name, text) => {
  await expect(`${text}\n`).toMatchFileSnapshot(`../../golden/comments/${name}.md`);
});

test('N-4: without a server, a comment with boxes or a command says how long they take', () => {
  const slow = { ...HERE, capabilities: { live: false, form: false, answer_minutes: 2 } };
  const facts = { run: 'k7m2q9', round: 3, isNewest: true, setting: 'ask' as const };
  const words = 'an answer takes effect in about 2 minutes: a job has to start first';
  for (const report of [REPORT, { ...REPORT, failed: [], conflict: true }])
    expect(renderCi({ ...facts, report }, slow)).toContain(words);
  const flaky = { ...REPORT, failed: [], flaky: ['unit'] };
  for (const report of [flaky, { ...REPORT, answer: { answer: 'ignore' as const, by: 'hubert' } }])
    expect(renderCi({ ...facts, report }, slow)).not.toContain(words);
  expect(render({})).not.toContain('takes effect');
});

test('V-7: times are those of the day, because nobody edits the comment as they pass', () => {
  const text = render({ failed: [E2E, LINT] });
  expect(text).toContain('failed on 16 Nov 2026 at 15:48 UTC.');
  expect(text).toContain('since `77ab001` (16 Nov 2026 13:52 UTC)');
  expect(text).not.toMatch(/\bago\b/);
});

test('V-6: a conflict names the command that ends it, and nothing ends in a setting that decided nothing', () => {
  expect(render({ failed: [], total: 0, conflict: true })).toContain('`/continue update`');
  for (const report of [{ conflict: true }, { flaky: ['unit'] }])
    expect(render({ failed: [], ...report })).not.toContain('revisions.on_ci_failure');
});

test('V-7: names, steps and logs of others do nothing in the comment', () => {
  for (const trick of TRICKS) {
    const check = { ...E2E, name: trick, step: trick, log: `${trick}\n${LOG}`, error: trick };
    const text = render({ failed: [check], flaky: [trick], waiting: [{ name: trick, url: trick }] });
    const allowed = {
      types: ['heading', 'link'],
      html: /^<!-- autobuild:(?:ci|option)|^<\/?(?:sub|details|summary|code)>?/,
      boxes: 2,
    };
    expect(findActive(text, allowed), trick).toEqual([]);
  }
});

test('V-7: a hundred failing checks with long logs fit into one comment', () => {
  const failed = Array.from({ length: 100 }, (_, check) => ({ ...E2E, name: `check ${check}` }));
  const text = render({ failed, total: 100 });
  expect(text.length).toBeLessThan(30_000);
  expect(text).toContain('id=c1.fix');
});
