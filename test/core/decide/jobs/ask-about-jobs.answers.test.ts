import { describe, expect, test } from 'vitest';
import { sensibleCommands } from '../../../../src/core/decide/decide-command.ts';
import { RULES } from '../../../../src/guards/rules.ts';
import { dispatches, neverStarts, refuse } from '../../lost-jobs.ts';
import { LyingJob } from '../../lying-job.ts';
import { PASSING, Run, startRun } from '../../run-builder.ts';

const DAY = 86_400;

/** In round 2, before its first turn. */
function inRound(): Run {
  const run = startRun().turn({ report: { status: 'implemented' }, verification: PASSING });
  run.say('/guide Use cents');
  const { limits } = run.state;
  const revision = { head: 'a'.repeat(40), remarks: [] };
  run.feed({ type: 'revise', at: run.now(), revision, limits, max: 10 });
  return run;
}

/** The work is complete, and a fresh job verifies it. */
function verifying(): Run {
  const run = startRun({ freshVerification: true });
  return run.turn({ report: { status: 'implemented', summary: 'x' }, verification: PASSING }).park();
}

/** The ticket of that job was used twice. */
function verifiedTwice(): Run {
  const run = verifying();
  run.feed({ type: 'ticket_claimed_twice', at: run.now(), job: 1, kind: 'verify', verification: '1.1' });
  return run;
}

describe('R-13: the answer to the question about jobs', () => {
  test.each([
    ['/continue', 'resolved', ''],
    ['/continue +5', 'resolved', ''],
    ['/continue update', 'resolved', ''],
    ['/retry', 'resolved', ''],
    ['/guide Use npm', 'resolved', 'Guidance from rosa: Use npm'],
    [
      '/override Use npm',
      'resolved_with_override',
      'rosa overrides the approach. Abandon what you were doing and do this instead: Use npm',
    ],
    ['/approve files=30', 'resolved_with_approval', 'Approved by rosa: up to 30 files.'],
  ])('R-13: %s closes it and starts one job; the losses are counted anew', (command, status, instruction) => {
    const run = neverStarts();
    run.say(command);
    expect(run.state).toMatchObject({ status: 'building', losses: undefined });
    expect(run.state.pending).toBeUndefined();
    expect(run.escalation('e1')).toMatchObject({ status, resolution: { by: 'rosa' } });
    expect(dispatches(run)).toBe(1);
    expect(run.effectTypes).toEqual(
      expect.arrayContaining(['clear_timer', 'close_question', 'update_status', 'reply']),
    );
    // The agent has asked nothing, so it has nothing to acknowledge.
    expect(run.work.answers).toMatchObject([{ instruction, rearm: [] }]);
    expect(run.work.answers[0]?.escalation).toBeUndefined();
    neverStarts(run);
    expect(run.state.pending).toBe('e2');
  });

  test('R-13: /continue allows more turns and minutes, and gives the run to another agent', () => {
    const run = neverStarts();
    const limits = () => RULES.limitsInForce(run.state.limits);
    const { turns, minutes } = limits();
    run.say('/continue +5 +20min agent=other');
    expect(limits()).toMatchObject({ turns: (turns ?? 0) + 5, minutes: (minutes ?? 0) + 20 });
    expect(run.state.agent).toBe('other');
    expect(run.reply?.title).toBe('Continuing with other, 5 more turns and 20 more minutes.');
  });

  test('R-13: a box answers it', () => {
    const run = neverStarts();
    run.tick('continue');
    expect(dispatches(run)).toBe(1);
    expect(run.escalation('e1').responses).toMatchObject([{ via: 'tick' }]);
  });

  test('R-15: /continue counts jobs without a turn from 0', () => {
    const job = new LyingJob({ max_iterations: 'off' });
    for (let jobs = 1; jobs < 10; jobs += 1) {
      job.handOver();
      job.run.startJob();
    }
    job.handOver();
    expect(job.run.state.pending).toBe('e1');
    job.run.say('/continue');
    expect(job.run.state.counted?.idle_jobs).toBe(0);
  });

  test('G-12: /pause ends the reminders; /continue then starts one job', () => {
    const run = neverStarts();
    run.say('/pause');
    expect(run.state).toMatchObject({ status: 'waiting_for_input', paused: { rearm: [] } });
    expect(run.state.pending).toBeUndefined();
    expect(run.effectTypes).toContain('clear_timer');
    run.say('/continue');
    expect(dispatches(run)).toBe(1);
    expect(run.state.losses).toBeUndefined();
  });

  test('G-7: /accept finishes with the saved work', () => {
    const run = startRun().turn();
    refuse(run.park(), { title: 'No.', detail: '' });
    run.say('/accept');
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: true, by: 'rosa' } });
    expect(run.effectTypes).toContain('publish');
    expect(run.escalation('e1').status).toBe('resolved');
  });

  test.each([
    ['/cancel', 'cancelled'],
    ['/terminate', 'terminated_by_human'],
  ])('G-11: %s ends the run and the question', (command, status) => {
    const run = neverStarts();
    run.say(command);
    expect(run.state.status).toBe(status);
    expect(run.escalation('e1').status).toBe('resolved_with_termination');
  });

  test.each(['/status', '/help', '/review'])('G-10: %s leaves it open', (command) => {
    const run = neverStarts();
    run.say(command);
    expect(run.state.pending).toBe('e1');
    expect(dispatches(run)).toBe(0);
  });

  test.each([
    ['/debug', "Nothing changed: this question is about the job, not about the agent's work."],
    ['/skip', "Nothing changed: this question is about the job, not about the agent's work."],
    ['/provide key=1', 'Nothing changed: no value was asked for.'],
    ['/approve', 'Nothing changed: no file is waiting for approval.'],
    ['/continue agent=nobody', 'Nothing changed: there is no agent nobody.'],
  ])('R-13: %s is refused with the reason, and it stays open', (command, title) => {
    const run = neverStarts();
    run.say(command);
    expect(run.reply).toMatchObject({ tone: 'refused', title });
    expect(run.state.pending).toBe('e1');
    expect(run.types).toEqual(['command_refused']);
    expect(dispatches(run)).toBe(0);
  });

  test('R-7: who comes second is told who was first', () => {
    const run = neverStarts();
    run.say('/continue', { escalation: 'e1' });
    run.say('/continue', { escalation: 'e1', by: 'ann' });
    expect(run.reply?.title).toBe('Nothing changed: rosa answered first, with /continue.');
  });

  test('R-13: the commands of a paused run are listed, and those of the boxes', () => {
    expect(sensibleCommands(neverStarts().state)).toEqual(
      expect.arrayContaining([
        'continue',
        'pause',
        'cancel',
        'guide',
        'override',
        'accept',
        'review',
        'terminate',
      ]),
    );
    expect(sensibleCommands(neverStarts().state)[0]).toBe('continue');
  });

  test('E-12: nobody answers: it is repeated ever more rarely, at the pace of what is urgent, and expires', () => {
    const run = neverStarts(new Run({ expireMs: 10 * DAY * 1000 }));
    const due = () => {
      const set = run.last.effects.find((effect) => effect.type === 'set_timer');
      return (Date.parse(set?.at ?? '') - Date.parse(run.state.updated_at)) / 1000;
    };
    expect(due()).toBe(600);
    run.timer();
    expect(run.last.effects).toContainEqual({
      ...{ type: 'notify', escalation: 'e1', priority: 'high', reminder: 1 },
    });
    expect(due()).toBe(1200);
    run.sleep(10 * DAY).timer();
    expect(run.state).toMatchObject({ status: 'cancelled', finished: { expired: true } });
  });

  test('R-8: the verification whose ticket was used twice is asked for again', () => {
    const run = verifiedTwice();
    expect(run.asked.triggers).toMatchObject([{ guard: 'ticket_used_twice' }]);
    run.say('/continue');
    expect(run.state).toMatchObject({ status: 'building', verifying: 2 });
    expect(run.effectTypes).toContain('dispatch_verification');
    expect(dispatches(run)).toBe(0);
  });

  test('R-8: it is asked for again also after a pause', () => {
    const run = verifiedTwice();
    run.say('/pause');
    run.say('/continue');
    expect(run.state).toMatchObject({ status: 'building', verifying: 2 });
    expect(run.types.filter((type) => type === 'verification_requested')).toHaveLength(1);
    expect(run.effectTypes).toContain('dispatch_verification');
    expect(dispatches(run)).toBe(0);
    // The second one is healthy, so a pause does not ask for a third one.
    run.say('/pause');
    run.say('/continue');
    expect(run.state.verifying).toBe(2);
  });

  test('R-8: after a pause, guidance gives the agent one more turn instead of a verification', () => {
    const run = verifiedTwice();
    run.say('/pause');
    run.say('/guide Use cents');
    expect(run.state.verifying).toBeUndefined();
    expect(run.effectTypes).not.toContain('dispatch_verification');
    expect(dispatches(run)).toBe(1);
  });

  test('R-8: while it is paused, what does not continue the run asks for no verification', () => {
    const run = verifiedTwice();
    run.say('/pause');
    for (const command of ['/status', '/pause', '/continue agent=nobody', '/accept']) {
      run.say(command);
      expect(run.types).not.toContain('verification_requested');
    }
    expect(run.state.status).toBe('reviewing');
  });

  test('R-8: a pause of a healthy verification takes none of its attempts', () => {
    const run = verifying();
    run.say('/pause');
    run.say('/continue');
    expect(run.state).toMatchObject({ status: 'building', verifying: 1 });
    expect(run.types.filter((type) => type === 'verification_requested')).toEqual([]);
  });

  test('G-12: /pause does not say that the work is saved, because the turn of a lost job is not', () => {
    const run = startRun().beginTurn();
    run.feed({ type: 'ticket_claimed_twice', at: run.now(), job: 1, kind: 'build' });
    run.say('/pause');
    expect(run.reply?.title).toBe('Paused.');
  });

  test('V-1: in a round it is asked for the round, which /cancel ends; the pull request stays as it is', () => {
    const run = inRound();
    neverStarts(run);
    expect(run.asked.options.at(-1)?.description).toBe(
      'end round 2; the pull request stays as it was before.',
    );
    expect(run.asked.options.map(({ id }) => id)).not.toContain('accept');
    expect(run.asked.context.of_round).toMatchObject({ number: 2, turn: 0 });
    expect(run.effectTypes).toContain('describe_pull');
    run.say('/cancel');
    expect(run.state).toMatchObject({
      status: 'reviewing',
      revisions: [{ number: 2, outcome: 'cancelled' }],
    });
    expect(run.escalation('e1').status).toBe('resolved_with_termination');
  });
});
