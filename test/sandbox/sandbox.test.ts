import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

test('R-1: an App is told of nothing that happened before it was installed, so it asks for none of it again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const environment = { PATH: process.env.PATH ?? '' };
  const sandbox = await startSandbox({ directory, files: { 'README.md': '# Shop\n' }, environment });
  onTestFinished(() => sandbox.close());
  const { webhooks } = sandbox.github;
  expect([webhooks.deliveries, webhooks.attempts]).toStrictEqual([[], []]);
  await sandbox.push({ 'README.md': '# Door\n' });
  await sandbox.github.heard();
  expect(webhooks.deliveries.map(({ event }) => event)).toStrictEqual(['push']);
});
