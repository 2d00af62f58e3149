import { describe, expect, test } from 'vitest';
import { type ActionsSecret, passSecretLine } from '../../../../src/core/contracts/actions-secret.ts';
import type { HelpInput } from '../../../../src/core/contracts/agent/help-request.ts';
import { actionsSecretName } from '../../../../src/core/variable-name.ts';
import { type Run, startRun } from '../../run-builder.ts';

const TOKEN = { key: 'mail.api-key', label: 'Key of the mail sandbox', secret: true };
const OTHER = { key: 'other_token', label: 'Other', secret: true };
const URL = { key: 'service_url', label: 'Address', secret: false };

function asking(...inputs: Partial<HelpInput>[]): Run {
  return startRun().beginTurn().askForHelp(inputs);
}

function carryOn(run: Run, actions_secrets?: Record<string, ActionsSecret>, more: object = {}) {
  return run.feed({
    type: 'command',
    at: run.now(),
    command: { name: 'continue', new_approach: false, ...more },
    by: 'rosa',
    via: 'tick',
    escalation: 'e1',
    actions_secrets,
  });
}

const mail = (found: ActionsSecret['found']) => ({ 'mail.api-key': { name: 'MAIL_API_KEY', found } });

test('the line that passes a secret is as Actions reads it', () => {
  expect(passSecretLine('KEY')).toBe(['KEY: ', '{{ secrets.KEY }}'].join('$'));
});

test.each([
  ['mail_api_key', 'MAIL_API_KEY'],
  ['mail.api-key', 'MAIL_API_KEY'],
  ['_x9', '_X9'],
])('the secret for %s is %s', (key, name) => {
  expect(actionsSecretName(key)).toBe(name);
});

describe('P-9: values that are in Actions secrets', () => {
  test('P-9: they exist: given by reference, and the agent is told where they are', () => {
    const run = asking(TOKEN);
    carryOn(run, mail('yes'));
    expect(run.escalation('e1')).toMatchObject({
      status: 'resolved',
      resolution: {
        by: 'rosa',
        inputs: {
          'mail.api-key': {
            ref: 'actions-secret:e1:MAIL_API_KEY',
            length: 0,
            actions_secret: 'MAIL_API_KEY',
          },
        },
      },
    });
    expect(run.work.inputs).toMatchObject({ 'mail.api-key': { actions_secret: 'MAIL_API_KEY' } });
    expect(run.work.answers[0]?.instruction).toContain('mail.api-key in $MAIL_API_KEY');
    expect(run.reply).toMatchObject({ tone: 'taken' });
    expect(run.reply?.title).toContain('`MAIL_API_KEY`');
    expect(run.reply?.detail).not.toContain('Could not check');
  });

  test('P-9: one does not: refused by name, with where to add it', () => {
    const run = asking(TOKEN, OTHER);
    carryOn(run, { ...mail('no'), other_token: { name: 'OTHER_TOKEN', found: 'yes' } });
    expect(run.state.pending).toBe('e1');
    expect(run.state.given).toEqual({});
    expect(run.reply?.title).toBe('Nothing changed: there is no Actions secret `MAIL_API_KEY`.');
    expect(run.reply?.detail).toContain('Secrets and variables');
    expect(run.types).toEqual(['command_refused']);
  });

  test('P-9: no permission to look: taken on the person’s word, and said so with the permission', () => {
    const run = asking(TOKEN);
    carryOn(run, mail('unknown'));
    expect(run.state.pending).toBeUndefined();
    expect(run.reply?.detail).toContain('exists: the App lacks `secrets: read`');
  });

  test('P-9: a value that is no secret is still asked for', () => {
    const run = asking(TOKEN, URL);
    carryOn(run, mail('yes'));
    expect(run.state.pending).toBe('e1');
    expect(run.reply?.detail).toContain('Address (`service_url`)');
    run.say('/provide service_url=https://x.example');
    carryOn(run, mail('yes'));
    expect(run.state.pending).toBeUndefined();
    expect(Object.keys(run.work.inputs).sort()).toEqual(['mail.api-key', 'service_url']);
  });

  test('P-9: where nobody looked, /continue is refused as before', () => {
    const run = asking(TOKEN);
    carryOn(run);
    expect(run.state.pending).toBe('e1');
    expect(run.reply?.detail).toContain('Still missing: Key of the mail sandbox');
  });

  test('P-9: one that was found for another question does not count', () => {
    const run = asking(OTHER);
    carryOn(run, mail('yes'));
    expect(run.state.pending).toBe('e1');
  });

  test('P-9: given with more turns and another agent, both are taken', () => {
    const run = asking(TOKEN);
    carryOn(run, mail('yes'), { turns: 5, agent: 'other' });
    expect(run.state).toMatchObject({ agent: 'other', limits: { max_iterations: 15 } });
    expect(run.work.inputs).toMatchObject({ 'mail.api-key': { actions_secret: 'MAIL_API_KEY' } });
  });

  test('an agent that is not known is refused before anything is taken', () => {
    const run = asking(TOKEN);
    carryOn(run, mail('yes'), { agent: 'nobody' });
    expect(run.state.pending).toBe('e1');
    expect(run.reply?.title).toContain('no agent nobody');
  });
});
