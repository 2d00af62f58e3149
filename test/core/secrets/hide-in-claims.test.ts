import { expect, test } from 'vitest';
import { BlockedReport } from '../../../src/core/contracts/agent/blocked-report.ts';
import { Claim, guardsIn } from '../../../src/core/contracts/envelope.ts';
import {
  hideInEnvelope,
  hideInReport,
  hideInVerification,
} from '../../../src/core/secrets/hide-in-claims.ts';
import { RULES } from '../../../src/guards/rules.ts';
import { startRun, USAGE } from '../run-builder.ts';

const SECRET = 'sk-9f8e7d6c-Longer[than]the*forty*characters-of-an-outcome';

/** The claim that ends a turn whose agent and checks printed this. */
function endOfTurn(text: string, paths: string[] = []) {
  const run = startRun().beginTurn();
  run.endTurn({ report: { status: 'partial', summary: text }, changes: { paths, added: 1, removed: 0 } });
  const { input } = run.commits.findLast(({ input }) => input.type === 'claim') ?? expect.fail('no claim');
  return input.type === 'claim' ? input.envelope : expect.fail('no claim');
}

test('R-11: no text of a claim shows a value, and the claim is still understood', () => {
  const envelope = endOfTurn(`tried ${SECRET} twice`);
  expect(JSON.stringify(envelope)).toContain('sk-9f8e7d6c');
  const hidden = hideInEnvelope(envelope, [SECRET], RULES);
  expect(JSON.stringify(hidden)).not.toMatch(/9f8e7d6c|Longer|forty/);
  expect(JSON.stringify(hidden)).toContain('tried ••• twice');
  expect(Claim.safeParse(hidden).success).toBe(true);
  expect(hidden).toMatchObject({ run: envelope.run, seq: envelope.seq, type: 'turn_ended' });
});

test('R-11: a value that is nothing but letters is hidden where it is the whole text', () => {
  const hidden = hideInEnvelope(endOfTurn('correcthorsebattery'), ['correcthorsebattery'], RULES);
  expect(JSON.stringify(hidden)).not.toContain('correcthorse');
});

test.each(['partial', 'turn_ended', 'verification', 'normal'])(
  'a claim is understood although a value is the word %s',
  (value) => {
    expect(Claim.safeParse(hideInEnvelope(endOfTurn('x'), [value], RULES)).success).toBe(true);
  },
);

test('R-11: neither the signature of an error nor the outcome of a turn shows a part of a value', () => {
  const at = '2026-11-16T09:00:00.000Z';
  const errors = [
    {
      message: `Error: bad key ${SECRET}`,
      signature: 'Error: bad key sk-<id>-Longer[than]the*forty*characters-of-an-outcome',
    },
  ];
  const outcome = 'error:Error-bad-key-sk-9f8e7d6c-Longer-than-the-auth.ts';
  const check = { command: 'npm test', ok: false, exit_code: 1, timed_out: false, duration_ms: 1 };
  const verification = {
    at,
    ok: false,
    checks: [{ ...check, output_tail: outcome, errors }],
  };
  const hidden = hideInVerification(verification, [SECRET]);
  expect(JSON.stringify(hidden)).not.toMatch(/9f8e|Longer|forty/);
  expect(hidden.checks[0]?.output_tail).toBe('error:Error-bad-key-•••');
  expect(hidden.at).toBe(at);
});

test('S-13: no text of a claim shows a credential, also where nobody gave a value; paths stay', () => {
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
  const paths = ['src/a.ts', 'test/sk-learn-classification-of-words.test.ts'];
  const hidden = hideInEnvelope(endOfTurn(`pushed with ${token}`, paths), [], RULES);
  expect(JSON.stringify(hidden)).not.toContain(token);
  expect(JSON.stringify(hidden)).toContain('pushed with •••');
  expect(hidden).toMatchObject({ data: { record: { changes: { paths } } } });
  expect(Claim.safeParse(hidden).success).toBe(true);
});

/** The agent asks again for what it was given. */
function asksAgain(key: string) {
  const run = startRun({ guards: { files_modified_exceeds: 1 } }).beginTurn();
  const help = {
    what_i_tried: 'postgres was refused',
    what_i_need: 'the right password, not postgres',
    inputs: [{ key, label: 'Password', secret: true }],
  };
  run.observe(
    { type: 'help_requested', turn: 1, help },
    { type: 'files_changed', turn: 1, paths: ['test/postgres.ts', 'admin/postgres.ts'] },
  );
  return run.envelope('tripped', { usage: USAGE, measured: run.meter.measured() });
}

test.each(['postgres_password', 'POSTGRES_PASSWORD', 'db.postgres-1', 'postgres'])(
  'P-1: a question that names a value in its key %s is understood, and shows it nowhere else',
  (key) => {
    const envelope = asksAgain(key);
    const hidden = hideInEnvelope(envelope, ['postgres', 'POSTGRES'], RULES);
    const states = guardsIn(Claim.parse(hidden));
    expect(RULES.readStates(states).unreadable).toEqual([]);
    expect(states.need_help).toEqual({
      asked: {
        help: {
          what_i_tried: '••• was refused',
          what_i_need: 'the right password, not •••',
          inputs: [{ key, label: 'Password', secret: true }],
        },
      },
    });
    // Files are approved by their path.
    expect(states.files_modified_exceeds).toMatchObject({ paths: ['test/postgres.ts', 'admin/postgres.ts'] });
  },
);

test('R-11: a path shows no value but one that is a common word', () => {
  const envelope = endOfTurn('x', ['keys/sk-9f8e7d6c5b4a.txt', 'src/postgres.ts']);
  const hidden = hideInEnvelope(envelope, ['sk-9f8e7d6c5b4a', 'postgres'], RULES);
  expect(hidden.data).toMatchObject({
    record: { changes: { paths: ['keys/•••.txt', 'src/postgres.ts'] } },
  });
});

/** Every name and every short text of a claim, as a person might choose it for a value. */
const wordsIn = (said: unknown) => [...new Set(JSON.stringify(said).match(/[A-Za-z_]{4,}/g))];

test('E-15: whatever word of a claim a value is, the claim is read and trips the same guards', () => {
  const limits = startRun({ guards: { files_modified_exceeds: 1 } }).state.limits;
  for (const envelope of [asksAgain('postgres_password'), endOfTurn('partial')]) {
    const before = Claim.parse(envelope);
    for (const word of wordsIn(before)) {
      const after = Claim.parse(hideInEnvelope(envelope, [word], RULES));
      expect(RULES.readStates(guardsIn(after)).unreadable, word).toEqual([]);
      const tripped = (claim: Claim) => RULES.tripped(guardsIn(claim), limits).map(({ guard }) => guard);
      expect(tripped(after), word).toEqual(tripped(before));
      expect(namesIn(after), word).toEqual(namesIn(before));
    }
  }
});

test.each([
  ['agent_frozen' as const, { escalation: 'escalation.e1', processes: 1, ms: 1 }],
  ['answer_delivered' as const, { answer: 'e1.answer' }],
  ['acknowledged' as const, { escalation: 'escalation.e1', text: 'ok' }],
])('E-11: the id in %s is found although a value is a part of it', (type, data) => {
  const envelope = startRun().envelope(type, data);
  expect(hideInEnvelope(envelope, ['escalation', 'answer'], RULES)).toEqual(envelope);
});

function namesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(namesIn);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).map(([name, item]) => [name, namesIn(item)]);
}

test('B-4: a report is valid although values are words of it', () => {
  const report = {
    blocking_issues: [{ issue: 'details', category: 'test_failure' as const, details: 'my failure' }],
    attempts_made: [],
    suggested_alternatives: [],
    human_action_required: 'details',
  };
  const hidden = hideInReport(report, ['details', 'failure']);
  expect(hidden).toMatchObject({ blocking_issues: [{ category: 'test_failure', details: 'my •••' }] });
  expect(BlockedReport.safeParse(hidden).success).toBe(true);
});
