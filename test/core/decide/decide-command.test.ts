import { describe, expect, test } from 'vitest';
import { RunEvent } from '../../../src/core/contracts/run-event.ts';
import type { WorkFacts } from '../../../src/core/contracts/work-facts.ts';
import { describeStatus } from '../../../src/core/decide/commands/status.ts';
import { sensibleCommands } from '../../../src/core/decide/decide-command.ts';
import { evolve } from '../../../src/core/decide/evolve.ts';
import { clock, only, proposed } from '../../guards/guard-events.ts';
import { PASSING, startRun } from '../run-builder.ts';
import { outOfScope, repeatedError, tooManyFiles } from '../stuck-runs.ts';

describe('human escalation response', () => {
  test('E-10: Human views escalation details', () => {
    const run = repeatedError();
    expect(run.asked).toMatchObject({ type: 'repeated_error', status: 'pending' });
    expect(run.asked.triggers[0]).toMatchObject({ threshold: 3, observed: 3 });
    expect(run.state.task.title).toBe('Add a login page');
    expect(run.asked.context.recent_actions.length).toBeGreaterThan(0);
    expect(run.asked.options.length).toBeGreaterThan(0);
    run.say('/status');
    expect(run.reply).toMatchObject({ tone: 'info', title: expect.stringContaining('Waiting for you') });
    expect(run.reply?.commands).toEqual(expect.arrayContaining(['guide', 'override', 'terminate']));
    expect(run.types).toEqual([]);
  });

  test('E-10: Human provides guidance to resume agent work', () => {
    const run = repeatedError();
    run.say('/guide Try using async/await instead of callbacks');
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved',
      responses: [{ response_type: 'guidance', content: 'Try using async/await instead of callbacks' }],
    });
    expect(run.state.status).toBe('building');
    expect(run.work.answers).toMatchObject([
      { escalation: 'e1', instruction: 'Guidance from rosa: Try using async/await instead of callbacks' },
    ]);
    run.beginTurn();
    expect(run.work.answers).toEqual([]);
    expect(run.work.guidance).toEqual(['Guidance from rosa: Try using async/await instead of callbacks']);
    run.claim('acknowledged', { escalation: 'e1', text: 'Switching to async/await.' });
    expect(run.escalation('e1').acknowledged?.text).toBe('Switching to async/await.');
  });

  test('E-10: Human overrides agent approach', () => {
    const run = startRun({ guards: only({ max_runtime: 1 }) })
      .beginTurn()
      .observe(clock(1));
    run.trip();
    run.say('/override Abandon current approach, use library X instead');
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved_with_override',
      responses: [{ response_type: 'override', content: 'Abandon current approach, use library X instead' }],
    });
    expect(run.work.answers[0]).toMatchObject({ ends_turn: true, next_turn: 'normal' });
    expect(run.work.answers[0]?.instruction).toContain('Abandon current approach, use library X instead');
  });

  test('E-10: Human terminates agent task', () => {
    const run = repeatedError();
    run.tick('terminate');
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved_with_termination',
      responses: [{ response_type: 'terminate' }],
    });
    expect(run.state.status).toBe('terminated_by_human');
    expect(run.effectTypes).toContain('stop_job');
    expect(run.orders).toEqual({ do: 'stop', status: 'terminated_by_human' });
  });

  test('E-10: Human approves scope expansion', () => {
    const run = tooManyFiles();
    expect(run.asked.triggers[0]).toMatchObject({ kind: 'file_count', observed: 20 });
    run.say('/approve files=30');
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved_with_approval',
      responses: [{ response_type: 'approve', content: '/approve files=30' }],
    });
    expect(run.work.limits.files_modified_exceeds).toBe(30);
    expect(run.work.answers[0]?.instruction).toContain('up to 30 files');
    run.beginTurn();
    run.trip();
    expect(run.state.pending).toBeUndefined();
  });

  test('E-10: /approve without arguments allows only the proposed path', () => {
    const run = tooManyFiles();
    run.say('/approve');
    expect(run.work).toMatchObject({
      approved_paths: [],
      approved_names: ['src/20.ts'],
      limits: { files_modified_exceeds: 20 },
    });
    const scope = outOfScope();
    scope.say('/approve');
    expect(scope.work).toMatchObject({ approved_paths: [], approved_names: ['src/payment/pay.ts'] });
    expect(scope.escalation('e1').status).toBe('resolved_with_approval');
  });

  test.each([
    ['**', 'src/auth.ts'],
    ['[a-z].ts', 'b.ts'],
    ['src/{a,b}', 'src/a'],
    ['src', 'src/auth/login.ts'],
  ])('E-10: approved by its name, the file %j allows nothing else, such as %j', (name, other) => {
    const task = { scope: ['docs/**'] };
    const finished = (path: string): WorkFacts => ({
      digest: 'd'.repeat(64),
      files: 1,
      problems: [{ path, why: 'out_of_scope' }],
      secrets: [],
    });
    const report = { status: 'implemented', summary: 'All done' };
    const run = startRun({ task }).beginTurn();
    run.observe(proposed(name, 'out_of_scope', [], task.scope)).trip();
    run.tick('approve-path');
    expect(run.work).toMatchObject({ approved_paths: [], approved_names: [name] });
    run
      .beginTurn()
      .observe(proposed('docs.md', 'out_of_scope', [], task.scope))
      .trip();
    run.say('/approve');
    expect(run.work).toMatchObject({ approved_paths: [], approved_names: [name, 'docs.md'] });
    run.endTurn({ report, verification: PASSING, work: finished(other) });
    expect(run.asked.triggers[0]?.evidence.proposed).toMatchObject([{ path: other }]);
    run.say('/guide Undo it');
    run.turn({ report, verification: PASSING, work: finished(name) });
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
  });

  test('E-10: names that an older journal has among the patterns fold as they did', () => {
    const run = outOfScope();
    const old: RunEvent = {
      ...{ type: 'limits_changed', at: run.now(), rev: 2, limits: run.state.limits },
      approved_paths: ['src/payment/pay.ts'],
    };
    expect(evolve(run.state, RunEvent.parse(old))).toMatchObject({ approved_paths: ['src/payment/pay.ts'] });
    run.say('/approve');
    const next = evolve(run.state, { ...old, rev: 3 });
    expect(next).toMatchObject({
      approved_paths: ['src/payment/pay.ts'],
      approved_names: ['src/payment/pay.ts'],
    });
  });

  test('E-10: /approve paths= allows those and no others', () => {
    const run = outOfScope();
    run.say('/approve paths=src/**,lib/a.ts');
    expect(run.work.approved_paths).toEqual(['src/**', 'lib/a.ts']);
  });

  test('E-10: an approval that would allow nothing, or less, is refused', () => {
    const few = tooManyFiles();
    few.say('/approve files=20');
    expect(few.reply).toMatchObject({ tone: 'refused', suggestion: '/approve files=30' });
    const bypassed = startRun().beginTurn();
    bypassed.observe(proposed('x.ts', 'gate_bypassed', ['a.ts']));
    bypassed.trip();
    bypassed.say('/approve files=5');
    expect(bypassed.reply).toMatchObject({ tone: 'refused', suggestion: '/approve paths=x.ts' });
    const scope = outOfScope();
    scope.say('/approve files=30');
    expect(scope.reply).toMatchObject({ tone: 'refused', suggestion: '/approve paths=src/payment/pay.ts' });
    const other = repeatedError();
    other.say('/approve files=30');
    expect(other.reply?.title).toContain('no file is waiting for approval');
    for (const run of [few, bypassed, scope, other]) {
      expect(run.state.pending).toBe('e1');
      expect(run.types).toEqual(['command_refused']);
    }
    const running = startRun().beginTurn();
    running.say('/approve');
    expect(running.reply?.tone).toBe('refused');
    running.say('/approve files=5');
    expect(running.reply?.tone).toBe('refused');
    running.say('/approve files=40');
    expect(running.state.limits.files_modified_exceeds).toBe(40);
  });

  test.each(['/continue', '/guide x', '/retry', '/debug', '/skip', '/accept', '/pause'])(
    'E-10: %s resolves',
    (text) => {
      const run = repeatedError();
      run.say(text);
      expect(run.escalation('e1').status).toBe('resolved');
      expect(run.last.effects).toContainEqual({ type: 'clear_timer', timer: 'reminder:e1' });
      expect(run.last.effects).toContainEqual({ type: 'close_question', escalation: 'e1' });
    },
  );

  test('E-11: the acknowledgement is recorded and shown, for an answered question only', () => {
    const run = repeatedError();
    expect(run.claim('acknowledged', { escalation: 'e1', text: 'Early' })).toEqual({
      events: [],
      effects: [],
    });
    expect(run.claim('acknowledged', { escalation: 'e9', text: 'Which?' })).toEqual({
      events: [],
      effects: [],
    });
    run.say('/guide x');
    run.beginTurn();
    run.claim('acknowledged', { escalation: 'e1', text: 'Taken in.' });
    expect(run.escalation('e1').acknowledged).toMatchObject({ text: 'Taken in.' });
    expect(run.last.effects).toEqual([{ type: 'close_question', escalation: 'e1' }]);
  });

  test('E-10: a parked run is dispatched when it is answered, a live one is not', () => {
    const live = repeatedError();
    live.say('/retry');
    expect(live.effectTypes).not.toContain('dispatch_job');
    const parked = repeatedError().park();
    expect(parked.last.effects).toContainEqual({ type: 'publish', ready: false });
    parked.say('/retry');
    expect(parked.effectTypes).toContain('dispatch_job');
  });
});

describe('commands that come late or out of place', () => {
  test('R-7: a tick for a closed question is told who answered first', () => {
    const run = repeatedError();
    run.say('/guide x', { by: 'lee', escalation: 'e1' });
    run.say('/retry', { by: 'rosa', escalation: 'e1', via: 'tick' });
    expect(run.reply).toMatchObject({
      tone: 'refused',
      title: 'Nothing changed: lee answered first, with /guide.',
    });
    expect(run.types).toEqual(['command_refused']);
    run.say('/retry');
    expect(run.reply?.detail).toContain('lee answered the last one with /guide');
    run.say('/retry', { escalation: 'e9' });
    expect(run.reply?.title).toBe('Nothing changed: this question is closed.');
  });

  test('P-3: a run that has ended refuses what would change it, and lists what is left', () => {
    const run = startRun().turn();
    run.say('/cancel');
    run.say('/guide Look at the cart');
    expect(run.types).toEqual(['command_refused']);
    expect(run.reply?.title).toMatch(/this run has ended\. .*by rosa/);
    run.say('/help');
    expect(run.reply?.commands).toEqual(['status', 'help']);
  });

  test('V-1: a run at rest refuses what only answers a question, and lists what makes sense', () => {
    const run = startRun().turn();
    run.say('/accept');
    run.say('/retry');
    expect(run.types).toEqual(['command_refused']);
    run.say('/help');
    expect(run.reply?.commands).toEqual(['continue', 'guide', 'terminate', 'status', 'help']);
  });

  test('R-7: after the end the second is told who ended it', () => {
    const run = repeatedError();
    run.say('/cancel', { by: 'lee' });
    run.say('/retry', { escalation: 'e1', via: 'tick' });
    expect(run.reply?.title).toBe('Nothing changed: this run has ended. Cancelled by lee.');
    expect(sensibleCommands(run.state)).toEqual(['status', 'help']);
  });

  test('/help and /status answer and change nothing, wherever the run stands', () => {
    const run = startRun();
    expect(describeStatus({ ...run.state, baseline: undefined })).toBe(
      'Running the checks before the first turn, nothing needed from you',
    );
    expect(describeStatus(run.state)).toBe('Starting the first turn, nothing needed from you');
    for (const step of [
      () => run.beginTurn(),
      () => run.say('/pause'),
      () => run.say('/continue'),
      () => run.endTurn({ report: { status: 'implemented' }, verification: PASSING }),
    ]) {
      step();
      const before = run.state;
      run.say('/help');
      expect(run.reply?.commands).toEqual(sensibleCommands(run.state));
      run.say('/status');
      expect(run.reply?.title).toBe(describeStatus(run.state));
      expect(run.state).toBe(before);
    }
    expect(describeStatus(run.state)).toBe('Done: all checks pass, ready for review');
  });

  test('guidance while no question is open reaches the agent, and an override ends the turn', () => {
    const run = startRun().beginTurn();
    run.say('/guide Mind the tests');
    expect(run.work.answers).toMatchObject([{ ends_turn: false, rearm: [] }]);
    expect(run.state.limits).toEqual(startRun().state.limits);
    run.say('/override Start again');
    expect(run.work.answers.at(-1)).toMatchObject({ ends_turn: true });
    expect(run.work.guidance).toHaveLength(2);
    run.say('/override alternative 1');
    expect(run.reply?.tone).toBe('refused');
    run.say('/review');
    expect(run.effectTypes).toEqual(['show_review']);
  });
});
