import { describe, expect, test } from 'vitest';
import type { Remark } from '../../../../src/core/contracts/revision.ts';
import type { RunState } from '../../../../src/core/contracts/run-state.ts';
import { briefFor } from '../../../../src/core/decide/orders/brief-for.ts';
import { startRevision } from '../../../../src/core/decide/revise/start-revision.ts';
import { RULES } from '../../../../src/guards/rules.ts';
import { PASSING, type Run, type RunOptions, startRun, tests } from '../../run-builder.ts';

const DONE = { report: { status: 'implemented', summary: 'Added the form' }, verification: PASSING };
const HEAD = 'a'.repeat(40);

const remark = (id: string, changes: Partial<Remark> = {}): Remark => ({
  id,
  thread: `T_${id}`,
  author: 'hubert',
  path: 'src/login.ts',
  now: { line: 12 },
  text: 'Check the age of the event',
  ...changes,
});

/** A run whose pull request is ready. */
function rested(options: RunOptions = {}): Run {
  const run = startRun(options).turn(DONE);
  expect(run.state.status).toBe('reviewing');
  return run;
}

function revise(run: Run, remarks: Remark[] = [remark('R1')], max = 10): Run {
  run.feed({
    type: 'revise',
    at: run.now(),
    revision: { head: HEAD, remarks },
    limits: firstLimits(run),
    max,
  });
  return run;
}

function firstLimits(run: Run): RunState['limits'] {
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  return first.limits;
}

/** Asks for a round and begins it. */
function round(run: Run, remarks?: Remark[]): Run {
  run.say('/continue', { by: 'hubert' });
  return revise(run, remarks).startJob().baseline(PASSING);
}

const answering = (...remarks: object[]) => ({
  report: { status: 'implemented', summary: 'Checks the age', remarks },
  verification: PASSING,
});

describe('a round', () => {
  test('V-1, V-2: /continue at rest collects, and a round begins in the same run with a new job', () => {
    const run = rested();
    run.say('/continue', { by: 'hubert' });
    expect(run.effectTypes).toContain('collect_revision');
    expect(run.reply).toBeUndefined();
    expect(run.state.status).toBe('reviewing');
    revise(run);
    expect(run.effectTypes).toEqual(['update_status', 'describe_pull', 'reply', 'dispatch_job']);
    expect(run.reply?.title).toBe('Round 2 begins: 1 open remark.');
    expect(run.state.status).toBe('building');
    expect(run.startJob().work.revision).toMatchObject({
      number: 2,
      by: 'hubert',
      head: HEAD,
      remarks: [{ id: 'R1', text: 'Check the age of the event' }],
    });
  });

  test('V-2: /guide at rest begins one with the words of the person, also without a remark', () => {
    const run = rested();
    run.say('/guide Use the clock of the database');
    revise(run, []);
    expect(run.startJob().work.revision?.instruction).toBe('Use the clock of the database');
  });

  test('V-2: several who ask before it begins are one round', () => {
    const run = rested();
    run.feed({ type: 'revision_asked', at: run.now(), by: 'hubert', source: 'review', begins_at: run.now() });
    expect(run.effectTypes).toEqual(['set_timer']);
    run.say('/guide And rename it', { by: 'mona' });
    revise(run);
    expect(run.state.revision).toMatchObject({ number: 2, by: 'hubert, mona', instruction: 'And rename it' });
    expect(run.timer('revision').effects).toEqual([]);
  });

  test('V-2: with nothing open it says so, and the run rests', () => {
    const run = rested();
    run.say('/continue');
    revise(run, []);
    expect(run.reply?.title).toBe('Nothing to do: there are no open remarks.');
    expect(run.state.status).toBe('reviewing');
    expect(run.state.asked_revisions).toBeUndefined();
  });

  test('V-1: turns and counters begin anew, cost and files do not', () => {
    const run = startRun({
      guards: { max_iterations: 4, no_test_improvement_after: 'off', loop_detected: 'off' },
    });
    run.turns(2, { verification: tests(3, 5, { failing: ['a', 'b'] }) });
    run.turn(DONE);
    const files = run.state.guards.files_modified_exceeds;
    round(run);
    expect(run.state.limits.max_iterations).toBe(3 + 4);
    expect(run.state.guards.max_iterations).toEqual({ count: 3 });
    expect(run.state.guards.files_modified_exceeds).toEqual(files);
    expect(run.state.guards.same_error_repeated).toMatchObject({ tracked: [] });
    run.turns(3);
    expect(run.state.pending).toBeUndefined();
    run.turn();
    expect(run.asked.triggers.map(({ guard }) => guard)).toContain('max_iterations');
  });

  test('R-15: a job that claimed a million turns gets no more of them in the next round', () => {
    const run = rested();
    run.state = { ...run.state, guards: { ...run.state.guards, max_iterations: { count: 1_000_000 } } };
    round(run);
    expect(run.state.limits.max_iterations).toBe(11);
  });

  test('V-3, V-4: done, it is verified, published and answered; the receipt counts over all', () => {
    const run = rested({ freshVerification: false });
    round(run, [remark('R1'), remark('R2', { path: 'src/other.ts' })]);
    run.turn({
      ...answering(
        { id: 'R1', result: 'fixed', note: 'Checked' },
        { id: 'R2', result: 'fixed' },
        { id: 'R9', result: 'fixed' },
      ),
      work: { digest: 'd', files: 1, changed: 1, paths: ['src/login.ts'], problems: [], secrets: [] },
    });
    expect(run.types).toEqual(['turn_ended', 'revision_ended', 'run_finished']);
    expect(run.effectTypes).toContain('publish');
    expect(run.last.effects).toContainEqual({ type: 'answer_remarks', round: 2 });
    expect(run.state.revisions).toMatchObject([
      {
        number: 2,
        outcome: 'done',
        turns: 1,
        remarks: [
          { id: 'R1', result: 'fixed', note: 'Checked', thread: 'T_R1' },
          { id: 'R2', result: 'unchanged', thread: 'T_R2' },
        ],
      },
    ]);
    expect(run.state.turns.length).toBe(2);
  });

  test('V-1: the lines of a turn count from the head of its round; at a terminal from the turn before', () => {
    const run = rested();
    expect(run.state.turns.at(-1)?.changes).toMatchObject({ added: 1 });
    round(run);
    expect(briefFor(run.state).lines).toEqual({ added: 0, removed: 0 });
    run.turn({ verification: tests(2, 5), changes: { paths: ['src/a.ts'], added: 7, removed: 2 } });
    expect(briefFor(run.state).lines).toEqual({ added: 7, removed: 2 });
    const local = { ...run.state, turns: run.state.turns.slice(0, 1) };
    const revision = local.revision && { ...local.revision, head: undefined };
    expect(briefFor({ ...local, revision }).lines).toEqual({ added: 1, removed: 0 });
  });

  test('V-3: a round in which every remark is declined needs no changed file', () => {
    const run = rested();
    round(run).turn({
      ...answering({ id: 'R1', result: 'declined', note: 'It is in cents' }),
      work: { digest: 'd', files: 0, changed: 0, paths: [], problems: [], secrets: [] },
      changes: { paths: [], added: 0, removed: 0 },
      observed: [],
    });
    expect(run.state.status).toBe('reviewing');
    expect(run.state.revisions?.[0]?.remarks).toMatchObject([{ result: 'declined', note: 'It is in cents' }]);
  });

  test('V-2: what is asked for while it runs waits for the next one, and the reply says so', () => {
    const run = round(rested());
    run.say('/continue', { by: 'mona' });
    expect(run.reply).toMatchObject({ title: 'Noted for round 3.' });
    expect(run.effectTypes).not.toContain('collect_revision');
    run.turn(answering({ id: 'R1', result: 'fixed' }));
    expect(run.effectTypes).toContain('collect_revision');
    revise(run, [remark('R1')]);
    expect(run.state.revision).toMatchObject({ number: 3, by: 'mona' });
  });
});

describe('a round that waits for a person', () => {
  const describes = (run: Run) => run.effectTypes.filter((type) => type === 'describe_pull').length;

  test('V-8: the description is written again with the question, after it, and when the answer is there', () => {
    const run = round(rested()).beginTurn();
    expect(describes(run)).toBe(0);
    run.askForHelp([]);
    expect(run.effectTypes.at(-1)).toBe('describe_pull');
    run.say('/status');
    expect(describes(run)).toBe(0);
    run.say('/continue');
    expect(describes(run)).toBe(1);
    run.turn({ verification: tests(2, 5) });
    expect(describes(run)).toBe(0);
  });

  test('V-8: so it is when the round is paused and resumed, and never before the pull request is ready', () => {
    const run = round(rested());
    run.say('/pause');
    expect(describes(run)).toBe(1);
    run.say('/continue');
    expect(describes(run)).toBe(1);
    const first = startRun().beginTurn();
    first.askForHelp([]);
    expect(describes(first)).toBe(0);
    first.say('/continue');
    expect(describes(first)).toBe(0);
  });
});

describe('a file outside the scope that a reviewer asks for', () => {
  test('V-3: the question names the remarks about it, and no others', () => {
    const run = rested({ task: { scope: ['src/**'] } });
    const url = 'https://github.example/c/1';
    round(run, [remark('R1'), remark('R2', { path: 'docs/a.md', url }), remark('R3', { path: undefined })]);
    run.beginTurn();
    const proposed = { path: 'docs/a.md', why: 'out_of_scope' as const, held: true };
    run.observe({ type: 'write_proposed', turn: 2, proposed, files: [], scope: ['src/**'] }).trip();
    expect(run.asked).toMatchObject({ type: 'scope_drift' });
    expect(run.asked.remarks).toEqual([{ path: 'docs/a.md', author: 'hubert', url }]);
    run.say('/approve');
    expect(run.work.revision?.remarks).toHaveLength(3);
  });

  test('V-3: outside a round, and about other files, no remark is named', () => {
    const run = round(rested({ task: { scope: ['src/**'] } })).beginTurn();
    const proposed = { path: 'docs/a.md', why: 'out_of_scope' as const, held: true };
    run.observe({ type: 'write_proposed', turn: 2, proposed, files: [], scope: ['src/**'] }).trip();
    expect(run.asked.remarks).toBeUndefined();
  });
});

describe('a round that ends without a result', () => {
  test('V-1: /cancel ends the round and rests where the run rested before', () => {
    const run = rested();
    const before = run.state.finished;
    round(run).turn({ verification: tests(2, 5) });
    run.say('/cancel');
    expect(run.state.status).toBe('reviewing');
    expect(run.state.finished).toMatchObject({ ...before, at: expect.any(String) });
    expect(run.state.revisions).toMatchObject([{ number: 2, outcome: 'cancelled' }]);
    expect(run.effectTypes).toContain('stop_job');
    expect(run.effectTypes).not.toContain('publish');
    expect(run.effectTypes).not.toContain('answer_remarks');
    round(run, [remark('R1')]);
    expect(run.state.revision?.number).toBe(3);
  });

  test('V-1: so does a question that is answered with cancel, and an agent that failed', () => {
    const asked = round(rested({ guards: { max_iterations: 1 } })).turn();
    asked.say('/cancel', { escalation: asked.asked.id });
    expect(asked.state).toMatchObject({ status: 'reviewing', pending: undefined });
    const failed = round(rested()).turn({ report: { status: 'failed', summary: 'No way' } });
    expect(failed.state.status).toBe('reviewing');
    expect(failed.state.revisions).toMatchObject([{ outcome: 'failed' }]);
  });

  const NOTHING = { paths: [], added: 0, removed: 0 };

  test('V-1: a round that changed nothing and is accepted ends, and the run rests on the verified work', () => {
    const run = rested({ guards: { max_iterations: 1 } });
    const { finished, changes, baseline } = run.state;
    run.say('/guide Do it otherwise', { by: 'hubert' });
    revise(run, [])
      .startJob()
      .baseline(PASSING)
      .turn({ verification: tests(2, 5), changes: NOTHING });
    expect(run.asked.options.find(({ id }) => id === 'accept')?.description).toBe(
      'end round 2 with what it has, marked partial; if it changed nothing, the pull request stays as it is.',
    );
    expect(run.asked.options.find(({ id }) => id === 'cancel')?.description).toBe(
      'end round 2; the pull request stays as it was before.',
    );
    run.tick('accept');
    expect(run.state.revisions).toMatchObject([{ number: 2, outcome: 'unchanged' }]);
    expect(run.state).toMatchObject({ status: 'reviewing', pending: undefined, changes, baseline });
    expect(run.state.finished).toMatchObject({ ...finished, at: expect.any(String) });
    expect(run.effectTypes).not.toContain('publish');
    expect(run.effectTypes).toContain('describe_pull');
    expect(run.reply?.title).toBe(
      'Round 2 was accepted by rosa without a change. The pull request stays as it was.',
    );
  });

  test('V-1, V-4: its remarks are answered, and that is all that is said', () => {
    const run = round(rested());
    run.say('/accept');
    expect(run.state.revisions).toMatchObject([
      { outcome: 'unchanged', remarks: [{ result: 'unanswered' }] },
    ]);
    const order = run.effectTypes.filter((type) => type === 'answer_remarks' || type === 'describe_pull');
    expect(order).toEqual(['answer_remarks', 'describe_pull']);
    expect(run.reply?.title ?? '').not.toContain('Round 2');
  });

  test('G-7, V-1: a round with changes that is accepted is published, marked as partial', () => {
    const run = round(rested()).turn({ verification: tests(2, 5) });
    run.say('/accept');
    expect(run.state).toMatchObject({ finished: { partial: true }, revisions: [{ outcome: 'partial' }] });
    expect(run.effectTypes).toContain('publish');
  });

  test('V-1: /terminate ends the run, in a round and at rest', () => {
    const working = round(rested());
    working.say('/terminate');
    expect(working.state.status).toBe('terminated_by_human');
    const resting = rested();
    resting.say('/terminate');
    expect(resting.state.status).toBe('terminated_by_human');
  });

  test('V-1: a merge in a round approves, a close rejects; the work is kept and said once', () => {
    for (const [outcome, status] of [
      ['approved', 'approved'],
      ['rejected', 'rejected'],
    ] as const) {
      const run = round(rested());
      run.feed({ type: 'judged', at: run.now(), outcome, by: 'mona', pull: 5 });
      expect(run.state.status).toBe(status);
      // The work is searched for the values that people gave before those are deleted.
      const order = run.effectTypes.filter((type) => type === 'publish' || type === 'forget_inputs');
      expect(order).toEqual(['publish', 'forget_inputs']);
      const said = run.last.effects.flatMap((effect) =>
        effect.type === 'reply' ? [effect.reply.title] : [],
      );
      const how = outcome === 'approved' ? 'merged' : 'closed';
      expect(said).toEqual([
        `Round 2 was stopped: the pull request was ${how} by mona. Its changes are not part of it.`,
      ]);
      expect(run.effectTypes).toContain('describe_pull');
      expect(run.state.finished?.reason).toContain('round 2 was running');
    }
  });
});

describe('at rest', () => {
  test('V-1: removing the label or closing the issue changes nothing; a person who cancels is told', () => {
    const run = rested();
    const { events } = run.feed({
      type: 'command',
      at: run.now(),
      command: { name: 'cancel' },
      by: 'rosa',
      via: 'github',
      because: 'the label was removed',
    });
    expect(events).toEqual([]);
    run.say('/cancel');
    expect(run.state.status).toBe('reviewing');
    expect(run.reply?.title).toBe('Nothing to cancel: the pull request is ready, and no round is running.');
  });

  test('V-1: after the last round a person is asked, and more rounds are as many as they say', () => {
    const run = rested();
    for (let number = 2; number <= 3; number += 1)
      round(run, [remark('R1')]).turn(answering({ id: 'R1', result: 'fixed' }));
    run.say('/continue');
    revise(run, [remark('R1'), remark('R2')], 2);
    expect(run.asked).toMatchObject({
      type: 'iteration_limit',
      headline: '2 of 2 rounds used, 2 remarks are still open',
    });
    expect(run.state.status).toBe('waiting_for_input');
    run.tick('more-rounds');
    expect(run.state).toMatchObject({ status: 'reviewing', pending: undefined });
    expect(run.effectTypes).toContain('collect_revision');
    revise(run, [remark('R1')], 2);
    expect(run.state.revision?.number).toBe(4);
  });

  test('V-1: ten rounds run, and instead of the eleventh there is a question', () => {
    const run = rested();
    for (let number = 2; number <= 11; number += 1) {
      round(run).turn(answering({ id: 'R1', result: 'fixed' }));
      expect(run.state.revisions?.at(-1)).toMatchObject({ number, outcome: 'done' });
    }
    run.say('/continue');
    revise(run);
    expect(run.asked?.headline).toBe('10 of 10 rounds used, 1 remark is still open');
  });

  test('V-1: the question for more rounds can be left, and a merge closes it', () => {
    const full = (): Run => {
      const run = rested();
      run.say('/continue');
      round(run).turn(answering({ id: 'R1', result: 'fixed' }));
      run.say('/continue');
      return revise(run, [remark('R1')], 1);
    };
    const left = full();
    left.tick('leave-it');
    expect(left.state).toMatchObject({ status: 'reviewing', pending: undefined });
    expect(left.state.asked_revisions).toBeUndefined();
    const merged = full();
    merged.feed({ type: 'judged', at: merged.now(), outcome: 'approved', by: 'mona', pull: 5 });
    expect(merged.state).toMatchObject({ status: 'approved', pending: undefined });
    const refused = full();
    refused.say('/retry');
    expect(refused.reply?.title).toBe('Nothing changed: the rounds are used up.');
  });

  test('V-2: a round that cannot begin is told why', () => {
    const run = rested();
    run.say('/continue');
    run.feed({ type: 'revision_refused', at: run.now(), reason: 'the pull request is closed.' });
    expect(run.reply?.title).toBe('No round was started: the pull request is closed.');
    expect(run.state.status).toBe('reviewing');
  });
});

describe('at a terminal', () => {
  const guide = (run: Run, text: string) =>
    run.feed({
      type: 'command',
      at: run.now(),
      command: { name: 'guide', text },
      by: 'ann',
      via: 'terminal',
    });
  const begin = (run: Run) =>
    run.feed({ type: 'revise', at: run.now(), revision: { remarks: [] }, limits: firstLimits(run), max: 10 });

  test('V-9: a value of an earlier round is not ordered again, because it was deleted at rest', () => {
    const run = startRun().beginTurn();
    run.askForHelp([{ key: 'token', label: 'Token', secret: true }]);
    run.say('/provide token=abc');
    expect(Object.keys(run.work.inputs)).toEqual(['token']);
    run.turn(DONE);
    guide(run, 'again');
    begin(run);
    expect(run.startJob().work.inputs).toEqual({});
  });

  test('V-9: a cancelled round keeps its figures of the files, and says that they stay', () => {
    const run = rested();
    guide(run, 'again');
    begin(run);
    run.startJob().baseline(PASSING);
    run.state = { ...run.state, changes: { paths: ['a', 'b', 'c'], added: 3, removed: 0 } };
    run.feed({ type: 'command', at: run.now(), command: { name: 'cancel' }, by: 'ann', via: 'terminal' });
    expect(run.state.status).toBe('reviewing');
    expect(run.state.changes.paths).toHaveLength(3);
    expect(run.reply?.title).toBe('Round 2 was stopped: cancelled by ann. The files stay as they are now.');
  });

  test('V-1: a round that is refused after a merge does not bring the run back', () => {
    const run = rested();
    run.say('/continue');
    run.feed({ type: 'judged', at: run.now(), outcome: 'approved', by: 'mona', pull: 5 });
    run.feed({ type: 'revision_refused', at: run.now(), reason: 'there is no open pull request.' });
    expect(run.state.status).toBe('approved');
    expect(run.effectTypes).toEqual([]);
  });

  test('V-1, P-10: a question for more rounds that expires leaves the pull request ready', () => {
    const run = rested({ expireMs: 1_000 });
    round(run, [remark('R1')]).turn(answering({ id: 'R1', result: 'fixed' }));
    run.say('/continue');
    revise(run, [remark('R1')], 1);
    run.sleep(3_600);
    run.timer();
    expect(run.state).toMatchObject({ status: 'reviewing', pending: undefined });
    expect(run.types).toContain('revision_dropped');
  });

  test('V-6: an update is for people with a pull request; at a terminal they merge themselves', () => {
    const run = rested();
    const command = { name: 'continue', new_approach: false, update: true } as const;
    run.feed({ type: 'command', at: run.now(), command, by: 'ann', via: 'terminal' });
    expect(run.reply?.title).toBe('Nothing changed: at a terminal, you merge.');
    expect(run.state.asked_revisions).toBeUndefined();
  });
});

describe('an update with the base', () => {
  const BASE = 'b'.repeat(40);
  const update = { branch: 'main', sha: BASE, conflicts: [], kept: [] };

  function updating(): Run {
    const run = rested();
    run.say('/continue update', { by: 'hubert' });
    expect(run.effectTypes).toEqual(['collect_revision']);
    const revision = { head: HEAD, remarks: [], update };
    run.feed({ type: 'revise', at: run.now(), revision, limits: firstLimits(run), max: 10 });
    return run;
  }

  test('V-6: /continue update begins a round with the commits of the base and nothing else', () => {
    const run = updating();
    expect(run.reply?.title).toBe('Round 2 begins: the commits of `main`.');
    run.startJob().baseline(PASSING);
    expect(run.work.revision).toMatchObject({ source: 'update', by: 'hubert', update });
    run.turn({ ...DONE, work: { digest: 'd1', files: 0, changed: 0, problems: [], secrets: [] } });
    expect(run.state).toMatchObject({ status: 'reviewing', revisions: [{ outcome: 'done', update }] });
  });

  test('V-6: a merge that never reached the desk is no work', () => {
    const run = updating();
    run.startJob().baseline(PASSING);
    run.turn({ ...DONE, work: { files: 0, changed: 0, problems: [], secrets: [] } });
    expect(run.state.status).toBe('waiting_for_input');
  });

  test('V-6: a branch that has all commits of the base is left alone, and that is said', () => {
    const run = rested();
    run.say('/continue update');
    revise(run, []);
    expect(run.reply?.title).toBe('Nothing to do: the branch is up to date.');
    expect(run.state.status).toBe('reviewing');
  });

  test('V-6: work with a conflict marker left is not done, and the agent is told where', () => {
    const run = updating();
    run.startJob().baseline(PASSING);
    const work = { files: 1, changed: 1, problems: [], secrets: [], unresolved: ['src/a.ts'] };
    run.turn({ ...DONE, work });
    expect(run.state.status).toBe('building');
    expect(run.work.guidance.at(-1)).toContain('- src/a.ts');
    run.turn({ ...DONE, work: { ...work, unresolved: undefined } });
    expect(run.state.status).toBe('reviewing');
  });

  test('V-6: asked for with the answer to a question, the run resumes, and the update begins when its work is ready', () => {
    const run = startRun().beginTurn();
    run.askForHelp([]);
    run.say('/continue update', { by: 'hubert' });
    expect(run.state).toMatchObject({
      pending: undefined,
      asked_revisions: [{ by: 'hubert', source: 'update' }],
    });
    expect(run.reply).toMatchObject({
      title: 'Continuing.',
      detail: 'The update with the base follows in a round of its own, once this work is ready.',
    });
    run.turn(DONE);
    expect(run.state.status).toBe('reviewing');
    expect(run.effectTypes.at(-1)).toBe('collect_revision');
  });

  test('V-6: asked for with the answer to a question at a terminal, the reply says that nothing is updated', () => {
    const run = startRun().beginTurn();
    run.askForHelp([]);
    const command = { name: 'continue', new_approach: false, update: true } as const;
    run.feed({ type: 'command', at: run.now(), command, by: 'ann', via: 'terminal' });
    expect(run.reply?.detail).toContain('Nothing is updated: at a terminal, you merge.');
    expect(run.state).toMatchObject({ pending: undefined });
    expect(run.state.asked_revisions ?? []).toEqual([]);
  });

  test('V-6: asked for while the run is paused, the reply says that the update follows', () => {
    const run = startRun().beginTurn();
    run.say('/pause');
    run.say('/continue update');
    expect(run.reply?.detail).toContain('The update with the base follows in a round of its own');
    expect(run.state.asked_revisions).toMatchObject([{ source: 'update' }]);
  });

  test('V-6: asked for while the agent works, it is noted for when the work is ready', () => {
    const run = startRun().beginTurn();
    run.say('/continue update');
    expect(run.reply?.title).toBe('Noted for round 2.');
    run.turn(DONE);
    expect(run.effectTypes.at(-1)).toBe('collect_revision');
  });
});

test('V-2: a round that CI asked for begins, though the person who set the label has lost the role', () => {
  const run = rested();
  const { requested_by: by } = run.state;
  const asked = (source: 'review' | 'ci') => ({ at: run.now(), by, source });
  const decided = startRevision(
    { ...run.state, asked_revisions: [asked('review'), asked('ci')] },
    {
      type: 'revise',
      at: run.now(),
      revision: { head: HEAD, remarks: [], ci: [{ name: 'e2e', url: 'https://ci.example' }] },
      limits: firstLimits(run),
      max: 10,
      unheard: [by],
    },
    RULES,
  );
  expect(decided.events).toMatchObject([{ type: 'revision_started', revision: { by, source: 'ci' } }]);
});
