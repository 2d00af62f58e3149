import { expect, test } from 'vitest';
import { Claim } from '../../src/core/envelope.ts';
import { hideInEnvelope, hideInVerification } from '../../src/core/hide-in-claims.ts';
import { startRun } from './run-builder.ts';

const SECRET = 'sk-9f8e7d6c-Longer[than]the*forty*characters-of-an-outcome';

/** The claim that ends a turn whose agent and checks printed this. */
function endOfTurn(text: string) {
  const run = startRun().beginTurn();
  run.endTurn({ report: { status: 'partial', summary: text } });
  const { input } = run.commits.findLast(({ input }) => input.type === 'claim') ?? expect.fail('no claim');
  return input.type === 'claim' ? input.envelope : expect.fail('no claim');
}

test('R-11: no text of a claim shows a value, and the claim is still understood', () => {
  const envelope = endOfTurn(`tried ${SECRET} twice`);
  expect(JSON.stringify(envelope)).toContain('sk-9f8e7d6c');
  const hidden = hideInEnvelope(envelope, [SECRET]);
  expect(JSON.stringify(hidden)).not.toMatch(/9f8e7d6c|Longer|forty/);
  expect(JSON.stringify(hidden)).toContain('tried ••• twice');
  expect(Claim.safeParse(hidden).success).toBe(true);
  expect(hidden).toMatchObject({ run: envelope.run, seq: envelope.seq, type: 'turn_ended' });
});

test('R-11: a value that is nothing but letters is hidden where it is the whole text', () => {
  const hidden = hideInEnvelope(endOfTurn('correcthorsebattery'), ['correcthorsebattery']);
  expect(JSON.stringify(hidden)).not.toContain('correcthorse');
});

test.each(['partial', 'turn_ended', 'verification', 'normal'])(
  'a claim is understood although a value is the word %s',
  (value) => {
    expect(Claim.safeParse(hideInEnvelope(endOfTurn('x'), [value])).success).toBe(true);
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
