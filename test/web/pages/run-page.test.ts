import { expect, test } from 'vitest';
import { summariseRun } from '../../../src/core/contracts/run-summary.ts';
import { limitsInForce } from '../../../src/guards/observe.ts';
import { renderRunPage } from '../../../src/web/pages/run-page.ts';
import { PASSING, type Run, startRun } from '../../core/run-builder.ts';

const DONE = { report: { status: 'implemented', summary: 'Added <the> form' }, verification: PASSING };

function pageOf(run: Run): string {
  const summary = summariseRun(undefined, run.state, run.events);
  const target = { owner: 'acme', repo: 'shop', issue: 7 };
  const { body } = renderRunPage({
    base: '',
    webUrl: 'https://github.example',
    now: new Date(run.now()),
    listed: { run: 'r1', target, pull: 8, summary } as unknown as Parameters<
      typeof renderRunPage
    >[0]['listed'],
    state: run.state,
    limits: limitsInForce(run.state.limits),
    events: run.events.toReversed(),
    hasOlderEvents: false,
    allTurns: false,
    jobs: [],
  });
  return String(body);
}

function round(run: Run): Run {
  run.feed({
    type: 'revision_asked',
    at: run.now(),
    by: 'hubert',
    source: 'review',
    url: 'https://github.example/r',
  });
  run.feed({
    type: 'revise',
    at: run.now(),
    revision: { head: 'a'.repeat(40), remarks: [{ id: 'R1', author: 'hubert', text: 'Why?' }] },
    limits: run.state.limits,
    max: 10,
  });
  return run.startJob();
}

test('V-8: the page shows each round: who asked, what came of it, its turns', () => {
  const run = startRun().turn(DONE);
  expect(pageOf(run)).toContain('<div data-part="rounds"></div>');
  round(run);
  expect(pageOf(run)).toContain('Building, round 2: running the checks before the round');
  expect(pageOf(run)).toMatch(/>hubert<\/a><\/td>.*at work/s);
  run
    .baseline(PASSING)
    .turn({ ...DONE, report: { ...DONE.report, remarks: [{ id: 'R1', result: 'declined' }] } });
  const page = pageOf(run);
  expect(page).toContain('Done, round 2: pull request #8 is ready for review');
  expect(page).toContain('Added &lt;the&gt; form');
  expect(page).toContain('1 declined');
  for (const told of ['asked for a round', 'began round 2: 1 remark', 'ended the round: done'])
    expect(page).toContain(told);
});

test('V-1: in a round the page counts the turns of the round against its limit', () => {
  const run = round(startRun().turn(DONE)).baseline(PASSING).turn();
  expect(run.state).toMatchObject({ status: 'building', turn: 2 });
  const page = pageOf(run);
  expect(page).toContain('Building, round 2: turn 1 of 10');
  expect(page).toContain('Turns <span>1/10</span>');
});

test('V-1: a cancelled round is told, and the end before it is not told twice', () => {
  const run = round(startRun().turn(DONE));
  run.say('/cancel', { by: 'mona' });
  const page = pageOf(run);
  expect(page).toContain('ended the round: cancelled, cancelled by mona');
  expect(page.split('finished the run').length - 1).toBe(1);
  expect(page).toContain('Done: pull request #8 is ready for review');
});
