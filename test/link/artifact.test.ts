import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RULES } from '../../src/guards/rules.ts';
import { createArtifactLink } from '../../src/link/artifact.ts';
import { readArtifact, readChangesetFile } from '../../src/link/read-artifact.ts';
import { startRun } from '../core/run-builder.ts';
import { BEGAN, changesetOf, claimsOf, completeRun, heldBrief, NOW, PLACE, SEALER } from './held-run.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-artifact-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function openLink(parts: Parameters<typeof heldBrief>[0] = {}, secrets: string[] = []) {
  return createArtifactLink({ directory, held: heldBrief(parts), sealer: SEALER, rules: RULES, secrets });
}

const read = () => readArtifact({ directory, ...PLACE, sealer: SEALER, began: BEGAN, now: NOW });
const everything = () =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

test('N-3: a job without a desk decides as the desk would, and the desk finds every claim and blob in order', async () => {
  const run = completeRun();
  const claims = claimsOf(run.park());
  const link = openLink();
  expect(link.claimed.brief.job).toBe(1);
  let orders = link.claimed.orders;
  for (const envelope of claims) {
    if (envelope.type === 'turn_ended')
      await link.putBlob('changeset', changesetOf({ 'a.ts': `turn ${envelope.turn}` }));
    if (envelope.type === 'parked') {
      // As at the hosted desk: what is being verified stays as it is.
      expect(await link.putBlob('changeset', changesetOf({ 'a.ts': 'later' }))).toBe(false);
      expect(await link.putBlob('checkpoint', Buffer.from('kept'))).toBe(true);
    }
    orders = await link.report(envelope);
  }
  expect(orders).toEqual({ do: 'park' });
  await link.close();
  expect(link.canBeVerified()).toBe(true);
  const { entries, isLastWordThere, skipped } = read();
  expect(entries.flatMap((entry) => (entry.type === 'claim' ? [entry.envelope] : []))).toEqual(claims);
  expect(entries.map((entry) => (entry.type === 'blob' ? entry.name : entry.envelope.type))).toEqual([
    'job_started',
    'baseline_recorded',
    'turn_started',
    'changeset',
    'turn_ended',
    'turn_started',
    'changeset',
    'turn_ended',
    'checkpoint',
    'parked',
  ]);
  const blobs = entries.flatMap((entry) => (entry.type === 'blob' ? [Buffer.from(entry.bytes)] : []));
  expect(blobs).toEqual([
    changesetOf({ 'a.ts': 'turn 1' }),
    changesetOf({ 'a.ts': 'turn 2' }),
    Buffer.from('kept'),
  ]);
  expect([isLastWordThere, skipped]).toEqual([true, {}]);
  expect(readChangesetFile(directory)).toEqual(changesetOf({ 'a.ts': 'turn 2' }));
});

test('N-3: a question is not waited for, and the job is told to', async () => {
  const run = startRun({ freshVerification: true }).beginTurn().askForHelp();
  const link = openLink();
  expect(link.isLive).toBe(false);
  for (const envelope of claimsOf(run)) await link.report(envelope);
  expect(await link.ordersAfterWait(AbortSignal.abort())).toEqual({ do: 'wait', escalation: 'e1' });
  await link.close();
  expect(link.canBeVerified()).toBe(false);
  expect(existsSync(join(directory, 'changeset.json'))).toBe(false);
});

test('N-3: a build has the values that were given, and the work of the job before', async () => {
  const inputs = { 'ref-1': { key: 'MAIL_KEY', value: 'sk-mail-0123456789' } };
  const held = heldBrief({ inputs, changeset: changesetOf({ 'a.ts': '1' }).toString('base64') });
  const checkpoint = Buffer.from('kept');
  const link = createArtifactLink({ directory, held, checkpoint, sealer: SEALER, rules: RULES, secrets: [] });
  expect(await link.openInputs(['ref-1', 'ref-2', '__proto__'])).toEqual({ MAIL_KEY: 'sk-mail-0123456789' });
  expect(await link.getBlob('checkpoint')).toBe(checkpoint);
  expect(await link.getBlob('changeset')).toEqual(changesetOf({ 'a.ts': '1' }));
});

test('N-3: everybody can read an artifact of a public repository, so it shows nothing but finished work without secrets', async () => {
  const secret = 'sk-live-4f9a8b7c6d5e';
  const link = openLink({}, [secret]);
  for (const envelope of claimsOf(completeRun())) {
    if (envelope.type === 'turn_ended') await link.putBlob('changeset', changesetOf({ 'key.ts': secret }));
    await link.report(envelope);
  }
  await link.putBlob('checkpoint', Buffer.from('the whole conversation'));
  await link.close();
  expect(link.canBeVerified()).toBe(false);
  expect(readChangesetFile(directory)).toBeUndefined();
  for (const text of [secret, Buffer.from(secret).toString('base64'), 'conversation', 'Added the page'])
    expect(everything()).not.toContain(text);
  expect(read().entries.filter(({ type }) => type === 'blob')).toHaveLength(3);
});

test('N-3: a blob that the desk could not keep is not saved', async () => {
  const link = openLink();
  expect(await link.putBlob('checkpoint', new Uint8Array(26 * 1024 * 1024))).toBe(false);
  expect(await link.putBlob('checkpoint', new Uint8Array(1024))).toBe(true);
});
