import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMacOwnership } from '../../src/actions-desk/mac-ownership.ts';
import { deriveKeys } from '../../src/store/ref/keys.ts';

const REPOSITORY = { id: 77, name: 'olivia/shop' };
const OURS = createMacOwnership({ keys: ['a secret'], repository: REPOSITORY });
const BODY = '<!-- autobuild:status run=r1 op=r1.status -->\n### Building';
const written = (body: string) => ({ body, author: 'github-actions[bot]', author_type: 'Bot' });

test('N-1: a comment is ours by its code, whoever else writes under the same name', () => {
  const signed = OURS.sign(BODY, 7);
  expect(signed).toMatch(/^<!-- autobuild:status run=r1 op=r1\.status mac=[\w-]+ -->\n### Building$/);
  expect(OURS.isOurs(written(signed), 7)).toBe(true);
  expect(OURS.opOf?.(written(signed), 7)).toBe('r1.status');
  expect(OURS.isOurs(written(BODY), 7)).toBe(false);
});

test('N-1: a code is void on another issue, for another operation, of another repository, and without our key', () => {
  const signed = OURS.sign(BODY, 7);
  expect(OURS.isOurs(written(signed), 8)).toBe(false);
  expect(OURS.isOurs(written(signed.replaceAll('op=r1.status', 'op=r1.e1')), 7)).toBe(false);
  const others = [
    { keys: ['a secret'], repository: { ...REPOSITORY, id: 78 } },
    { keys: ['another'], repository: REPOSITORY },
  ].map(createMacOwnership);
  for (const other of others) expect(other.isOurs(written(signed), 7)).toBe(false);
});

test('N-1: a person who copies a comment of ours has not written one of ours', () => {
  const signed = OURS.sign(BODY, 7);
  expect(OURS.isOurs({ body: signed, author: 'rita', author_type: 'User' }, 7)).toBe(false);
});

test('N-1: a key that was replaced still proves what it signed, and so does a repository of another name', () => {
  const signed = OURS.sign(BODY, 7);
  const repository = { ...REPOSITORY, name: 'walter/store' };
  const later = createMacOwnership({ keys: ['a new one', 'a secret'], repository });
  expect(later.isOurs(written(signed), 7)).toBe(true);
  expect(later.sign(BODY, 7)).not.toBe(signed);
});

test('N-1: a comment that an older version signed, for the name of the repository, is still ours', () => {
  const file = join(import.meta.dirname, '../fixtures/store/bound-to-name.json');
  const { comment } = JSON.parse(readFileSync(file, 'utf8'));
  const repository = { id: 77, name: 'Alice/Demo' };
  const { state } = deriveKeys({ stateKey: 'k'.repeat(44), modelKey: 'a model key', repository });
  const ours = createMacOwnership({ keys: state.split(','), repository });
  expect(ours.opOf?.(written(comment), 7)).toBe('r1.status');
  expect(ours.isOurs(written(comment), 8)).toBe(false);
  expect(ours.sign(BODY, 7)).not.toBe(comment);
});
