import { describe, expect, test } from 'vitest';
import type { KnownIssue } from '../../../src/core/contracts/run-event.ts';
import type { CheckResult, Verification } from '../../../src/core/contracts/verification.ts';
import { withoutSkipped } from '../../../src/core/decide/completion.ts';
import { startRun } from '../run-builder.ts';

function check(command: string, failing: string[], passed = 3): CheckResult {
  const error = { message: `${command} broke`, signature: `${command} broke` };
  return {
    command,
    ok: failing.length === 0,
    exit_code: failing.length === 0 ? 0 : 1,
    timed_out: false,
    duration_ms: 1,
    output_tail: '',
    tests: { passed, failed: failing.length, skipped: 0, failing },
    errors: failing.length === 0 ? [] : [error],
  };
}

function verification(...checks: CheckResult[]): Verification {
  return { at: '2026-11-16T10:00:00.000Z', ok: checks.every(({ ok }) => ok), checks };
}

const issue = (tests: string[], checks: string[] = []): KnownIssue => ({
  title: 'skipped',
  tests,
  checks,
  by: 'rosa',
  at: '2026-11-16T10:00:00.000Z',
});

describe('what a person skipped', () => {
  test('G-9: no longer fails, counts or repeats an error for the guards', () => {
    const seen = withoutSkipped(verification(check('npm test', ['mail'])), [issue(['mail'])]);
    expect(seen).toMatchObject({ ok: true, tests: { passed: 3, failed: 0, failing: [] } });
    expect(seen.checks[0]).toMatchObject({ ok: true, errors: [] });
  });

  test('G-9: what was not skipped fails as before', () => {
    const seen = withoutSkipped(verification(check('npm test', ['mail', 'login'])), [issue(['mail'])]);
    expect(seen).toMatchObject({ ok: false, tests: { failed: 1, failing: ['login'] } });
    expect(seen.checks[0]?.errors).toHaveLength(1);
  });

  test('G-9: a whole check can be skipped, the others stay', () => {
    const both = verification(check('npm test', ['mail']), check('npm run lint', ['x']));
    expect(withoutSkipped(both, [issue([], ['npm run lint'])])).toMatchObject({
      ok: false,
      checks: [
        { command: 'npm test', ok: false },
        { command: 'npm run lint', ok: true },
      ],
    });
  });

  test('G-9: the same skipped twice is listed once', () => {
    const run = startRun({ guards: { loop_detected: 1 } }).turn();
    run.say('/skip');
    run.turn();
    expect(run.state.pending).toBe('e2');
    run.say('/skip');
    expect(run.state.known_issues).toHaveLength(1);
  });

  test('P-5: /retry and /debug do not go on while values are missing', () => {
    for (const name of ['/retry', '/debug']) {
      const run = startRun();
      run.beginTurn();
      run.askForHelp([{ key: 'api_key', label: 'Key' }]);
      const { effects } = run.say(name);
      expect(run.state.pending).toBeDefined();
      expect(JSON.stringify(effects)).toContain('api_key');
    }
  });
});
