import { mkdirSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfigCommand } from '../../../src/cli/commands/check-config-command.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { makeWorktree } from '../../runner/temporary-worktree.ts';

test('T-5: check-config without a file reads the settings at the top, and its hint finds them from here', async () => {
  const tree = makeWorktree({ '.github/autobuild.yml': 'agent: claude\n' });
  const env = { PATH: process.env.PATH ?? '' };
  mkdirSync(tree.at('packages/a'), { recursive: true });
  const options = readOptions(['check-config'], tree.at('packages/a'));
  const file = relative('', tree.at('.github/autobuild.yml'));
  expect((await checkConfigCommand(options, env)).slice(0, 2)).toEqual([
    `✓ ${file} is valid.`,
    '  agent: claude',
  ]);
  tree.write('.github/autobuild.yml', 'agnt: claude\n');
  await expect(checkConfigCommand(options, env)).rejects.toMatchObject({
    remedy: `Fix the file, then run: autobuild check-config ${file}`,
  });
});

test('N-4: check-config names the settings that have no effect without a server', async () => {
  const workflow = (uses: string) => `on: issues\njobs:\n  autobuild:\n    uses: ${uses}\n`;
  const tree = makeWorktree({ '.github/autobuild.yml': 'agent: claude\n' });
  const env = { PATH: process.env.PATH ?? '' };
  const printed = async () =>
    (await checkConfigCommand(readOptions(['check-config'], tree.at('.')), env)).join('\n');
  expect(await printed()).not.toContain('no effect');
  tree.write('.github/workflows/autobuild.yml', workflow('rosa/other/.github/workflows/build.yml@main'));
  expect(await printed()).not.toContain('no effect');
  tree.write(
    '.github/workflows/autobuild.yml',
    workflow(`autobuild/autobuild/.github/workflows/run.yml@${'a'.repeat(40)}`),
  );
  expect(await printed()).not.toContain('no effect');
  tree.write('.github/autobuild.yml', 'limits: { parallel: 3, monthly_dollars: 9 }\nci: always\n');
  const told = await printed();
  expect(told).toContain(
    '  limits.parallel, limits.monthly_dollars: each run knows only its own issue\n  ci: ',
  );
  expect(told).not.toMatch(/hold_minutes|notify\.webhook|on_ci_failure/);
  tree.write('.github/autobuild.yml', 'ci: always\nrevisions: { on_ci_failure: start }\n');
  expect(await printed()).toContain('on_ci_failure: without a server nothing starts when CI ends');
});

test('N-1: check-config says that nothing starts on GitHub without a check that is named', async () => {
  const tree = makeWorktree({ '.github/autobuild.yml': 'agent: claude\n' });
  const env = { PATH: process.env.PATH ?? '' };
  const printed = async () =>
    (await checkConfigCommand(readOptions(['check-config'], tree.at('.')), env)).join('\n');
  const alone = await printed();
  expect(alone).toContain('  verify: none set, and none detected\n');
  expect(alone).not.toContain('Nothing starts');
  tree.write('package.json', '{ "scripts": { "test": "vitest" } }');
  expect(await printed()).toContain('  verify: npm run test, as detected\n');
  const uses = `autobuild/autobuild/.github/workflows/run.yml@${'a'.repeat(40)}`;
  tree.write('.github/workflows/autobuild.yml', `on: issues\njobs:\n  autobuild:\n    uses: ${uses}\n`);
  const file = relative('', tree.at('.github/autobuild.yml'));
  expect(await printed()).toContain(
    `! Nothing starts on GitHub until \`verify\` names the checks in ${file}, for example: `,
  );
  const called = `on: issues\njobs:\n  autobuild:\n    uses: ${uses}\n    with: { checks: npm test }\n`;
  tree.write('.github/workflows/autobuild.yml', called);
  expect(await printed()).not.toContain('Nothing starts');
  tree.write('.github/workflows/autobuild.yml', 'on: workflow_dispatch\njobs: {}\n');
  expect(await printed()).toContain('Nothing starts');
  tree.write('.github/autobuild.yml', 'verify: [npm test]\n');
  expect(await printed()).not.toContain('Nothing starts');
});
