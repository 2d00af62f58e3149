import { expect, test } from 'vitest';
import { PASSING, startRun } from '../../run-builder.ts';

const verifying = () =>
  startRun({ freshVerification: true })
    .turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING })
    .park();

test('R-13: a run that was paused while it was verified needs that verification, and no attempt is lost', () => {
  const run = verifying();
  for (const _ of ['once', 'twice', 'three times', 'four times']) {
    run.say('/pause');
    run.say('/continue');
    expect(run.state).toMatchObject({ status: 'building', verifying: 1 });
    expect(run.effectTypes).toContain('dispatch_verification');
    expect(run.effectTypes).not.toContain('dispatch_job');
  }
});

test('R-13: guidance after the pause gives the agent one more turn instead', () => {
  const run = verifying();
  run.say('/pause');
  run.say('/guide Use cents');
  expect(run.state.verifying).toBeUndefined();
  expect(run.effectTypes).toContain('dispatch_job');
  expect(run.effectTypes).not.toContain('dispatch_verification');
});
