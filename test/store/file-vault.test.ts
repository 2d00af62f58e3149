import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileVault } from '../../src/store/file-vault.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-vault-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('P-4: a value is found by its reference and by nothing else', async () => {
  const vault = openFileVault(directory);
  const url = await vault.put('r1', 'url', 'https://x.example');
  const token = await vault.put('r1', 'token', 'a "quoted"\nvalue');
  expect(new Set([url, token]).size).toBe(2);
  expect(await vault.open('r1', [url, token])).toEqual({
    url: 'https://x.example',
    token: 'a "quoted"\nvalue',
  });
  expect(await vault.open('r1', [token])).toEqual({ token: 'a "quoted"\nvalue' });
  expect(await vault.open('r1', ['input-99', '__proto__', 'constructor'])).toEqual({});
});

test('P-4: a value given again has a reference of its own', async () => {
  const vault = openFileVault(directory);
  await vault.put('r1', 'url', 'old');
  const fresh = await vault.put('r1', 'url', 'new');
  expect(await openFileVault(directory).open('r1', [fresh])).toEqual({ url: 'new' });
});

test('R-11: the file is for its owner only, also when an older one was not', async () => {
  writeFileSync(join(directory, 'inputs.json.new'), '', { mode: 0o644 });
  await openFileVault(directory).put('r1', 'token', 'x');
  expect(statSync(join(directory, 'inputs.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['inputs.json']);
});

test('R-11: forgetting deletes every trace, and nothing to forget is no mistake', async () => {
  const vault = openFileVault(directory);
  await vault.forget('r1');
  const ref = await vault.put('r1', 'token', 'x');
  writeFileSync(join(directory, 'inputs.json.new'), 'left by a crash');
  await vault.forget('r1');
  expect(readdirSync(directory)).toEqual([]);
  expect(existsSync(join(directory, 'inputs.json'))).toBe(false);
  expect(await vault.open('r1', [ref])).toEqual({});
});
