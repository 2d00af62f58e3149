import { expect, test } from 'vitest';
import { renderQuestionPanel } from '../../../src/web/pages/question-panel.ts';
import { startRun } from '../../core/run-builder.ts';

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
