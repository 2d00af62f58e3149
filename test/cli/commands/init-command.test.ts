import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { initCommand } from '../../../src/cli/commands/init-command.ts';
import { packageVersion } from '../../../src/cli/package-version.ts';
import { makeTemporaryDirectory, makeWorktree } from '../../runner/temporary-worktree.ts';

const WORKFLOW = '.github/workflows/autobuild.yml';
const CONFIG = '.github/autobuild.yml';
const SCHEMA = '.github/autobuild.schema.json';

describe('autobuild init', () => {
  test('writes the files and says what comes next; again, nothing changes', async () => {
    const tree = makeWorktree();
    const first = await initCommand({ directory: tree.worktree, force: false });
    expect(first.ok).toBe(true);
    expect(first.lines.slice(0, 3)).toEqual([
      `✓ ${WORKFLOW} written.`,
      `✓ ${CONFIG} written.`,
      `✓ ${SCHEMA} written.`,
    ]);
    expect(first.lines.join('\n')).toContain('label an issue');
    expect(tree.read(WORKFLOW)).toContain('workflow_dispatch');
    expect(tree.read(CONFIG)).toContain('agents:');
    const second = await initCommand({ directory: tree.worktree, force: false });
    expect(second.lines.slice(0, 3)).toEqual([
      `✓ ${WORKFLOW} is there already.`,
      `✓ ${CONFIG} is there already.`,
      `✓ ${SCHEMA} is there already.`,
    ]);
  });

  test('pins the action to this version, or to what is asked for', async () => {
    const uses = (text: string) => [...text.matchAll(/uses: (\S*autobuild@\S+)/g)].map(([, name]) => name);
    const own = makeWorktree();
    await initCommand({ directory: own.worktree, force: false });
    const name = `autobuild/autobuild@v${packageVersion()}`;
    expect(uses(own.read(WORKFLOW))).toEqual([name, name]);
    const other = makeWorktree();
    await initCommand({ directory: other.worktree, force: false, action: 'acme/my.autobuild@release/2' });
    expect(uses(other.read(WORKFLOW))).toEqual([
      'acme/my.autobuild@release/2',
      'acme/my.autobuild@release/2',
    ]);
  });

  test.each([
    'acme/autobuild',
    'autobuild@v1',
    'a/b@',
    'a/b@v1\n- run: x',
    'a/b@v1 #',
    '/b@v1',
    '../b@v1',
    'a/b@$' + '&',
  ])('--action %j is refused, and nothing written', async (action) => {
    const tree = makeWorktree();
    await expect(initCommand({ directory: tree.worktree, force: true, action })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('OWNER/REPO@REF'),
    });
    expect(existsSync(join(tree.worktree, '.github'))).toBe(false);
  });

  test('replaces nothing of the user’s unless told to', async () => {
    const tree = makeWorktree({ [CONFIG]: 'agent: mine\n' });
    const kept = await initCommand({ directory: tree.worktree, force: false });
    expect(kept.ok).toBe(false);
    expect(kept.lines[1]).toContain('--force');
    expect(tree.read(CONFIG)).toBe('agent: mine\n');
    const forced = await initCommand({ directory: tree.worktree, force: true });
    expect(forced).toMatchObject({ ok: true });
    expect(forced.lines[1]).toBe(`✓ ${CONFIG} replaced.`);
    expect(tree.read(CONFIG)).toContain('agent: claude');
  });

  test('an editor finds the schema beside the settings; one that differs is left alone and told', async () => {
    const tree = makeWorktree({ [SCHEMA]: '{}\n' });
    const kept = await initCommand({ directory: tree.worktree, force: false });
    expect(kept.ok).toBe(false);
    expect(kept.lines[2]).toBe(
      `✗ ${SCHEMA} is there and differs; it was left as it is. Replace it with: autobuild init --force`,
    );
    expect(tree.read(SCHEMA)).toBe('{}\n');
    const name = /^# yaml-language-server: \$schema=(\S+)\n/.exec(tree.read(CONFIG))?.[1];
    expect(join(CONFIG, '..', name ?? '')).toBe(SCHEMA);
    await initCommand({ directory: tree.worktree, force: true });
    expect(JSON.parse(tree.read(SCHEMA))).toHaveProperty('properties.verify');
  });

  test('of files that were left as they are it says what they have, not what was asked for', async () => {
    const tree = makeWorktree();
    await initCommand({ directory: tree.worktree, force: false, action: 'acme/autobuild@v8' });
    writeFileSync(join(tree.worktree, CONFIG), 'agent: claude\nverify: [make check]\n');
    const asked = { directory: tree.worktree, action: 'acme/autobuild@v9' };
    const kept = await initCommand({ ...asked, force: false });
    expect(kept.lines[0]).toMatch(/left as it is.*: autobuild init --force --action acme\/autobuild@v9$/);
    expect(kept.lines[3]).toMatch(/^The checks are make check; the action is acme\/autobuild@v8, which/);
    const forced = await initCommand({ ...asked, force: true });
    expect(forced.lines[3]).toMatch(/^The checks are `npm test`.*; the action is acme\/autobuild@v9, which/);
    for (const path of [WORKFLOW, CONFIG]) writeFileSync(join(tree.worktree, path), 'verify: [\n');
    const broken = await initCommand({ ...asked, force: false });
    expect(broken.lines[3]).toContain(
      `The checks are what ${CONFIG} says; the action is what ${WORKFLOW} says,`,
    );
  });

  test('names the checks that the repository has', async () => {
    const tree = makeWorktree({ 'package.json': '{"scripts":{"test":"vitest","lint":"eslint ."}}' });
    const { lines } = await initCommand({ directory: tree.worktree, force: false });
    expect(tree.read(CONFIG)).toContain('\nverify:\n  - npm run test\n  - npm run lint\n\n');
    expect(lines.join('\n')).toContain('The checks are npm run test, npm run lint;');
  });

  test('writes through no link, and says where there is no repository', async () => {
    const directory = makeTemporaryDirectory();
    const outside = makeTemporaryDirectory();
    writeFileSync(join(outside, 'autobuild.yml'), 'mine\n');
    mkdirSync(join(directory, 'plain'));
    const { lines } = await initCommand({ directory: join(directory, 'plain'), force: false });
    expect(lines.join('\n')).toContain('not the top of a repository');
    symlinkSync(outside, join(directory, '.github'));
    await expect(initCommand({ directory, force: true })).rejects.toThrow('symbolic link');
  });
});
