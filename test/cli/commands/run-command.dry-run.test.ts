import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dryRunCommand } from '../../../src/cli/commands/run-command.ts';
import { readOptions } from '../../../src/cli/options.ts';

const env = { PATH: process.env.PATH ?? '', HOME: '/nowhere' };

function repository(config: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'ab-dry-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, '.github'));
  writeFileSync(join(directory, '.github/autobuild.yml'), config);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, env, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--quiet', '--message', 'x');
  return directory;
}

const dryRun = (directory: string, ...flags: string[]) =>
  dryRunCommand(
    readOptions(
      ['run', '--dry-run', '--task', 'Make it pass', '--directory', directory, ...flags],
      directory,
    ),
    env,
  );

test('limits: --dry-run says what would run, with which limits, and runs nothing', async () => {
  const directory = repository('verify: [npm test]\nguards: { loop_detected: off, max_runtime: 30 }\n');
  const lines = await dryRun(directory, '--max-turns', '4', '--', 'sh', '-c', 'exit 1');
  expect(lines).toEqual([
    'Would run: Make it pass',
    '  agent: command (sh -c exit 1)',
    '  checks: npm test',
    `  in: ${directory}`,
    '  scope: none set: any file may be changed',
    '  isolation: best',
    'Stops and asks at:',
    '  turns: 4',
    '  working time: 30 min',
    '  files changed: 20',
    '  cost: $10.00, or 5.00 M tokens where the agent reports no money',
    expect.stringContaining('external_blocker: '),
    '  need_help: on',
    '  review_required: on',
    '  spec_deviation_detected: on',
    '  same_error_repeated: 3',
    '  no_test_improvement_after: 3',
    '  no_file_changes_after_attempts: {"threshold":5,"unit":"attempt"}',
    '  consecutive_errors: 5',
    '  total_verification_attempts: 10',
    '  guards off: loop_detected',
    'A turn may take 30 min, a check 15 min.',
    'Nothing was started or written.',
  ]);
  const status = execFileSync('git', ['status', '--porcelain', '--ignored'], { cwd: directory, env });
  expect(status.toString()).toBe('');
});

test('limits: --dry-run finds the mistakes that the run itself would find', async () => {
  const directory = repository('{}\n');
  await expect(dryRun(directory, '--', 'sh')).rejects.toThrow('No checks are configured');
  await expect(dryRun(directory, '--verify', 'true')).rejects.toThrow('No agent is configured');
  writeFileSync(join(directory, 'new.txt'), '');
  await expect(dryRun(directory, '--verify', 'true', '--', 'sh')).rejects.toThrow('uncommitted changes');
});
