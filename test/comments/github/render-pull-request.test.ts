import { expect, test } from 'vitest';
import { renderPullRequest } from '../../../src/comments/github/render-pull-request.ts';
import { PASSING, startRun } from '../../core/run-builder.ts';
import { WHERE } from '../story.ts';

/** The description of a run whose fresh jobs were all lost in the same way. */
function describeLost(lost: { reason: string; log_url?: string }): string {
  const run = startRun({ freshVerification: true });
  run.turn({ report: { status: 'implemented', summary: 'All done' }, verification: PASSING }).park();
  for (let job = 0; job < 3; job += 1)
    run.feed({ type: 'job_lost', at: run.now(), verifying: true, ...lost });
  return renderPullRequest(run.state, WHERE);
}

test('R-13: work that no fresh job could verify says how the last one ended, with its log', () => {
  const log_url = 'https://github.test/olivia/shop/actions/runs/7';
  const text = describeLost({ reason: 'the Actions run ended (failure)', log_url });
  expect(text).toContain(
    `ended three times without a result.** The last time: the Actions run ended (failure) ([log](${log_url})). `,
  );
});

test('R-13: without a log the reason stands alone', () => {
  const text = describeLost({ reason: 'GitHub did not start it' });
  expect(text).toContain('The last time: GitHub did not start it. ');
});
