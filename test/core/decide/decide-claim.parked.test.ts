import { describe, expect, test } from 'vitest';
import { startRun } from '../run-builder.ts';

describe('R-1: a job that parks', () => {
  test('waits for the answer: the answer starts the next one', () => {
    const run = startRun().beginTurn().askForHelp().park();
    expect(run.effectTypes).toEqual(['publish', 'update_status']);
    run.say('/guide Go on');
    expect(run.effectTypes).toContain('dispatch_job');
  });

  test('is followed by another one when the answer came while it was on its way out', () => {
    const run = startRun().beginTurn().askForHelp();
    run.say('/guide Go on');
    expect(run.effectTypes).not.toContain('dispatch_job');
    run.park();
    expect(run.effectTypes).toEqual(['publish', 'dispatch_job', 'update_status']);
  });

  test('is not followed while the run is paused', () => {
    const run = startRun().beginTurn();
    run.say('/pause');
    run.park();
    expect(run.effectTypes).not.toContain('dispatch_job');
  });
});
