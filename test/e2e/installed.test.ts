import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { npm, PATH, type Packed, packOnce } from './packed.ts';

const ROOT = join(import.meta.dirname, '../..');
const AGENT = `#!/bin/sh
if [ -z "$AUTOBUILD_INPUT_WORDS" ]; then
  cat <<'HELP'
<<<NEED_HELP>>>
what_i_tried: looked for the words in the repository
what_i_need: the words of the greeting
inputs: [{key: words, label: Words of the greeting}]
<<<END_HELP>>>
HELP
  exit
fi
echo "$AUTOBUILD_INPUT_WORDS" > greeting.txt
echo '{"status": "implemented", "summary": "Write the greeting"}' > "$AUTOBUILD_REPORT"
`;
/** Asks the hook of its settings before each of two edits, as Claude Code does. */
const CLAUDE = `#!/usr/bin/env node
const { execFileSync } = require('node:child_process');
const { writeFileSync } = require('node:fs');
if (process.argv[2] === '--version') return console.log('2.1.325 (Claude Code)');
const settings = JSON.parse(process.argv[process.argv.indexOf('--settings') + 1]);
const { command } = settings.hooks.PreToolUse[0].hooks[0];
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: process.argv[process.argv.indexOf('--session-id') + 1] }));
for (const file of ['src/inside.txt', 'outside.txt']) {
  const input = { tool_name: 'Write', tool_input: { file_path: file, content: 'x' } };
  execFileSync('sh', ['-c', command], { input: JSON.stringify(input) });
  writeFileSync(file, 'x');
}
writeFileSync(process.env.AUTOBUILD_REPORT, '{"status": "implemented", "summary": "Two files"}');
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done' }));
process.exit();
`;

let packed: Packed;
beforeAll(async () => {
  packed = await packOnce();
});

/** An empty directory, and a shell in it whose PATH has the program that was installed globally. */
function emptyDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-installed-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const work = join(directory, 'work');
  mkdirSync(work);
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  const path = [programs, join(packed.prefix, 'bin'), PATH].join(delimiter);
  return {
    directory,
    work,
    write(path: string, text: string, mode = 0o644) {
      writeFileSync(join(work, path), text);
      chmodSync(join(work, path), mode);
    },
    shell(line: string, env: Record<string, string> = {}) {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
        cwd: work,
        encoding: 'utf8',
        env: { PATH: path, HOME: directory, AUTOBUILD_HOME: join(directory, 'home'), ...env },
      });
      return { status, stdout, stderr };
    },
  };
}

test('the package is small, has bundles, templates, schema and licences, and needs no other package', () => {
  expect(statSync(packed.tarball).size).toBeLessThan(3_000_000);
  const listed = execFileSync('tar', ['-tzf', packed.tarball], { encoding: 'utf8' });
  const files = listed
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
  expect(files).toEqual(
    expect.arrayContaining([
      ...['LICENSE', 'README.md', 'package.json', 'bin/autobuild.cjs', 'build/cli.js', 'build/licenses.txt'],
      // Without these two a run would have a weaker box.
      ...['build/enter-box.sh', 'build/box-helper.mjs'],
      ...['templates/autobuild.schema.json', 'templates/autobuild.yml', 'templates/workflow.yml'],
    ]),
  );
  const others = files.filter(
    (file) => !/^(LICENSE|README\.md|package\.json|bin\/|build\/|templates\/)/.test(file),
  );
  expect(others).toEqual([]);
  expect(files.filter((file) => /\.tsx?$|\.test\./.test(file))).toEqual([]);
  const about = JSON.parse(
    readFileSync(join(packed.prefix, 'lib/node_modules/autobuild-agent/package.json'), 'utf8'),
  );
  expect(about).toMatchObject({ name: 'autobuild-agent', bin: { autobuild: 'bin/autobuild.cjs' } });
  expect(about).not.toHaveProperty('dependencies');
  // Probot would install packages while it runs.
  const bundled = join(packed.prefix, 'lib/node_modules/autobuild-agent/build');
  const licences = readFileSync(join(bundled, 'licenses.txt'), 'utf8');
  expect(licences).toMatch(/^probot \d/m);
  expect(licences).not.toMatch(/^npx-import-light/m);
});

/** The line below a question that brings it back, as a person would paste it. */
function resumeLine(stdout: string): string {
  return /^ +(\S.* resume \w+)$/m.exec(stdout)?.[1] ?? `no such line in ${stdout}`;
}

test('installed globally, from an empty directory: run, question, answer, done', () => {
  const { work, write, shell } = emptyDirectory();
  write('TASK.md', '# Write the greeting\n');
  write('agent.sh', AGENT, 0o755);
  const asked = shell("autobuild run TASK.md --verify 'test -s greeting.txt' -- ./agent.sh");
  expect(asked, asked.stderr).toMatchObject({ status: 2, stderr: '' });
  expect(asked.stdout).toContain('the words of the greeting');
  const line = resumeLine(asked.stdout);
  expect(line).toMatch(/^autobuild resume \w+$/);
  const answered = shell(`${line} --answer '/provide words="good morning"'`);
  expect(answered, answered.stderr).toMatchObject({ status: 0, stderr: '' });
  expect(answered.stdout).toContain('✓ Done: 1 of 1 checks pass');
  expect(readFileSync(join(work, 'greeting.txt'), 'utf8')).toBe('good morning\n');
});

test("an installed agent's hook asks the installed program before each edit", () => {
  const { directory, work, write, shell } = emptyDirectory();
  mkdirSync(join(work, 'src'));
  write('TASK.md', '# Two files\n\n## Scope\n- src/**\n');
  writeFileSync(join(directory, 'programs/claude'), CLAUDE, { mode: 0o755 });
  const env = { ANTHROPIC_API_KEY: 'sk-ant-no-key' };
  const done = shell(
    "autobuild run TASK.md --json --agent claude --verify 'test -f outside.txt' --answer /approve",
    env,
  );
  expect(done.status, done.stderr).toBe(0);
  const raised = done.stdout.split('\n').filter((line) => line.includes('"escalation_raised"'));
  expect(raised).toHaveLength(1);
  expect(raised[0]).toContain('"path":"outside.txt"');
  expect(raised[0]).toContain('"held":true');
});

test('version, templates and schemas are inside the bundle', () => {
  const { work, shell } = emptyDirectory();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(shell('autobuild --version').stdout).toBe(`autobuild ${version}\n`);
  execFileSync('git', ['init', '--quiet'], { cwd: work });
  const init = shell(`autobuild init --agent claude --action acme/autobuild@${'a1'.repeat(20)}`);
  expect(init.status, init.stderr + init.stdout).toBe(0);
  expect(readFileSync(join(work, '.github/autobuild.schema.json'), 'utf8')).toBe(
    readFileSync(join(ROOT, 'templates/autobuild.schema.json'), 'utf8'),
  );
  expect(shell('autobuild check-config').status).toBe(0);
});

test('in a project, and by npx alone, every hint is a line that works there', async () => {
  const { directory, work, write, shell } = emptyDirectory();
  const env = { PATH, npm_config_cache: join(directory, 'cache'), npm_config_offline: 'true' };
  write('package.json', '{}');
  write('TASK.md', '# Write the greeting\n');
  write('agent.sh', AGENT, 0o755);
  await npm(['install', packed.tarball], { cwd: work });
  const asked = shell("npx autobuild run TASK.md --verify 'test -s greeting.txt' -- ./agent.sh", env);
  const line = resumeLine(asked.stdout);
  expect(line).toMatch(/^npx autobuild resume \w+$/);
  const answered = shell(`${line} --answer '/provide words="good morning"'`, env);
  expect(answered, answered.stderr).toMatchObject({ status: 0 });

  rmSync(join(work, 'node_modules'), { recursive: true });
  rmSync(join(work, 'package.json'));
  const misspelled = shell(`npx --yes file:${packed.tarball} rnu`, env);
  expect(misspelled.status).toBe(64);
  const usage = /Usage: (.+)$/m.exec(misspelled.stderr)?.[1] ?? '';
  expect(usage).toBe(`npx file:${packed.tarball} --help`);
  expect(shell(usage, env)).toMatchObject({ status: 0, stdout: expect.stringContaining(`npx file:`) });
});

test('on an older Node it says in one line which one it needs', () => {
  const { directory } = emptyDirectory();
  const older = join(directory, 'older.cjs');
  writeFileSync(older, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\n");
  const started = spawnSync(
    process.execPath,
    ['--require', older, join(packed.prefix, 'bin/autobuild'), 'run', 'TASK.md'],
    { encoding: 'utf8' },
  );
  expect(started).toMatchObject({ status: 1, stdout: '' });
  expect(started.stderr).toBe(
    'autobuild needs Node.js 24 or newer, and this is 20.20.2: https://nodejs.org/en/download\n',
  );
});
