import { expect, test } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { renderStatus } from '../../../src/comments/github/render-status.ts';
import { renderLiveLine } from '../../../src/comments/terminal/render-live-line.ts';
import { renderPanel } from '../../../src/comments/terminal/render-panel.ts';
import { renderPlain } from '../../../src/comments/terminal/render-plain.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { PASSING, type Run, startRun, tests } from '../../core/run-builder.ts';
import { questionOf, WHERE } from '../story.ts';

const DONE = { report: { status: 'implemented', summary: 'Added the form' }, verification: PASSING };
const MINUTE_S = 60;

/** A build of two turns, the second of another agent, for 20 minutes; then a round with its job and baseline. */
function inRound(max_iterations = 10): Run {
  const run = startRun({ guards: { max_iterations } }).turn();
  run.say('/pause');
  run.park().say('/continue agent=other');
  run
    .startJob()
    .sleep(20 * MINUTE_S)
    .turn(DONE);
  expect(run.state).toMatchObject({ status: 'reviewing', turn: 2 });
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  run.say('/guide Use a constant', { by: 'hubert' });
  const revision = { head: 'a'.repeat(40), remarks: [] };
  run.feed({ type: 'revise', at: run.now(), revision, limits: first.limits, max: 10 });
  return run.startJob().baseline(PASSING);
}

const where = ({ state }: Run) => ({ ...WHERE, limits: RULES.limitsInForce(state.limits) });

test('V-1: in a round, the status counts turns and minutes of the round against the limits of the round', () => {
  const run = inRound();
  expect(renderStatus(run.state, where(run))).toContain('Building round 2: running the checks');
  run.beginTurn();
  const text = renderStatus(run.state, where(run));
  expect(text).toContain('▶ Building round 2: turn 1 of 10, nothing needed from you');
  expect(text).toContain('| Round | Turn | Time | Files | Cost |');
  expect(text).toMatch(/\| 2 \| 1\/10 \| 0\/60 min \|/);
  expect(text).not.toContain('/11');
  run.say('/status');
  expect(run.reply?.title).toContain('round 2: turn 1');
});

test('V-1: a question of a round has the figures of the round, in its words, its tables and its small print', () => {
  const run = inRound(2).turns(2, { verification: tests(4, 5) });
  const asked = questionOf(run.state);
  expect(asked.triggers).toMatchObject([{ guard: 'max_iterations', observed: 3, threshold: 3 }]);
  expect(asked.headline).toContain('2 of 2 turns used');
  expect(asked.question).toContain('Iteration limit (2) reached');
  const comment = renderEscalation(run.state, asked, where(run));
  expect(comment).toMatch(/\| Round \| Turn \| Time \|[^\n]+\n[^\n]+\n\| 2 \| \*\*2\/2\*\* \| \d\/60 min \|/);
  expect(comment).toContain('`max_iterations: 2`');
  expect(comment).not.toContain('3/3');
  expect(renderPanel(run.state, asked, {})).toMatch(/round 2 +\[turn 2\/2\] +time \d\/60 min/);
  run.say('/continue');
  expect(renderStatus(run.beginTurn().state, where(run))).toContain('turn 3 of 7');
});

test('V-1: several limits of a round at once are those of the round', () => {
  const run = startRun({ guards: { max_iterations: 2, total_verification_attempts: 2 } }).turn(DONE);
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  run.say('/guide Use a constant', { by: 'hubert' });
  run.feed({ type: 'revise', at: run.now(), revision: { remarks: [] }, limits: first.limits, max: 10 });
  run
    .startJob()
    .baseline(PASSING)
    .turns(2, { verification: tests(4, 5) });
  const asked = questionOf(run.state);
  expect(asked.triggers.map(({ shown }) => shown?.figure)).toEqual(['2/2', '2/2']);
});

test('V-9: the terminal counts the same', () => {
  const run = inRound().beginTurn();
  const { state } = run;
  const look = { limits: RULES.limitsInForce(state.limits) };
  expect(renderLiveLine(state, { frame: 0, elapsed_ms: 7_000 }, look)).toMatch(/^▶ round 2, 1\/10 {2}0:07/);
  const started = run.events.at(-1);
  if (started?.type !== 'turn_started') throw new Error('no turn');
  expect(renderPlain(started, look.limits, undefined, state.revision)).toContain(
    'turn 3 started, 1/10 of round 2',
  );
});

test('V-8: the receipt counts over all', () => {
  const run = inRound().turn(DONE);
  expect(run.state).toMatchObject({ status: 'reviewing', turn: 3 });
  expect(renderReceipt(run.state, where(run))).toMatch(/\| Turns \| 3 \|/);
});
