import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLine } from '../../../src/cli/package/start-line.ts';

/** A machine with a program in each of the places where one can be. */
function machine() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'autobuild-start-line-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const at = (path: string) => join(top, path);
  const write = (path: string, text = '') => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    return at(path);
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    symlinkSync(at(target), at(path));
  };
  const node = write('node24/bin/node');
  return {
    at,
    write,
    link,
    line: (file: string, { cwd = 'work', path = '', env = {}, by = node } = {}) =>
      startLine({
        file: at(file),
        node: by,
        cwd: at(cwd),
        env: { PATH: path.split(':').map(at).join(':'), ...env },
      }),
  };
}

test('installed globally it is autobuild, also by the script of another package manager', () => {
  const { write, link, line } = machine();
  write('usr/lib/node_modules/autobuild-agent/bin/autobuild.cjs');
  link('usr/bin/autobuild', 'usr/lib/node_modules/autobuild-agent/bin/autobuild.cjs');
  const file = 'usr/lib/node_modules/autobuild-agent/build/cli.js';
  expect(line(file, { path: 'other:usr/bin' })).toBe('autobuild');
  write(
    'pnpm/bin/autobuild',
    '#!/bin/sh\nexec node "$basedir/global/node_modules/autobuild-agent/bin/autobuild.cjs"',
  );
  expect(line(file, { path: 'pnpm/bin' })).toBe('autobuild');
});

test('another program of that name, before it in the PATH, would be started instead', () => {
  const { at, write, link, line } = machine();
  write('usr/lib/node_modules/autobuild-agent/bin/autobuild.cjs');
  link('usr/bin/autobuild', 'usr/lib/node_modules/autobuild-agent/bin/autobuild.cjs');
  write('own/autobuild', '#!/bin/sh\nmake');
  const file = 'usr/lib/node_modules/autobuild-agent/build/cli.js';
  expect(line(file, { path: 'own:usr/bin:node24/bin' })).toBe(`node ${at(file)}`);
});

test('in a project it is npx autobuild, although npm has put it into the PATH for now', () => {
  const { at, write, link, line } = machine();
  write('work/node_modules/autobuild-agent/bin/autobuild.cjs');
  link('work/node_modules/.bin/autobuild', 'work/node_modules/autobuild-agent/bin/autobuild.cjs');
  const file = 'work/node_modules/autobuild-agent/build/cli.js';
  const path = 'work/node_modules/.bin:node24/bin';
  expect(line(file, { path, cwd: 'work/packages/a' })).toBe('npx autobuild');
  expect(line(file, { path, cwd: 'elsewhere' })).toBe(`node ${at(file)}`);
});

test('by npx alone it is npx with what npx was asked for', () => {
  const { at, write, line } = machine();
  const file = 'cache/_npx/0123abcd/node_modules/autobuild-agent/build/cli.js';
  expect(line(file)).toBe('npx autobuild-agent');
  const asked = (...packages: string[]) =>
    write('cache/_npx/0123abcd/package.json', JSON.stringify({ _npx: { packages } }));
  asked('github:octo/autobuild#v1');
  expect(line(file)).toBe('npx github:octo/autobuild#v1');
  asked(`file:${at("it's here/a.tgz")}`);
  expect(line(file)).toBe(`npx 'file:${at("it'\\''s here/a.tgz")}'`);
});

test('in a clone it is what npm was asked to run, from where the shell is', () => {
  const { at, line } = machine();
  const env = { npm_lifecycle_event: 'autobuild', npm_package_json: at('clone/package.json') };
  const started = (INIT_CWD: string) => line('clone/src/cli.ts', { cwd: 'clone', env: { ...env, INIT_CWD } });
  expect(started(at('clone/docs'))).toBe('npm run -s autobuild --');
  expect(started(at('work'))).toBe(`npm --prefix ${at('clone')} run -s autobuild --`);
});

test('started by a Node it is the same Node and file, in as few words as work there', () => {
  const { at, write, line } = machine();
  const file = 'clone/src/cli.ts';
  const own = write('clone/node_modules/node/bin/node');
  expect(line(file, { cwd: 'clone', path: 'node24/bin' })).toBe('node src/cli.ts');
  expect(line(file, { cwd: 'clone', path: 'node24/bin', by: own })).toBe('npx node src/cli.ts');
  expect(line(file, { path: 'node24/bin', by: own })).toBe(`${own} ${at(file)}`);
});
