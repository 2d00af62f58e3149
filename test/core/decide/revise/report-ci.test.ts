import { describe, expect, test } from 'vitest';
import type { CiReport, FailedCheck } from '../../../../src/core/contracts/revision.ts';
import type { RunState } from '../../../../src/core/contracts/run-state.ts';
import { PASSING, type Run, startRun } from '../../run-builder.ts';

const DONE = { report: { status: 'implemented', summary: 'Added the form' }, verification: PASSING };
const sha = (letter: string) => letter.repeat(40);

const failing = (name: string, changes: Partial<FailedCheck> = {}): FailedCheck => ({
  name,
  step: 'Run tests',
  log: 'Error: expected Paid',
  error: 'Error: expected Paid',
  signature: 'Error: expected Paid',
  base: { result: 'passes' },
  ...changes,
});

const ciOf = (head: string, changes: Partial<CiReport> = {}): CiReport => ({
  ...{ head, base: 'main', total: 6, failed: [failing('e2e')], flaky: [], waiting: [], conflict: false },
  ...changes,
});

function rested(): Run {
  const run = startRun().turn(DONE);
  expect(run.state.status).toBe('reviewing');
  return run;
}

function finish(run: Run, report: CiReport, on_failure: 'ask' | 'start' = 'ask'): Run {
  run.feed({ type: 'ci_finished', at: run.now(), report, on_failure });
  return run;
}

function firstLimits(run: Run): RunState['limits'] {
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  return first.limits;
}

/** The round that was asked for, from its begin to its end. */
function playRound(run: Run, head: string): Run {
  const ci = run.state.ci?.at(-1)?.failed.map(({ name, log }) => ({ name, log }));
  const revision = { head, remarks: [], ci };
  run.feed({ type: 'revise', at: run.now(), revision, limits: firstLimits(run), max: 10 });
  run.startJob().baseline(PASSING).turn(DONE);
  expect(run.state.status).toBe('reviewing');
  return run;
}

describe('CI that fails on the head', () => {
  test('V-7: it is one comment for each head, and the run rests', () => {
    const run = finish(rested(), ciOf(sha('a')));
    expect(run.types).toEqual(['ci_reported']);
    expect(run.last.effects).toEqual([{ type: 'show_ci', number: 1 }]);
    expect(run.state.status).toBe('reviewing');
    expect(finish(run, ciOf(sha('a'))).last.events).toEqual([]);
    finish(run, ciOf(sha('a'), { failed: [failing('e2e'), failing('lint')] }));
    expect(run.last.effects).toEqual([{ type: 'show_ci', number: 1 }]);
    expect(run.state.ci).toHaveLength(1);
  });

  test('V-7: Fix it begins a round with the failures, asked for by the person who ticked', () => {
    const run = finish(rested(), ciOf(sha('a')));
    run.say('/continue', { by: 'hubert', via: 'tick', escalation: 'c1' });
    expect(run.effectTypes).toEqual(['show_ci', 'collect_revision']);
    expect(run.state.asked_revisions).toMatchObject([{ source: 'ci', by: 'hubert' }]);
    playRound(run, sha('a'));
    expect(run.state.revisions).toMatchObject([{ number: 2, source: 'ci', by: 'hubert', outcome: 'done' }]);
  });

  test('V-7: /continue typed on the pull request takes the failures, too', () => {
    const run = finish(rested(), ciOf(sha('a')));
    run.say('/continue', { by: 'hubert' });
    expect(run.types).toEqual(['ci_answered', 'revision_asked']);
    expect(run.state.asked_revisions).toMatchObject([{ source: 'command' }]);
  });

  test('V-7: Ignore does not ask again for this commit, and for the next one it does', () => {
    const run = finish(rested(), ciOf(sha('a')));
    run.say('/skip', { by: 'hubert', via: 'tick', escalation: 'c1' });
    expect(run.reply?.title).toBe('CI is ignored on `aaaaaaa`.');
    expect(run.state.ci).toMatchObject([{ answer: { answer: 'ignore', by: 'hubert' } }]);
    expect(finish(run, ciOf(sha('a'))).last.effects).toEqual([]);
    expect(finish(run, ciOf(sha('b'))).last.effects).toEqual([{ type: 'show_ci', number: 2 }]);
  });

  test('V-7: a box of an older head is refused, and /skip without a failure is refused as before', () => {
    const run = finish(finish(rested(), ciOf(sha('a'))), ciOf(sha('b')));
    expect(run.effectTypes).toEqual(['show_ci', 'show_ci']);
    for (const command of ['/continue', '/skip']) {
      run.say(command, { via: 'tick', escalation: 'c1' });
      expect(run.types).toEqual(['command_refused']);
      expect(run.reply?.title).toContain('older commit');
    }
    expect(rested().say('/skip').events).toMatchObject([{ type: 'command_refused' }]);
  });

  test('R-7: a box of a question whose answer brought the run to rest tells who answered first', () => {
    const run = startRun().beginTurn().askForHelp();
    run.say('/accept', { by: 'walter' });
    const first = { title: 'Nothing changed: walter answered first, with /accept.' };
    for (const command of ['/continue', '/skip']) {
      run.say(command, { via: 'tick', escalation: 'e1' });
      expect(run.types).toEqual(['command_refused']);
      expect(run.reply).toMatchObject(first);
    }
    run.say('/retry');
    expect(run.reply?.detail).toContain('walter answered the last question with /accept.');
  });

  test('V-7: with `start` a round begins by itself, but not for what fails on the base as well', () => {
    const run = finish(rested(), ciOf(sha('a')), 'start');
    expect(run.effectTypes).toEqual(['show_ci', 'collect_revision']);
    expect(run.state.asked_revisions).toMatchObject([{ source: 'ci', by: 'rosa' }]);
    const failed = [failing('lint', { base: { result: 'fails' } })];
    expect(finish(rested(), ciOf(sha('a'), { failed }), 'start').effectTypes).toEqual(['show_ci']);
  });

  test('V-7: while a round works, nothing is reported', () => {
    const run = finish(rested(), ciOf(sha('a')));
    run.say('/continue');
    const revision = { head: sha('a'), remarks: [], ci: [{ name: 'e2e' }] };
    run.feed({ type: 'revise', at: run.now(), revision, limits: firstLimits(run), max: 10 });
    expect(finish(run, ciOf(sha('b'))).last).toEqual({ events: [], effects: [] });
  });

  test('V-7: all green is no comment; a failure that passed later, an approval and a conflict are one', () => {
    const green = ciOf(sha('a'), { failed: [] });
    expect(finish(rested(), green).last).toEqual({ events: [], effects: [] });
    for (const told of [{ flaky: ['e2e'] }, { waiting: [{ name: 'ci' }] }, { conflict: true }])
      expect(finish(rested(), { ...green, ...told }).last.effects).toEqual([{ type: 'show_ci', number: 1 }]);
  });
});

describe('the same error of CI', () => {
  /** The build and two rounds, each with a report about its head. */
  function failThrice(reports: CiReport[]): Run {
    const run = rested();
    for (const [index, report] of reports.entries()) {
      finish(run, report);
      if (index < reports.length - 1) playRound(run.say('/continue') && run, report.head);
    }
    return run;
  }

  test('V-7: three rounds in a row are one question, and no comment besides', () => {
    const run = failThrice([ciOf(sha('a')), ciOf(sha('b')), ciOf(sha('c'))]);
    expect(run.asked).toMatchObject({
      type: 'repeated_error',
      headline: 'CI fails with the same error 3 rounds in a row: e2e',
      options: [{ command: '/continue' }, { command: '/accept' }],
    });
    expect(run.effectTypes).not.toContain('show_ci');
    run.tick('fix-ci', 'hubert');
    expect(run.effectTypes).toContain('collect_revision');
    expect(run.state).toMatchObject({ status: 'reviewing', pending: undefined });
    finish(playRound(run, sha('c')), ciOf(sha('d')));
    expect(run.last.effects).toEqual([{ type: 'show_ci', number: 4 }]);
  });

  test('V-7: a head that passes in between, or another error, is no third time', () => {
    const other = ciOf(sha('b'), { failed: [failing('e2e', { signature: 'TypeError' })] });
    expect(failThrice([ciOf(sha('a')), other, ciOf(sha('c'))]).state.pending).toBeUndefined();
    const run = failThrice([ciOf(sha('a')), ciOf(sha('b'))]);
    run.say('/continue');
    finish(playRound(run, sha('b')), ciOf(sha('c'), { failed: [] }));
    expect(run.last.effects).toEqual([]);
    run.say('/guide Rename it');
    finish(playRound(run, sha('c')), ciOf(sha('d')));
    expect(run.state.pending).toBeUndefined();
  });

  test('V-7: /accept leaves the pull request, and /guide says how', () => {
    const asked = () => failThrice([ciOf(sha('a')), ciOf(sha('b')), ciOf(sha('c'))]);
    const left = asked();
    left.tick('ignore-ci');
    expect(left.state).toMatchObject({ status: 'reviewing', pending: undefined });
    expect(left.reply?.title).toBe('Left as it is: ready for review.');
    const guided = asked();
    guided.say('/guide Wait for the toast');
    expect(guided.state.asked_revisions).toMatchObject([{ instruction: 'Wait for the toast', source: 'ci' }]);
    const refused = asked();
    refused.say('/debug');
    expect(refused.types).toEqual(['command_refused']);
  });
});
