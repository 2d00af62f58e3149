import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createScratch, FINISH, ofType, onlyGuards, prepare, runArgs } from './cli-run.ts';
import { until } from './processes.ts';
import { expectFinished, isThere, killHard } from './resumed-run.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const STARTED = `say '{"type":"thread.started","thread_id":"${SESSION}"}'`;
const DONE = `touch done.txt; printf '{"status":"implemented","summary":"x"}' > "$AUTOBUILD_REPORT"; say '{"type":"turn.completed"}'`;

/** A program that goes by the name of an agent, started as that one is. */
function prepareFake(name: 'codex' | 'copilot', body: string, guards = '') {
  const scratch = createScratch();
  const programs = join(scratch.root, 'programs');
  mkdirSync(programs);
  const file = join(programs, name);
  writeFileSync(
    file,
    `#!/bin/sh
[ "$1" = --version ] && exit
say() { printf '%s\\n' "$1"; }
echo x >> ../starts
N=$(wc -l < ../starts | tr -d ' ')
${body}
`,
  );
  chmodSync(file, 0o755);
  scratch.write('.github/autobuild.yml', onlyGuards(guards));
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    OPENAI_API_KEY: 'k',
    COPILOT_GITHUB_TOKEN: 'k',
  };
  const args = ['run', 'TASK.md', '--json', '--agent', name, '--verify', 'test -f done.txt'];
  return {
    scratch,
    run: (...answers: string[]) =>
      scratch.run([...args, ...answers.flatMap((answer) => ['--answer', answer])], env),
    starts: () => readFileSync(join(scratch.root, 'starts'), 'utf8').trim().split('\n').length,
  };
}

test('S-3: no turn reprograms the next one through the home of its agent; the conversation goes on', async () => {
  const { scratch, run } = prepareFake(
    'codex',
    `${STARTED}; (cd "$CODEX_HOME/.." && find . -type f | sort) > ../home-$N
if [ $N = 1 ]; then
  mkdir -p "$CODEX_HOME/sessions/2026" "$CODEX_HOME/skills/evil" "$CODEX_HOME/../claude"
  echo talk > "$CODEX_HOME/sessions/2026/rollout-1-${SESSION}.jsonl"
  for f in hooks.json AGENTS.md skills/evil/SKILL.md ../claude/settings.json; do echo evil > "$CODEX_HOME/$f"; done
  echo evil >> "$CODEX_HOME/config.toml"
  say '{"type":"turn.completed"}'; exit
fi
cat "$CODEX_HOME/config.toml" > ../config; ${DONE}`,
  );
  const done = await run();
  expect(done.code, done.stderr).toBe(0);
  const before = scratch.read('../home-1').trim().split('\n');
  expect(scratch.read('../home-2').trim().split('\n')).toEqual(
    [...before, `./codex/sessions/2026/rollout-1-${SESSION}.jsonl`].sort(),
  );
  expect(scratch.read('../config')).not.toContain('evil');
});

test.each(['codex', 'copilot'] as const)(
  'K-2: %s that never finds a conversation fails turn by turn, and a person is asked',
  async (name) => {
    const words =
      name === 'copilot'
        ? // An agent that says nothing at its first start could not start at all (T-2).
          `[ $N = 1 ] && say '{"type":"assistant.message","data":{"content":"hello"}}'; echo "Error: No session found" >&2; exit 1`
        : `say '{"type":"turn.failed","error":{"message":"no rollout found for thread id"}}'; exit 1`;
    const { run, starts } = prepareFake(name, words, '  max_iterations: 3\n');
    const parked = await run();
    expect(parked.code, parked.stderr).toBe(2);
    expect(parked.escalations.map(({ triggers }) => triggers.map(({ guard }) => guard))).toEqual([
      ['max_iterations'],
    ]);
    const ended = ofType(parked.events, 'turn_ended');
    expect(ended).toHaveLength(3);
    expect(ended[0]?.record.exit).toMatch(/^exit 1, failed/);
    // Each turn may find the conversation gone once, and begin anew.
    expect(starts()).toBeLessThanOrEqual(6);
  },
);

const HELP = ['<<<NEED_HELP>>>', 'what_i_tried: all', 'what_i_need: the key', '<<<END_HELP>>>'];
const UNKNOWN_EVENT = JSON.stringify({ type: 'agent.said', text: HELP.join('\n') });

test.each([
  ['an unknown event', `say '${UNKNOWN_EVENT}'`],
  ['a last line that is cut', `printf '%s' '${UNKNOWN_EVENT.slice(0, -1)}'; exit 1`],
])('P-1: a help block in %s is found', async (_, words) => {
  const { run } = prepareFake('codex', `${STARTED}; if [ $N = 1 ]; then ${words}; sleep 20; fi; ${DONE}`);
  const done = await run('/override here it is');
  expect(done.code, done.stderr).toBe(0);
  expect(done.escalations).toMatchObject([{ what_i_need: 'the key' }]);
});

test('P-1: a help block that a tool read, or that stands in the stream as plain lines, asks nobody', async () => {
  const item = { id: 'i1', type: 'command_execution', command: 'cat a', aggregated_output: HELP.join('\n') };
  const lines = ['item.started', 'item.updated', 'item.completed'].map(
    (type) => `say '${JSON.stringify({ type, item: { ...item, status: 'completed', exit_code: 0 } })}'`,
  );
  const plain = HELP.map((line) => `say '${line}'`);
  const { run } = prepareFake('codex', `${STARTED}; ${[...lines, ...plain].join('; ')}; ${DONE}`);
  const done = await run();
  expect(done.code, done.stderr).toBe(0);
  expect(done.escalations).toEqual([]);
  expect(done.stderr).toContain('A help block in the output of a tool is no call for help');
});

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });

test('S-11: git hooks and settings that a turn or its checks plant are gone after it, and told', async () => {
  const scratch = createScratch();
  git(scratch.worktree, 'init', '-q');
  const before = scratch.read('.git/config');
  prepare(
    scratch,
    `git config core.pager evil; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; ${FINISH}`,
  );
  const verify = 'test ! -f done || git config core.fsmonitor evil; test -f done';
  const done = await scratch.run(runArgs({ verify }));
  expectFinished(scratch, done);
  expect(scratch.read('.git/config')).toBe(before);
  expect(scratch.exists('.git/hooks/pre-commit')).toBe(false);
  expect(done.stderr).toMatch(/\.git\/hooks\/pre-commit was created during the turn and\s+was\s+removed/);
  expect(done.stderr).toMatch(/\.git\/config was changed during the turn/);
});

test('R-3: kill -9 in the middle of a turn leaves no planted hook for the user once the run goes on', async () => {
  const scratch = createScratch();
  git(scratch.worktree, 'init', '-q');
  prepare(
    scratch,
    `if [ ! -f ../planted ]; then git config core.pager evil; touch ../planted; sleep 1000; fi; cp .git/config ../config; ${FINISH}`,
  );
  const cli = scratch.start(runArgs());
  await until('it is planted', () => isThere(scratch, 'planted'));
  await killHard(cli);
  expectFinished(scratch, await scratch.run(['resume', '--json']));
  expect(scratch.read('../config')).not.toContain('evil');
});

test('S-3: instructions beside the worktree and in ignored directories do not reach the next turn', async () => {
  const scratch = createScratch();
  prepare(
    scratch,
    `if [ $TURN = 1 ]; then mkdir sub; echo '*' > sub/.gitignore; echo obey > sub/CLAUDE.md; echo obey > ../CLAUDE.md; report partial x; exit; fi
ls sub/CLAUDE.md ../CLAUDE.md > ../seen 2>&1; ${FINISH}`,
  );
  const done = await scratch.run(runArgs());
  expectFinished(scratch, done);
  expect(scratch.read('../seen').match(/No such file/g)).toHaveLength(2);
  expect(existsSync(join(scratch.root, 'CLAUDE.md'))).toBe(false);
  expect(scratch.read('sub/CLAUDE.md')).toBe('obey\n');
  expect(done.stderr).toMatch(/CLAUDE\.md was created during the turn/);
});

test('S-3: a page named like instructions is work like other work: each turn goes on from what the last one wrote', async () => {
  const scratch = createScratch();
  const pages = ['docs/agents.md', 'context.md', 'src/gemini.md', 'CONTEXT.md'];
  for (const page of pages) scratch.write(page, 'before\n');
  prepare(
    scratch,
    `if [ $TURN = 1 ]; then for f in ${pages.join(' ')}; do echo first > $f; done; report partial x; exit; fi
for f in ${pages.join(' ')}; do echo second >> $f; done; ${FINISH}`,
  );
  const done = await scratch.run(runArgs());
  expectFinished(scratch, done);
  for (const page of pages) expect(scratch.read(page), page).toBe('first\nsecond\n');
  expect(done.stderr).not.toContain('rewritten');
});

test('S-3: a turn that writes instructions over those of an earlier turn loses neither, and the user is told', async () => {
  const scratch = createScratch();
  prepare(
    scratch,
    `if [ $TURN = 1 ]; then echo first > AGENTS.md; report partial x; exit; fi
echo second > AGENTS.md; ${FINISH}`,
  );
  const done = await scratch.run(runArgs());
  expectFinished(scratch, done);
  expect(scratch.read('AGENTS.md')).toBe('second\n');
  expect(done.stderr).toMatch(/AGENTS\.md was rewritten during the turn\./);
  const kept = join(scratch.runDir(), 'agent-config/replaced');
  expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), 'utf8'))).toEqual(['first\n']);
});
