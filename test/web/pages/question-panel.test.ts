import { expect, test } from 'vitest';
import { renderProposedFile } from '../../../src/web/pages/parts.ts';
import { renderQuestionPanel } from '../../../src/web/pages/question-panel.ts';
import { Run, startRun } from '../../core/run-builder.ts';

test('V-3: the question on the page names the remarks about its file, as text', () => {
  const run = startRun({ task: { scope: ['src/**'] } }).beginTurn();
  const proposed = { path: 'docs/a.md', why: 'out_of_scope' as const, held: true };
  run.observe({ type: 'write_proposed', turn: 1, proposed, files: [], scope: ['src/**'] }).trip();
  const panel = (remarks: object[]) =>
    String(
      renderQuestionPanel({
        ...{ base: '', state: run.state, mayNot: 'Sign in to answer.' },
        pending: { ...run.asked, remarks } as typeof run.asked,
        viewer: {} as Parameters<typeof renderQuestionPanel>[0]['viewer'],
      }),
    );
  expect(panel([{ path: 'docs/a.md', author: 'hubert', url: 'https://github.example/c/1' }])).toContain(
    '<li><a href="https://github.example/c/1">remark by hubert</a> on <code>docs/a.md</code></li>',
  );
  const hostile = panel([{ path: '<b>', author: '<i>', url: 'javascript:alert(1)' }]);
  expect(hostile).toContain('<li>remark by &lt;i&gt; on <code>&lt;b&gt;</code></li>');
  expect(hostile).not.toContain('javascript:');
  expect(panel([])).not.toContain('Reviewers commented');
});

test('S-7: a change that cannot be shown is told as what it is', () => {
  const file = (how: { held: boolean; finished?: boolean }) =>
    String(renderProposedFile({ path: 'docs/a.md', why: 'out_of_scope', ...how }, 0));
  expect(file({ held: true })).toContain('The agent did not say what it will write.');
  expect(file({ held: false })).toContain('The change was reverted and saved; it is not shown here.');
  expect(file({ held: false, finished: true })).toContain('The change could not be read.');
});

test('R-13: the question about jobs links to the log, and shows names as code', () => {
  const run = new Run();
  const LOG = 'https://github.example/olivia/shop/actions/runs/7';
  const at = run.now();
  run.feed({ type: 'ticket_claimed_twice', at, job: 1, kind: 'build', actions_run: 7, log_url: LOG });
  const panel = (log_url: string) =>
    String(
      renderQuestionPanel({
        ...{ base: '', state: run.state, mayNot: 'Sign in to answer.' },
        pending: { ...run.asked, log_url, headline: 'the App lacks `actions: write`' },
        viewer: {} as Parameters<typeof renderQuestionPanel>[0]['viewer'],
      }),
    );
  expect(panel(LOG)).toContain(`<a href="${LOG}">Log of the last job</a>`);
  expect(panel(LOG)).toContain('<h2>The App lacks <code>actions: write</code></h2>');
  expect(panel(LOG)).toContain('webhook that gets <code>workflow_dispatch</code>');
  expect(panel('javascript:alert(1)')).not.toContain('javascript:');
});
