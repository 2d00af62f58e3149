import { expect, test } from 'vitest';
import type { Vault } from '../../../src/core/ports/ports.ts';
import { openSecrets } from '../../../src/core/secrets/secrets-of-run.ts';
import { startRun } from '../run-builder.ts';

const PLAIN = {
  url: 'https://api.example.com/v2/items?limit=10',
  mail: 'olivia+shop@example.com',
  version: 'v1.2.3-beta4',
  sentence: 'Good morning! Welcome (open 9-17)',
  colour: '#ff8800aa',
  time: '2026-11-16T10:00:00Z',
  query: 'SELECT * FROM items',
  page_key: 'pk_live_abcdefghij0123456789',
};

/** What of these is secret in a run that asked for them. */
async function secretsAmong(values: Record<string, string>, secretKeys: string[] = []) {
  const run = startRun().beginTurn();
  const keys = Object.keys(values);
  run.askForHelp(keys.map((key) => ({ key, label: key, secret: secretKeys.includes(key) })));
  const inputs = Object.fromEntries(keys.map((key) => [key, { ref: `of-${key}`, length: 1 }]));
  const command = { name: 'provide' as const, inputs };
  run.feed({ type: 'command', at: run.now(), command, by: 'rosa', via: 'form' });
  const open: Vault['open'] = async (_, refs) =>
    Object.fromEntries(Object.entries(values).filter(([key]) => refs.includes(`of-${key}`)));
  return openSecrets({ open } as Vault, run.state);
}

test('S-13: values that were asked for as plain are no secrets', async () => {
  expect(await secretsAmong(PLAIN)).toEqual([]);
});

test('S-13: secret is what was asked for as a secret, whatever it looks like, and what looks like a credential', async () => {
  const credential = 'sk_live_abcdefghij0123456789';
  const values = { ...PLAIN, stripe: credential };
  expect(await secretsAmong(values, ['mail', 'version'])).toEqual([
    { key: 'mail', value: PLAIN.mail },
    { key: 'version', value: PLAIN.version },
    { key: 'stripe', value: credential },
  ]);
});
