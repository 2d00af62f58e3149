import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentScript, createScratch, type Scratch } from './cli-run.ts';

interface Case {
  what: string;
  args: string[];
  prepare?(scratch: Scratch): void;
  env?: Record<string, string>;
  code: number;
  /** Each must be in what is told: what, where, remedy. */
  tells: (string | RegExp)[];
  lacks?: RegExp;
}

const VERIFY = ['--verify', 'test -f done'];
const AGENT = ['--', './agent.sh'];
const RUN = ['run', 'TASK.md', ...VERIFY];
const config = (text: string) => (scratch: Scratch) => scratch.write('.github/autobuild.yml', text);

const CASES: Case[] = [
  {
    what: 'a config with wrong values',
    args: [...RUN, ...AGENT],
    prepare: config('verify: ["true"]\nguards:\n  loop_detected: lots\n  max_iteration: 4\n'),
    code: 1,
    tells: [
      '.github/autobuild.yml has 2 errors',
      /line 3, guards\.loop_detected: found "lots", allowed: .*off/,
      /line 4, guards\.max_iteration: .*did you mean max_iterations/,
      'autobuild check-config .github/autobuild.yml',
    ],
  },
  {
    what: 'a config that is not YAML',
    args: [...RUN, ...AGENT],
    prepare: config('verify: ["true"\nagent: x\n'),
    code: 1,
    tells: [/line \d, the file: .*YAML/],
  },
  {
    what: 'a config with an alias bomb',
    args: [...RUN, ...AGENT],
    prepare: config('known_errors: &a [x, x]\nscope: [*a, *a]\n'),
    code: 1,
    tells: ['line 2', 'no YAML aliases'],
  },
  {
    what: 'a huge config',
    args: [...RUN, ...AGENT],
    prepare: config(`# ${'x'.repeat(3_000_000)}`),
    code: 1,
    tells: ['.github/autobuild.yml', '3000002 bytes', 'at most 1048576'],
  },
  {
    what: 'a config that is a directory',
    args: [...RUN, '--config', 'settings', ...AGENT],
    prepare: (scratch) => mkdirSync(join(scratch.worktree, 'settings')),
    code: 1,
    tells: ['settings', 'it is a directory'],
  },
  {
    what: 'a config whose state_dir leads out of the worktree',
    args: [...RUN, ...AGENT],
    prepare: config('state_dir: ../elsewhere\n'),
    code: 1,
    tells: ['.github/autobuild.yml', 'state_dir: found "../elsewhere", allowed: a directory inside'],
  },
  {
    what: 'a config that is not there',
    args: [...RUN, '--config', 'nope.yml', ...AGENT],
    code: 1,
    tells: ['no config file nope.yml', 'Check the path'],
  },
  {
    what: 'control sequences in a config key',
    args: [...RUN, ...AGENT],
    prepare: config('"\\e[31mred\\n::error::boo": 1\n'),
    code: 1,
    tells: ['autobuild.yml has 1 error', 'not a key'],
    lacks: /\x1b|^\s*::error/m,
  },
  {
    what: 'a task file that is not there',
    args: ['run', 'nope.md', ...VERIFY, ...AGENT],
    code: 1,
    tells: ['nope.md', 'there is no such file', 'Give the path of a Markdown file'],
  },
  {
    what: 'an empty task file',
    args: ['run', 'empty.md', ...VERIFY, ...AGENT],
    prepare: (scratch) => scratch.write('empty.md', ' \n'),
    code: 1,
    tells: ['empty.md', 'empty', 'Nothing was started'],
  },
  {
    what: 'an empty task on the command line',
    args: ['run', '--task', ' ', ...VERIFY, ...AGENT],
    code: 1,
    tells: [/The task \(--task\) cannot be used: .*empty/, 'Fix it'],
    lacks: /task file/,
  },
  {
    what: 'a binary task file',
    args: ['run', 'picture.png', ...VERIFY, ...AGENT],
    prepare: (scratch) =>
      writeFileSync(join(scratch.worktree, 'picture.png'), Buffer.from([0x89, 0x50, 0, 0xff, 0xfe])),
    code: 1,
    tells: ['picture.png', 'not UTF-8 text'],
  },
  {
    what: 'a task file that is a directory',
    args: ['run', 'tasks', ...VERIFY, ...AGENT],
    prepare: (scratch) => mkdirSync(join(scratch.worktree, 'tasks')),
    code: 1,
    tells: ['tasks', 'it is a directory'],
  },
  {
    what: 'a task file that is a pipe nobody writes to',
    args: ['run', 'pipe.md', ...VERIFY, ...AGENT],
    prepare: (scratch) => execFileSync('mkfifo', [join(scratch.worktree, 'pipe.md')]),
    code: 1,
    tells: ['pipe.md', 'not a regular file'],
  },
  {
    what: 'a task file without end',
    args: ['run', '/dev/zero', ...VERIFY, ...AGENT],
    code: 1,
    tells: ['/dev/zero', 'not a regular file'],
  },
  { what: 'no task file', args: ['run', ...AGENT], code: 64, tells: ['needs a task', '--help'] },
  {
    what: 'two task files',
    args: ['run', 'a.md', 'b.md', ...AGENT],
    code: 64,
    tells: ['one task, not also b.md'],
  },
  {
    what: 'an unknown flag',
    args: [...RUN, '--frobnicate', ...AGENT],
    code: 64,
    tells: ["Unknown option '--frobnicate'", 'autobuild run --help'],
  },
  {
    what: "another command's flag",
    args: ['status', '--max-turns', '3'],
    code: 64,
    tells: ['autobuild status takes no --max-turns'],
  },
  { what: 'an unknown command', args: ['build'], code: 64, tells: ['build is not a command', '--help'] },
  {
    what: 'an unknown command with --help',
    args: ['stauts', '--help'],
    code: 64,
    tells: ['stauts is not a command of autobuild. Did you mean status?'],
  },
  { what: 'no command', args: [], code: 64, tells: ['autobuild run TASK.md'] },
  ...['0', 'many', '-1', '1.5', '99999'].map((number) => ({
    what: `--max-turns ${number}`,
    args: [...RUN, `--max-turns=${number}`, ...AGENT],
    code: 64,
    tells: [`--max-turns ${number}`, 'a whole number from 1 to 1000'],
  })),
  { what: 'no agent', args: RUN, code: 64, tells: ['No agent is configured', '--agent NAME'] },
  {
    what: 'an unknown agent',
    args: [...RUN, '--agent', 'robot'],
    prepare: config('agents:\n  tester: {command: [./agent.sh]}\n'),
    code: 64,
    tells: ['no agent robot', 'Available: tester'],
  },
  {
    what: 'an agent that is not executable',
    args: [...RUN, '--', './plain.sh'],
    prepare: (scratch) => scratch.write('plain.sh', 'echo hello\n'),
    code: 1,
    tells: [/plain\.sh is not executable/, 'chmod +x', 'Nothing was started'],
  },
  {
    what: 'an agent that does not exist',
    args: [...RUN, '--', './nowhere.sh'],
    code: 1,
    tells: [/nowhere\.sh does not exist/, 'Nothing was started'],
  },
  {
    what: 'an agent that is not on the PATH',
    args: [...RUN, '--', 'no-such-agent'],
    code: 1,
    tells: ['"no-such-agent" was not found on the PATH'],
  },
  {
    what: 'an agent whose interpreter is not there',
    args: [...RUN, '--', './odd.sh'],
    prepare: (scratch) => scratch.write('odd.sh', '#!/no/such/shell\n', 0o755),
    code: 1,
    tells: ['interpreter "/no/such/shell"'],
  },
  {
    what: 'no checks known',
    args: ['run', 'TASK.md', ...AGENT],
    code: 1,
    tells: ['No checks are configured', 'verify: ["npm test"]', '--verify'],
  },
  {
    what: 'a worktree that is not there',
    args: [...RUN, '--directory', 'missing', ...AGENT],
    code: 1,
    tells: ['missing is not a directory', '--directory'],
  },
  {
    what: 'a worktree that is a file',
    args: [...RUN, '--directory', 'TASK.md', ...AGENT],
    code: 1,
    tells: ['TASK.md is not a directory'],
  },
  {
    what: 'no git',
    args: [...RUN, ...AGENT],
    env: { PATH: '/nowhere' },
    code: 1,
    tells: ['git was not found', 'Install git'],
  },
  {
    what: 'a place for the runs that cannot be written',
    args: [...RUN, ...AGENT],
    env: { AUTOBUILD_HOME: '/dev/null/runs' },
    code: 1,
    tells: ['cannot be kept in /dev/null/runs: ENOTDIR', 'AUTOBUILD_HOME', 'Nothing was started'],
    lacks: /Autobuild itself failed|\n\s+at /,
  },
  {
    what: 'a place for the runs where no directory can be made',
    args: [...RUN, ...AGENT],
    env: { AUTOBUILD_HOME: '/proc/autobuild/runs' },
    code: 1,
    tells: ['cannot be kept in /proc/autobuild/runs: ENOENT', 'AUTOBUILD_HOME', 'Nothing was started'],
    lacks: /Autobuild itself failed|\n\s+at /,
  },
  {
    what: 'resume where no run was started',
    args: ['resume'],
    code: 1,
    tells: ['No run was started', 'autobuild run TASK.md'],
  },
  {
    what: 'an unknown run',
    args: ['resume', 'abcdefgh'],
    code: 1,
    tells: ['There is no run abcdefgh', 'autobuild runs'],
  },
  { what: 'a run named like a path', args: ['status', '../..'], code: 1, tells: ['There is no run ../..'] },
  {
    what: 'an unknown journal',
    args: ['replay', 'nope'],
    code: 1,
    tells: ['There is no run nope', 'no journal file of that name', 'autobuild runs'],
  },
  ...['', 'no journal at all'].map(
    (text): Case => ({
      what: `a journal that holds ${text || 'nothing'}`,
      args: ['replay', 'other.jsonl'],
      prepare: (scratch) => scratch.write('other.jsonl', text),
      code: 1,
      tells: ['other.jsonl is not the journal of a run', 'Nothing was changed'],
    }),
  ),
  {
    what: 'check-config of a bad file',
    args: ['check-config', 'bad.yml'],
    prepare: (scratch) => scratch.write('bad.yml', 'max_turns: soon\n'),
    code: 1,
    tells: ['bad.yml has 1 error', /line 1, max_turns: found "soon", allowed: /],
  },
  {
    what: 'check-config of an agent that is not there',
    args: ['check-config', 'bad.yml'],
    prepare: (scratch) => scratch.write('bad.yml', 'guards: {max_runtime: 0}\nagent: claud\n'),
    code: 1,
    tells: [
      'bad.yml has 2 errors',
      /line 1, guards\.max_runtime: .*\n.*line 2, agent: found "claud", allowed: .*codex.*; did you mean claude\?/,
    ],
  },
  {
    what: 'a name that no agent can have',
    args: [...RUN, '--agent', 'My_Agent', ...AGENT],
    code: 64,
    tells: ['--agent takes a name of small letters, digits and dashes'],
  },
];

describe.concurrent('bad input is told before anything is started', () => {
  for (const { what, args, prepare, env, code, tells, lacks } of CASES) {
    test(`${what}: what, where and remedy, exit ${code}, nothing left behind`, async ({ onTestFinished }) => {
      const scratch = createScratch(onTestFinished);
      scratch.write('agent.sh', agentScript('touch started'), 0o755);
      prepare?.(scratch);
      const told = await scratch.run(args, env);
      for (const part of tells) expect(told.stderr).toMatch(part);
      expect(told.stderr).not.toMatch(/ at .*\.ts:\d+/);
      if (lacks) expect(told.stderr).not.toMatch(lacks);
      expect(told.stdout).toBe('');
      expect(told.code).toBe(code);
      expect(scratch.runs()).toEqual([]);
      expect(scratch.exists('started')).toBe(false);
      expect(scratch.exists('.autobuild')).toBe(false);
    });
  }
});

test('--help and --version answer on stdout', async () => {
  const scratch = createScratch();
  const [help, version] = await Promise.all([scratch.run(['--help']), scratch.run(['--version'])]);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('autobuild run TASK.md');
  expect(help.stdout).toContain('64 usage');
  const { version: wanted } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
  ) as { version: string };
  expect(version).toMatchObject({ code: 0, stdout: `autobuild ${wanted}\n`, stderr: '' });
});

test('check-config shows the settings as they would hold', async () => {
  const scratch = createScratch();
  scratch.write('good.yml', 'max_turns: 7\nscope: [src]\n');
  const shown = await scratch.run(['check-config', 'good.yml']);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('max_iterations: 7');
  expect(shown.stdout).toContain('scope: src');
});

test('a link where the state directory belongs is left alone and told', async () => {
  const scratch = createScratch();
  scratch.write('agent.sh', agentScript('touch started'), 0o755);
  mkdirSync(join(scratch.root, 'elsewhere'));
  symlinkSync(join(scratch.root, 'elsewhere'), join(scratch.worktree, '.autobuild'));
  const told = await scratch.run([...RUN, ...AGENT]);
  expect(told.code).toBe(1);
  expect(told.stderr).toMatch(/state directory \.autobuild cannot be used: .*symbolic link/);
  expect(told.stderr).toContain('state_dir:');
  expect(scratch.exists('started')).toBe(false);
});

test('a reader that goes away parks the run instead of leaving the agent alone', async () => {
  const scratch = createScratch();
  scratch.write('agent.sh', agentScript('until [ -f go ]; do sleep 0.05; done; report partial half'), 0o755);
  const cli = scratch.start([...RUN, '--json', ...AGENT]);
  await cli.saw('turn_started');
  cli.child.stdout?.destroy();
  scratch.write('go', '');
  expect((await cli.ended).code).toBe(2);
  expect(scratch.agentProcesses()).toEqual([]);
});

test('T-4: after a failure of Autobuild itself, resume is offered only for a run that was saved', async () => {
  const scratch = createScratch();
  scratch.write('agent.sh', agentScript('exit 1'), 0o755);
  // A directory in place of the lock's file, which no person makes.
  const name = createHash('sha256').update(scratch.worktree).digest('hex').slice(0, 24);
  mkdirSync(join(scratch.home, 'locks', name, 'in-the-way'), { recursive: true });
  const failed = await scratch.run([...RUN, ...AGENT], { AUTOBUILD_HOME: scratch.home });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('Autobuild itself failed.\n');
  expect(failed.stderr).not.toContain('autobuild resume');
});
