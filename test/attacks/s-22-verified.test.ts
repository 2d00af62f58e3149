import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRepository } from '../../src/action/open-repository.ts';
import { runVerifyJob } from '../../src/action/verify-job.ts';
import { renderCheck, renderCheckSummary } from '../../src/comments/github/render-check.ts';
import { renderEscalation } from '../../src/comments/github/render-escalation.ts';
import { renderPullRequest } from '../../src/comments/github/render-pull-request.ts';
import { renderStatus } from '../../src/comments/github/render-status.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import type { Verification } from '../../src/core/contracts/verification.ts';
import { createHttpLink } from '../../src/link/http.ts';
import { directBox } from '../../src/runner/box/direct-box.ts';
import { createActionLog } from '../../src/runner/output/workflow-commands.ts';
import { WHERE } from '../comments/story.ts';
import { PASSING, type Run, startRun, tests } from '../core/run-builder.ts';
import { git, makeWorktree, type TemporaryWorktree } from '../runner/temporary-worktree.ts';
import { openTestDesk, type TestDesk } from '../web/desk.ts';

let desk: TestDesk;
beforeEach(async () => {
  desk = await openTestDesk();
});
afterEach(() => desk.close());

const implemented = { status: 'implemented', summary: 'All done' };
const claimedComplete = (run: Run) => run.turn({ report: implemented, verification: PASSING }).park();

/** Prints the Test Anything Protocol. */
const counting = (passed: number, failed: number) => {
  const lines = Array.from({ length: passed + failed }, (_, at) =>
    at < passed ? `ok ${at + 1} - adds` : `not ok ${at + 1} - carries`,
  );
  return `printf '1..${lines.length}\\n${lines.join('\\n')}\\n'; exit ${failed}\n`;
};
const BASE = {
  'package.json': '{"scripts":{"test":"sh ci/unit.sh"}}',
  'ci/unit.sh': 'grep -q right src/sum.js && exit 0\nsh test/counted.sh\n',
  'test/counted.sh': counting(2, 1),
  'src/sum.js': 'right\n',
  'ours.cfg': 'strict\n',
};

/** Ends the job once the file exists. */
interface Interrupt {
  file: string;
  parking: AbortController;
}

/** A commit with these files, which is not checked out. */
function commitOn(tree: TemporaryWorktree, base: string, files: Record<string, string> | undefined): string {
  if (!files) return base;
  for (const [path, text] of Object.entries(files)) tree.write(path, text);
  git(tree.worktree, 'add', '-A');
  git(tree.worktree, 'commit', '-q', '-m', 'An earlier round');
  const head = git(tree.worktree, 'rev-parse', 'HEAD').trim();
  git(tree.worktree, 'checkout', '-q', '--detach', base);
  return head;
}

/** A fresh job verifies work that writes these files, as in Actions, against a desk. */
async function verify(
  work: Record<string, string | null>,
  options: {
    checks: string[];
    config?: string;
    base?: Record<string, string>;
    /** In the pull request already, by earlier rounds. */
    earlier?: Record<string, string>;
    interrupt?: Interrupt;
    leftMs?: number;
  },
): Promise<RunState> {
  const tree = makeWorktree({ ...BASE, ...options.base, '.github/autobuild.yml': options.config ?? '' });
  const base = git(tree.worktree, 'rev-parse', 'HEAD').trim();
  const head = commitOn(tree, base, options.earlier);
  const run = claimedComplete(startRun({ freshVerification: true, checks: options.checks }));
  await desk.seed(run, { head_sha: head });
  const files = Object.entries(work).map(([path, text]) => ({
    path,
    mode: '100644',
    status: text === null ? 'deleted' : path in BASE ? 'modified' : 'added',
    content: text === null ? null : Buffer.from(text).toString('base64'),
  }));
  const changeset = JSON.stringify({ base_sha: head, files, left_out: [] });
  await desk.store.blobs.put('r1', 'changeset', Buffer.from(changeset));
  desk.attempts[900] = 1;
  const link = await createHttpLink({
    baseUrl: desk.url,
    ticket: await desk.ticket({ kind: 'verify' }),
    actionsRun: 900,
    attempt: 1,
    now: () => new Date(),
  });
  const { file, parking = new AbortController() } = options.interrupt ?? {};
  try {
    const verified = runVerifyJob({
      link,
      run: 'r1',
      headSha: head,
      checks: link.claimed.brief.checks,
      log: createActionLog(
        () => undefined,
        () => 'word',
      ),
      worktree: tree.worktree,
      runDir: tree.top,
      repository: await openRepository(tree.worktree, { head, base }, process.env.PATH),
      env: { PATH: process.env.PATH ?? '' },
      box: { ...directBox(), why: [] },
      now: () => new Date(),
      parking: parking.signal,
      deadline: new Date(Date.now() + (options.leftMs ?? 3_600_000)),
    });
    if (file) await expect.poll(() => existsSync(tree.at(file)), { timeout: 30_000 }).toBe(true);
    if (file) parking.abort();
    await verified;
  } finally {
    await link.close();
  }
  const { state } = await desk.store.runs.load('r1');
  return state ?? expect.fail('no run');
}

test('S-22: a script that the checks run was replaced: both results are told, and what the first run wrote is undone', async () => {
  const state = await verify(
    {
      'src/sum.js': 'wrong\n',
      // Passes, and makes the tests pass that were there before.
      'ci/unit.sh': `printf 'exit 0\\n' > test/counted.sh; ${counting(4, 0)}`,
      'ci/added.config.js': 'x\n',
    },
    { checks: ['sh ci/unit.sh'] },
  );
  expect(state).toMatchObject({
    status: 'reviewing',
    finished: { partial: false },
    fresh: { ok: true, tests: { passed: 4, failed: 0 } },
    with_base: {
      verification: { ok: false, tests: { passed: 2, failed: 1 } },
      paths: ['ci/unit.sh', 'ci/added.config.js'],
      files: 2,
    },
  });
  const pull = renderPullRequest(state, WHERE);
  expect(pull).toContain('> [!WARNING]\n> **4/4 with its own tests, 2/3 with yours.**');
  expect(pull).toContain('`ci/unit.sh`');
  expect(pull).toContain('these fail: `carries`.');
  expect(renderCheck(state).title).toBe('Built and verified: 4/4 with its own tests, 2/3 with yours');
  expect(renderCheckSummary(state)).toContain('`ci/unit.sh`');
  expect(renderStatus(state, WHERE)).toContain('4/4 with its own tests, 2/3 with yours');
});

test('S-22: what an earlier round changed of the checks is still told in a later one', async () => {
  const earlier = { 'ci/unit.sh': counting(4, 0), 'test/added.test.js': 'x\n', 'src/sum.js': 'wrong\n' };
  const state = await verify({ 'src/sum.js': 'still wrong\n' }, { checks: ['sh ci/unit.sh'], earlier });
  expect(state).toMatchObject({
    fresh: { ok: true, tests: { passed: 4, failed: 0 } },
    with_base: {
      verification: { ok: false, tests: { passed: 2, failed: 1 } },
      paths: ['ci/unit.sh', 'test/added.test.js'],
      files: 2,
    },
  });
});

test('S-22: a second run that the job has no time for is left out, and the first result counts', async () => {
  const state = await verify({ 'ci/unit.sh': counting(4, 0) }, { checks: ['sh ci/unit.sh'], leftMs: 50_000 });
  expect(state).toMatchObject({ status: 'reviewing', fresh: { ok: true } });
  expect(state.with_base).toBeUndefined();
});

test('S-22: a package script that is now `true`, a deleted test and a file of the config are found as well', async () => {
  const state = await verify(
    {
      'src/sum.js': 'wrong\n',
      'package.json': '{"scripts":{"test":"true"}}',
      'test/counted.sh': null,
      'ours.cfg': 'lax\n',
    },
    {
      checks: ['sh ci/unit.sh || exit 0', 'grep strict ours.cfg || true'],
      config: 'check_files: [ours.cfg]',
    },
  );
  expect(state.with_base).toMatchObject({
    paths: ['package.json', 'test/counted.sh', 'ours.cfg'],
    verification: { tests: { passed: 2, failed: 1 }, checks: [{}, { output_tail: 'strict\n' }] },
  });
  expect(renderPullRequest(state, WHERE)).toContain('2/2 checks with its own tests, 2/3 tests with yours');
});

test('S-22: work that touches nothing the checks depend on is verified once', async () => {
  const state = await verify({ 'src/sum.js': 'right, too\n' }, { checks: ['sh ci/unit.sh'] });
  expect(state).toMatchObject({ status: 'reviewing', fresh: { ok: true } });
  expect(state.with_base).toBeUndefined();
  expect(renderCheck(state).title).toBe('Built and verified');
});

test('S-22: a second run that is cut off does not hold up the first result', async () => {
  const state = await verify(
    { 'ci/unit.sh': 'true\n' },
    {
      checks: ['sh ci/unit.sh'],
      base: { 'ci/unit.sh': 'touch begun; exec sleep 60\n' },
      interrupt: { file: 'begun', parking: new AbortController() },
    },
  );
  expect(state).toMatchObject({ status: 'reviewing', fresh: { ok: true } });
  expect(state.with_base).toBeUndefined();
});

const withBase = (verification: Verification) => ({ verification, paths: ['package.json'], files: 1 });

test('S-22, E-2: the second result decides nothing and counts as no verification, whatever it is', () => {
  const once = claimedComplete(startRun({ freshVerification: true }));
  const twice = claimedComplete(startRun({ freshVerification: true }));
  once.feed({ type: 'verification', at: once.now(), verification: PASSING });
  const with_base = withBase(tests(2, 3));
  twice.feed({ type: 'verification', at: twice.now(), verification: PASSING, with_base });
  expect(twice.state).toEqual({ ...once.state, with_base });
  expect(twice.last.effects).toEqual(once.last.effects);
});

test('S-22: a question after a failed verification says both; the next turn starts without', () => {
  const run = claimedComplete(
    startRun({ freshVerification: true, guards: { total_verification_attempts: 2 } }),
  );
  const with_base = withBase(tests(1, 3));
  run.feed({ type: 'verification', at: run.now(), verification: tests(4, 5), with_base });
  expect(renderEscalation(run.state, run.asked, WHERE)).toContain(
    '**4/5 with its own tests, 1/3 with yours.** The work changes files that the checks depend on: `package.json`.',
  );
  run.say('/continue');
  run.startJob().turn();
  expect(run.state.with_base).toBeUndefined();
});
