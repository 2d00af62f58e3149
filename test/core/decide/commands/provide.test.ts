import { describe, expect, test } from 'vitest';
import { briefFor } from '../../../../src/core/decide/orders/brief-for.ts';
import { type Run, startRun } from '../../run-builder.ts';

const KEYS = [
  { key: 'service_url', label: 'Address' },
  { key: 'service_token', label: 'Token', secret: true },
];

function asking(inputs = KEYS): Run {
  return startRun().beginTurn().askForHelp(inputs);
}

/** Everything that is stored or sent, as text. */
function everythingOf(run: Run): string {
  return JSON.stringify([run.state, run.events, run.effects, run.commits, run.orders, briefFor(run.state)]);
}

describe('asking for values', () => {
  test('P-4: what was tried, what is needed and the inputs are on the record, with the times', () => {
    const run = asking();
    expect(run.asked).toMatchObject({
      type: 'need_help',
      what_i_tried: 'Looked everywhere',
      what_i_need: 'A key for the mail service',
      inputs: KEYS,
    });
    expect(run.asked.created_at).toBeTruthy();
    expect(run.asked.resolved_at).toBeUndefined();
    run.say('/provide service_url=https://x.example service_token=hunter2hunter2');
    const { resolved_at, resolution } = run.escalation('e1');
    expect(resolved_at).toBeTruthy();
    expect(resolution).toEqual({
      by: 'rosa',
      inputs: {
        service_url: { ref: 'input-1', length: 17 },
        service_token: { ref: 'input-2', length: 14 },
      },
    });
  });

  test('P-4: no value stands anywhere but in the vault', () => {
    const run = asking();
    run.say('/provide service_url=https://hidden.example');
    run.say('/provide service_token="correct horse" other=battery-staple');
    run.beginTurn();
    const text = everythingOf(run);
    for (const value of ['hidden.example', 'correct horse', 'battery-staple']) {
      expect([...run.vault.values()].some((kept) => kept.includes(value))).toBe(true);
      expect(text).not.toContain(value);
    }
  });

  test('P-5: several values at once complete the question', () => {
    const run = asking();
    run.say('/provide service_url=a service_token=b');
    expect(run.escalation('e1').status).toBe('resolved');
    expect(run.reply).toMatchObject({
      tone: 'taken',
      title: 'Got it: 2 of 2 values.',
      detail: 'Token: 1 characters.',
    });
    expect(run.work.inputs).toEqual({
      service_url: { ref: 'input-1', length: 1 },
      service_token: { ref: 'input-2', length: 1 },
    });
    expect(run.work.answers[0]?.instruction).toContain('service_url, service_token');
  });

  test('P-5: a partial answer is kept and the reply lists what is missing', () => {
    const run = asking();
    run.say('/provide service_url=a');
    expect(run.state.pending).toBe('e1');
    expect(run.state.given).toEqual({ service_url: { ref: 'input-1', length: 1 } });
    expect(run.reply).toMatchObject({
      tone: 'waiting',
      title: '1 of 2 values given.',
      suggestion: '/provide service_token=',
    });
    expect(run.reply?.detail).toContain('Token (`service_token`)');
    run.say('/provide service_token=b');
    expect(Object.keys(run.work.inputs)).toEqual(['service_url', 'service_token']);
    expect(Object.keys(run.work.answers[0]?.inputs ?? {})).toEqual(['service_url', 'service_token']);
    expect(run.work.answers[0]?.instruction).toContain('service_url, service_token');
  });

  test('P-5: an unknown key is refused by name, alone or beside a known one', () => {
    const run = asking();
    run.say('/provide nonsense=a');
    expect(run.reply).toMatchObject({
      tone: 'refused',
      title: 'Nothing changed: `nonsense` was not asked for.',
    });
    expect(run.types).toEqual(['command_refused']);
    run.say('/provide service_url=a wrong=b worse=c');
    expect(run.reply?.detail).toContain('`wrong`, `worse` were not asked for.');
    expect(run.state.given).toEqual({ service_url: { ref: 'input-2', length: 1 } });
    run.say('/provide service_token=a wrong=b');
    expect(run.reply?.detail).toContain('`wrong` was not asked for.');
    expect(run.work.answers[0]?.instruction).not.toContain('wrong');
    expect(Object.keys(run.work.inputs)).not.toContain('wrong');
  });

  test('P-5: a value given again replaces the first', () => {
    const run = asking();
    run.say('/provide service_url=a');
    run.say('/provide service_url=b service_token=c');
    expect(run.work.inputs.service_url).toEqual({ ref: 'input-2', length: 1 });
  });

  test('P-5: /continue with values missing is refused and lists them', () => {
    const run = asking();
    run.say('/provide service_url=a');
    run.say('/continue');
    expect(run.reply).toMatchObject({ tone: 'refused', suggestion: '/provide service_token=' });
    expect(run.reply?.detail).toContain('Token (`service_token`)');
    expect(run.reply?.detail).not.toContain('Address');
    expect(run.state.pending).toBe('e1');
  });

  test('P-5: /guide goes on without, and what was given goes along', () => {
    const run = asking();
    run.say('/provide service_url=a');
    run.say('/guide Use the simulator');
    expect(run.escalation('e1').status).toBe('resolved');
    expect(Object.keys(run.work.inputs)).toEqual(['service_url']);
  });

  test('P-5: a value nobody asked for is refused with the way that works', () => {
    const run = startRun().beginTurn().askForHelp([]);
    run.say('/provide x=y');
    expect(run.reply).toMatchObject({ tone: 'refused', title: 'Nothing changed: no value was asked for.' });
    const quiet = startRun().beginTurn();
    quiet.say('/provide x=y');
    expect(quiet.reply?.tone).toBe('refused');
  });

  test('P-8: several escalations in one run, each with its own number and values', () => {
    const run = asking();
    run.say('/provide service_url=a service_token=b');
    run.beginTurn().askForHelp([{ key: 'third', label: 'Third' }]);
    expect(run.asked).toMatchObject({ id: 'e2', status: 'pending' });
    expect(run.state.given).toEqual({});
    run.say('/provide third=c');
    expect(run.state.escalations.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'e1 resolved',
      'e2 resolved',
    ]);
    expect(Object.keys(run.work.inputs)).toEqual(['service_url', 'service_token', 'third']);
  });

  test('P-8: a second trip while a question is open does not replace it', () => {
    const run = asking();
    run.trip();
    run.endTurn();
    expect(run.state.escalations).toHaveLength(1);
    expect(run.state.pending).toBe('e1');
    expect(run.state.turns).toHaveLength(1);
  });

  test('P-5: values given before the agent died are not asked for again', () => {
    const run = asking();
    run.say('/provide service_url=a');
    run.lose();
    expect(run.asked).toMatchObject({ id: 'e2', follows: 'e1' });
    run.say('/provide service_token=b');
    expect(run.escalation('e2').status).toBe('resolved');
    expect(Object.keys(run.work.inputs)).toEqual(['service_url', 'service_token']);
  });
});
