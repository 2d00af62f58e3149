import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { writeEnvFile } from '../../src/register/env-file.ts';

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), 'ab-env-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nab+/=\ncd\n-----END RSA PRIVATE KEY-----\n';

test.each([
  ['a key of several lines', KEY],
  ['signs and blanks', 'a b#c$d &e'],
  ['base64', 'aGVsbG8+/w=='],
])('%s is read back as it was', (_, value) => {
  const file = join(directory(), '.env');
  writeEnvFile(file, { set: { PRIVATE_KEY: value }, defaults: [] });
  expect(parseEnv(readFileSync(file, 'utf8')).PRIVATE_KEY?.trimEnd()).toBe(value.trimEnd());
});

test('an old value goes with all its lines, whatever its quotes; names that only begin alike stay', () => {
  const file = join(directory(), '.env');
  const old = `A=1\nKEY="x\ny"\nexport KEY='z'\nKEYS=2\n# KEY=comment\n`;
  writeFileSync(file, old, { mode: 0o644 });
  writeEnvFile(file, { set: { KEY: 'new' }, defaults: [{ names: ['A', 'B'], value: '9' }] });
  expect(readFileSync(file, 'utf8')).toBe(
    'A=1\nKEYS=2\n# KEY=comment\n\n# Written by autobuild register.\nKEY=new\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a link stays a link, and nothing else is left in the directory', () => {
  const [links, files] = [directory(), directory()];
  const file = join(files, 'secrets.env');
  writeFileSync(file, 'A=1\n');
  symlinkSync(file, join(links, '.env'));
  writeEnvFile(join(links, '.env'), { set: { B: '2' }, defaults: [] });
  expect(readlinkSync(join(links, '.env'))).toBe(file);
  expect(parseEnv(readFileSync(file, 'utf8'))).toEqual({ A: '1', B: '2' });
  expect([readdirSync(links), readdirSync(files)]).toEqual([['.env'], ['secrets.env']]);
});
