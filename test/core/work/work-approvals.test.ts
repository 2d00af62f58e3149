import { describe, expect, test } from 'vitest';
import type { WorkFacts } from '../../../src/core/contracts/work-facts.ts';
import { PASSING, type Run, type RunOptions, startRun, tests } from '../run-builder.ts';

const CI = '.github/workflows/ci.yml';
const DIGEST = 'd'.repeat(64);
const implemented = { status: 'implemented', summary: 'All done' };

function facts(more: Partial<WorkFacts> = {}): WorkFacts {
  return { digest: DIGEST, files: 1, problems: [], secrets: [], ...more };
}

const workflow = facts({ problems: [{ path: CI, why: 'workflow', digest: 'good' }] });
const rewritten: WorkFacts['problems'] = [{ path: CI, why: 'workflow', digest: 'other' }];

/** The agent says it is done and the job's checks agree. */
function complete(work: WorkFacts, options: RunOptions = {}): Run {
  return startRun({ freshVerification: true, ...options }).turn({
    report: implemented,
    verification: PASSING,
    work,
  });
}

describe('finished work that a person has to approve', () => {
  test('is asked about before the run ends', () => {
    const run = complete(workflow);
    expect(run.state).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
    expect(run.state.verifying).toBeUndefined();
    expect(run.asked).toMatchObject({
      type: 'scope_drift',
      headline: 'the finished work changes a file that needs approval, approve it?',
      question: `The work is finished, but it changes ${CI}, which needs your approval before it is committed. How to proceed?`,
    });
    expect(run.asked.options.map(({ command }) => command)).toEqual([
      '/approve',
      `/guide Undo the change to ${CI} and finish without it`,
      '/accept',
      '/review',
      '/terminate',
    ]);
  });

  test.each(['/approve', `/approve paths=${CI}`, '/approve paths=.github/workflows/**'])(
    '%s: it is verified and done, without another turn',
    (text) => {
      const run = complete(workflow).park();
      run.say(text);
      expect(run.escalation('e1').status).toBe('resolved_with_approval');
      expect(run.state).toMatchObject({ status: 'building', verifying: 1, changeset: DIGEST });
      expect(run.effectTypes).toContain('dispatch_verification');
      expect(run.effectTypes).not.toContain('dispatch_job');
      run.feed({ type: 'verification', at: run.now(), verification: PASSING, changeset: DIGEST });
      expect(run.state).toMatchObject({ status: 'reviewing', finished: { partial: false } });
    },
  );

  test('where no fresh job verifies, the approval is the end', () => {
    const run = complete(workflow, { freshVerification: false });
    run.say('/approve');
    expect(run.state).toMatchObject({ status: 'reviewing', finished: { reason: 'all checks pass' } });
    expect(run.effectTypes).toContain('publish');
  });

  test('E-10: an approval that covers nothing of what waits is refused with the line that does', () => {
    const run = complete(workflow).park();
    run.say('/approve paths=docs/**');
    expect(run.state.pending).toBe('e1');
    expect(run.effectTypes).toEqual(['reply']);
    expect(run.reply).toMatchObject({
      tone: 'refused',
      title: 'Nothing changed: docs/** does not cover what is waiting.',
      detail: `Waiting: ${CI}.`,
      suggestion: '/approve',
    });
  });

  test('going on without it is another turn', () => {
    const run = complete(workflow);
    run.tick('stay');
    expect(run.work.answers[0]?.instruction).toContain(`Undo the change to ${CI} and finish without it`);
    run.turn({ report: implemented, verification: PASSING, work: facts() });
    expect(run.state.verifying).toBe(1);
  });

  test('approved while the desk looked: nothing is asked', () => {
    const run = startRun({ freshVerification: true }).beginTurn();
    run.say('/approve paths=.github/**');
    run.endTurn({ report: implemented, verification: PASSING, work: workflow });
    expect(run.state).toMatchObject({ escalations: [], verifying: 1 });
  });

  test('E-5: more files than are allowed, and a path outside the scope, are one question', () => {
    const problems: WorkFacts['problems'] = [
      { path: 'docs/a.md', why: 'out_of_scope' },
      { path: 'src/c.ts', why: 'file_limit' },
    ];
    const options = { guards: { files_modified_exceeds: 2 }, task: { scope: ['src/**'] } };
    const run = complete(facts({ files: 3, problems }), options);
    expect(run.asked.triggers).toMatchObject([
      { guard: 'files_modified_exceeds', observed: 2, threshold: 2 },
      { guard: 'spec_deviation_detected', observed: 1, evidence: { scope: ['src/**'] } },
    ]);
    run.say('/approve files=3 paths=docs/**');
    expect(run.state.verifying).toBe(1);
  });

  test('a number of files that is still too small is refused with the one that is enough', () => {
    const problems = ['c', 'd'].map((path) => ({ path, why: 'file_limit' as const }));
    const run = complete(facts({ files: 4, problems }), { guards: { files_modified_exceeds: 2 } });
    expect(run.asked.headline).toBe('the finished work changes 4 files, the limit is 2, approve them?');
    run.say('/approve files=3');
    expect(run.state.pending).toBe('e1');
    expect(run.reply).toMatchObject({ tone: 'refused', suggestion: '/approve files=4' });
    run.say('/approve files=4');
    expect(run.state.verifying).toBe(1);
  });

  test('an edit that is held is approved as before: the agent makes it', () => {
    const run = startRun({ freshVerification: true, task: { scope: ['src/**'] } })
      .turn({ report: implemented, verification: tests(4, 5) })
      .beginTurn();
    const proposed = { path: 'docs/a.md', why: 'out_of_scope' as const, held: true };
    run.observe({ type: 'write_proposed', turn: 2, proposed, files: [], scope: ['src/**'] }).trip();
    run.say('/approve');
    expect(run.state.verifying).toBeUndefined();
    expect(run.orders.do).toBe('work');
  });
});

describe('a secret in finished work', () => {
  const leaking = facts({ secrets: [{ path: 'src/a.ts', key: 'api_key' }] });

  test('S-13: goes back to the agent, by file and key', () => {
    const run = complete(leaking);
    expect(run.state).toMatchObject({ status: 'building', escalations: [] });
    expect(run.state.verifying).toBeUndefined();
    expect(run.work).toMatchObject({ turn: 2 });
    expect(run.work.answers[0]?.instruction).toContain('- src/a.ts: the value of api_key');
    run.turn({ report: implemented, verification: PASSING, work: facts() });
    expect(run.state.verifying).toBe(1);
  });

  test('S-13: nobody is asked to approve work that holds one', () => {
    const run = complete({ ...workflow, secrets: leaking.secrets });
    expect(run.state).toMatchObject({ status: 'building', escalations: [] });
    expect(run.work.answers[0]?.instruction).toContain('- src/a.ts: the value of api_key');
    run.turn({ report: implemented, verification: PASSING, work: workflow });
    expect(run.asked.triggers[0]?.evidence.proposed).toMatchObject([{ path: CI }]);
  });

  test('an agent that keeps doing it meets the turn limit', () => {
    const run = complete(leaking, { guards: { max_iterations: 1 } });
    expect(run.asked.triggers[0]?.guard).toBe('max_iterations');
  });
});

describe('R-8: what was approved is what is published', () => {
  const OTHER = 'e'.repeat(64);
  const verify = (run: Run, changeset: string, verification = PASSING) =>
    run.feed({ type: 'verification', at: run.now(), verification, changeset });
  const again = (run: Run, work: WorkFacts) =>
    run.startJob().turn({ report: implemented, verification: PASSING, work });

  test('a question about finished work is about this work', () => {
    const run = complete(workflow).park();
    expect(run.asked.work).toBe(DIGEST);
    const later = startRun({ freshVerification: true }).beginTurn().askForHelp();
    expect(later.asked.work).toBeUndefined();
  });

  test.each([OTHER, undefined])(
    'a result for other work (%s) does not count: the agent reports anew',
    (changeset) => {
      const run = complete(workflow).park();
      run.say('/approve');
      run.feed({ type: 'verification', at: run.now(), verification: PASSING, changeset });
      expect(run.state).toMatchObject({ status: 'building', changeset: DIGEST });
      expect(run.state.verifying).toBeUndefined();
      expect(run.effectTypes).toEqual(['publish', 'reply', 'update_status', 'dispatch_job']);
      // As a draft: files that nobody approved as they are now are left out of it.
      expect(run.last.effects).toContainEqual({ type: 'publish', ready: false });
      expect(run.reply?.title).toContain('changed after they were examined');
      expect(run.work.answers.at(-1)?.instruction).toContain('report again');
      again(run, facts({ digest: OTHER, problems: rewritten }));
      expect(run.asked).toMatchObject({ id: 'e2', work: OTHER });
    },
  );

  test('nobody who paused the run is overruled by such a result', () => {
    const run = complete(facts());
    run.say('/pause');
    verify(run, OTHER);
    expect(run.state).toMatchObject({ status: 'waiting_for_input', verifying: undefined });
    expect(run.effectTypes).not.toContain('dispatch_job');
  });

  test('an approval without arguments is for the file as it stands: another text asks again', () => {
    const run = complete(workflow).park();
    run.say('/approve');
    verify(run, DIGEST, tests(4, 5));
    expect(run.state.approved_paths).toEqual([]);
    again(run, facts({ digest: OTHER, problems: rewritten }));
    expect(run.asked).toMatchObject({
      id: 'e2',
      headline: 'a file was approved before and changed since, approve it?',
      question: expect.stringContaining(`Approved before, changed since: ${CI}.`),
    });
    run.say('/approve');
    expect(run.state).toMatchObject({ verifying: 1, approved_files: [{ path: CI, digest: 'other' }] });
  });

  test('the same text in other work asks nothing, however often its verification fails', () => {
    const run = complete(workflow).park();
    run.say('/approve');
    for (const digest of ['1', '2']) {
      verify(run, run.state.changeset ?? '', tests(4, 5));
      again(run, { ...workflow, digest: digest.repeat(64) }).park();
      expect(run.state).toMatchObject({ verifying: 1, changeset: digest.repeat(64) });
      expect(run.state.pending).toBeUndefined();
    }
    expect(run.state.escalations).toHaveLength(1);
  });

  test('an approved file beside a new one: only that is asked about', () => {
    const run = complete(workflow).park();
    run.say('/approve');
    verify(run, DIGEST, tests(4, 5));
    const added = { path: '.github/a.yml', why: 'protected' as const, digest: 'a' };
    again(run, facts({ digest: OTHER, problems: [...workflow.problems, added] }));
    expect(run.asked.triggers[0]?.evidence.proposed).toMatchObject([{ path: added.path }]);
    expect(run.asked.question).not.toContain('changed since');
  });

  test('what a job says of a file is no content that is approved', () => {
    const run = startRun({ freshVerification: true }).beginTurn();
    const proposed = { path: CI, why: 'workflow' as const, held: false, finished: true, digest: 'evil' };
    run.observe({ type: 'write_proposed', turn: 1, proposed, files: [], scope: [] }).trip();
    run.say('/approve');
    expect(run.state.approved_files).toBeUndefined();
    expect(run.state.approved_paths).toEqual([]);
  });

  test('the same work once more asks nothing', () => {
    const run = complete(workflow).park();
    run.say('/approve');
    verify(run, DIGEST, tests(4, 5));
    again(run, workflow);
    expect(run.state).toMatchObject({ verifying: 1 });
    expect(run.state.pending).toBeUndefined();
  });

  test.each([CI, '.github/workflows/**'])('a typed path is for whatever comes: %s', (path) => {
    const run = complete(workflow).park();
    run.say(`/approve paths=${path}`);
    verify(run, DIGEST, tests(4, 5));
    again(run, facts({ digest: OTHER, problems: rewritten }));
    expect(run.state.verifying).toBe(1);
  });

  test('two files approved one after the other are approved both', () => {
    const other = '.github/workflows/release.yml';
    const two = facts({
      problems: [
        { path: CI, why: 'workflow', digest: 'good' },
        { path: other, why: 'workflow', digest: 'good' },
      ],
    });
    const run = complete(two).park();
    run.say(`/approve paths=${CI}`);
    again(run, two);
    expect(run.asked.triggers[0]?.evidence.proposed).toMatchObject([{ path: other }]);
    run.say(`/approve paths=${other}`);
    expect(run.state).toMatchObject({ verifying: 1, approved_paths: [CI, other] });
  });

  test('a job that claims other work while the question is open does not get that approved', () => {
    const run = complete(workflow);
    run.endTurn({ report: implemented, verification: PASSING, work: { ...workflow, digest: OTHER } });
    expect(run.asked.work).toBe(DIGEST);
    run.say('/approve');
    expect(run.state.verifying).toBeUndefined();
  });
});

test('the run remembers what was verified, and publishes before the values are forgotten', () => {
  const run = complete(facts());
  run.feed({ type: 'verification', at: run.now(), verification: PASSING, changeset: DIGEST });
  expect(run.state.changeset).toBe(DIGEST);
  expect(run.effectTypes.indexOf('publish')).toBeGreaterThanOrEqual(0);
  expect(run.effectTypes.indexOf('publish')).toBeLessThan(run.effectTypes.indexOf('forget_inputs'));
});

test('work that a job may not send is told to people', () => {
  const run = startRun().beginTurn();
  run.feed({ type: 'changeset_refused', at: run.now(), problem: '"a": it is a link.' });
  expect(run.reply).toMatchObject({ tone: 'refused', detail: '"a": it is a link.' });
  run.say('/cancel');
  run.feed({ type: 'changeset_refused', at: run.now(), problem: '"a": it is a link.' });
  expect(run.last.effects).toEqual([]);
});
