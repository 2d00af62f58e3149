import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const ADDRESS = 'git+https://github.com/octo/autobuild.git#2644bde';

/** A clone as npm has it: with its tools, and without a bundle. */
function prepare(env: Record<string, string>, parts = ['scripts']) {
  const clone = mkdtempSync(join(tmpdir(), 'autobuild-prepare-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  for (const part of parts) cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const run = () =>
    spawnSync(process.execPath, ['scripts/prepare.mjs'], { cwd: clone, encoding: 'utf8', env });
  return { run, bundle: join(clone, 'build/cli.js') };
}

test('an install in a clone makes no bundle', () => {
  const { run, bundle } = prepare({ npm_command: 'ci' });
  expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(existsSync(bundle)).toBe(false);
});

test('an install from a git address makes the bundle before npm packs the clone', () => {
  const { run, bundle } = prepare({ npm_command: 'install', npm_package_resolved: '/tmp/git-clone' }, [
    ...['src', 'scripts', 'templates', 'app.yml', 'package.json', 'LICENSE'],
  ]);
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(bundle)).toBe(true);
});

test('a global install from a git address, which npm breaks, is refused with the two steps that work', () => {
  const { run } = prepare({
    npm_command: 'install',
    npm_config_global: 'true',
    npm_package_resolved: 'null',
    _PACOTE_NO_PREPARE_: ADDRESS,
  });
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain(`npm install --global "$(npm pack --silent ${ADDRESS})"`);
});
