import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliResult, createScratch, ofType, onlyGuards, type Scratch } from './cli-run.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const REPORT = `printf '{"status":"implemented","summary":"x"}' > "$AUTOBUILD_REPORT"`;
const FINISH = `touch done.txt; ${REPORT}; say '{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":1}}'`;
/** Codex's own words for an edit that was made. */
const edited = (path: string) =>
  `say '{"type":"item.completed","item":{"id":"i1","type":"file_change","status":"completed","changes":[{"path":"${path}","kind":"add"}]}}'`;
const failed = (message: string) => `say '{"type":"turn.failed","error":{"message":"${message}"}}'; exit 1`;

/** A program that goes by the name of Codex and speaks as it does, for what the real one does not do on demand. */
function prepareCodex(body: string, { version = '0.166.0' } = {}) {
  const scratch = createScratch();
  const programs = join(scratch.root, 'programs');
  mkdirSync(programs);
  const file = join(programs, 'codex');
  writeFileSync(
    file,
    `#!/bin/sh
[ "$1" = --version ] && { echo "codex-cli ${version}"; exit; }
say() { printf '%s\\n' "$1"; }
printf '%s\\n' "$*" >> ../invocations
case "$*" in *"exec resume"*) RESUMED=1;; *) RESUMED=; esac
${body}
`,
  );
  chmodSync(file, 0o755);
  scratch.write('.github/autobuild.yml', onlyGuards());
  const env = { PATH: `${programs}:${process.env.PATH}`, OPENAI_API_KEY: 'k' };
  const args = ['run', 'TASK.md', '--json', '--agent', 'codex', '--verify', 'test -f done.txt'];
  return {
    scratch,
    run: (answers: string[] = [], more: Record<string, string> = {}) =>
      scratch.run([...args, ...answers.flatMap((answer) => ['--answer', answer])], { ...env, ...more }),
    resume: (...answers: string[]) =>
      scratch.run(['resume', '--json', ...answers.flatMap((answer) => ['--answer', answer])], env),
  };
}

const STARTED = `say '{"type":"thread.started","thread_id":"${SESSION}"}'`;
const invocations = (scratch: Scratch) =>
  readFileSync(join(scratch.root, 'invocations'), 'utf8').trim().split('\n');
const guardsOf = ({ escalations }: CliResult) =>
  escalations.map(({ triggers }) => triggers.map(({ guard }) => guard));

test('T-2: an agent that cannot start stops the run after the first try, with its last words', async () => {
  const broken = `if [ ! -f ../fixed ]; then echo 'Reading config' >&2; printf "\\033[31merror: unexpected argument '--foo'\\033[0m\\n" >&2; touch ../fixed; exit 2; fi`;
  const { scratch, run } = prepareCodex(`${broken}; ${STARTED}; ${FINISH}`);
  const done = await run(['/retry']);
  expect(done.code, done.stderr).toBe(0);
  expect(guardsOf(done)).toEqual([['external_blocker']]);
  const [asked] = done.escalations;
  expect(asked?.question).toContain(
    "the agent codex could not start: error: unexpected argument '--foo' (exit 2",
  );
  const [first, second] = ofType(done.events, 'turn_ended').map(({ record }) => record);
  expect(first).toMatchObject({
    failed: true,
    last_words: "Reading config\nerror: unexpected argument '--foo'",
  });
  // The checks would have said nothing about an agent that did nothing.
  expect(first?.verification).toBeUndefined();
  expect(second?.last_words).toBeUndefined();
  expect(invocations(scratch)).toHaveLength(2);
});

test('T-2: an agent that worked before has a bad turn, not a bad start', async () => {
  const body = `if [ ! -f ../once ]; then touch ../once; ${STARTED}; say '{"type":"item.completed","item":{"id":"i0","type":"agent_message","text":"hello"}}'; echo 'stream lost' >&2; exit 1; fi; if [ ! -f ../twice ]; then touch ../twice; echo 'stream lost' >&2; exit 1; fi; ${STARTED}; ${FINISH}`;
  const done = await prepareCodex(body).run();
  expect(done.code, done.stderr).toBe(0);
  expect(done.escalations).toEqual([]);
  expect(ofType(done.events, 'turn_ended').map(({ record }) => record.last_words)).toEqual([
    'stream lost',
    'stream lost',
    undefined,
  ]);
});

test('E-5: an edit past the gate is put back, the question says so, and only an approval brings it in', async () => {
  const past = `${STARTED}; if [ -z "$RESUMED" ]; then echo x > past.txt; ${edited('past.txt')}; sleep 1000; fi; ${FINISH}`;
  const guided = prepareCodex(past);
  const without = await guided.run(['/guide Leave that file']);
  expect(without.code, without.stderr).toBe(0);
  expect(guardsOf(without)).toEqual([['spec_deviation_detected']]);
  expect(without.escalations[0]?.triggers[0]?.evidence.proposed).toMatchObject([
    { path: 'past.txt', why: 'gate_bypassed', held: false },
  ]);
  expect(without.stderr).toMatch(/edited\s+without\s+asking/);
  expect(guided.scratch.exists('past.txt')).toBe(false);

  const approved = prepareCodex(past);
  const withIt = await approved.run(['/approve']);
  expect(withIt.code, withIt.stderr).toBe(0);
  expect(approved.scratch.read('past.txt')).toBe('x\n');
});

test('E-5: what an earlier turn made of a file outlives an edit of it past the gate', async () => {
  const { scratch, run } = prepareCodex(`${STARTED}
N=$(wc -l < ../invocations)
if [ $N -eq 1 ]; then
  echo one > work.txt
  printf '{"status":"partial","summary":"one"}' > "$AUTOBUILD_REPORT"
  say '{"type":"turn.completed"}'
elif [ $N -eq 2 ]; then
  echo past >> work.txt; ${edited('work.txt')}; sleep 1000
else
  ${FINISH}
fi`);
  const guided = await run(['/guide Continue without the change']);
  expect(guided.code, guided.stderr).toBe(0);
  expect(guided.escalations[0]?.triggers[0]?.evidence.proposed).toMatchObject([{ why: 'gate_bypassed' }]);
  expect(scratch.read('work.txt')).toBe('one\n');
});

test('E-5: an edit past the gate is asked about with every limit of files off, also when it comes with the report', async () => {
  const { scratch, run } = prepareCodex(
    `${STARTED}; if [ -z "$RESUMED" ]; then echo x > past.txt; ${edited('past.txt')}; fi; ${FINISH}`,
  );
  scratch.write(
    '.github/autobuild.yml',
    onlyGuards('  files_modified_exceeds: off\n  spec_deviation_detected: off\n'),
  );
  const asked = await run(['/approve']);
  expect(asked.code, asked.stderr).toBe(0);
  expect(asked.escalations).toMatchObject([{ type: 'scope_drift', headers: ['Edited Without Asking'] }]);
  expect(scratch.read('past.txt')).toBe('x\n');
});

test('P-7: the next start goes on with the conversation, and one that is gone is begun anew, and told', async () => {
  const { scratch, run } = prepareCodex(
    `if [ -n "$RESUMED" ]; then say '{"type":"error","message":"no rollout found for thread id ${SESSION}"}'; ${failed('no rollout found for thread id')}; fi
${STARTED}; if [ ! -f half.txt ]; then touch half.txt; say '{"type":"turn.completed"}'; exit; fi; ${FINISH}`,
  );
  const done = await run();
  expect(done.code, done.stderr).toBe(0);
  expect(done.stderr).toContain('codex no longer has the conversation of this run');
  expect(invocations(scratch).map((line) => line.includes(`exec resume`) && line.includes(SESSION))).toEqual([
    false,
    true,
    false,
  ]);
  // The refused start cost no turn.
  expect(ofType(done.events, 'turn_ended')).toHaveLength(2);
});

test('K-2: soft ends go on by themselves and are no errors', async () => {
  const { run } = prepareCodex(
    `${STARTED}; N=$(wc -l < ../invocations); case $N in 1) ${failed('stream disconnected before completion')};; 2) ${failed('context_length_exceeded')};; 3) kill -9 $$;; *) ${FINISH};; esac`,
  );
  const done = await run();
  expect(done.code, done.stderr).toBe(0);
  expect(done.escalations).toEqual([]);
  expect(ofType(done.events, 'turn_ended').map(({ record }) => record.exit)).toEqual([
    'exit 1, api_error: stream disconnected before completion',
    'exit 1, context: context_length_exceeded',
    expect.stringContaining('killed by SIGKILL'),
    'exit 0',
  ]);
});

test('E-7: a used-up quota is asked about at once, in the words of the provider', async () => {
  const { run, resume, scratch } = prepareCodex(
    `${STARTED}; if [ ! -f ../paid ]; then ${failed('You exceeded your current quota')}; fi; ${FINISH}`,
  );
  const parked = await run();
  expect(parked.code, parked.stderr).toBe(2);
  expect(guardsOf(parked)).toEqual([['external_blocker']]);
  expect(parked.stderr).toContain('You exceeded your current quota');
  // Before any check could run.
  expect(ofType(parked.events, 'turn_ended')).toEqual([]);
  writeFileSync(join(scratch.root, 'paid'), '');
  const done = await resume('/retry');
  expect(done.code, done.stderr).toBe(0);
});

test('S-4: it gets a key of its own and no other, and the figures of its conversation are counted once', async () => {
  const { scratch, run } = prepareCodex(
    `env > ../env; ${STARTED}; if [ -z "$RESUMED" ]; then say '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":1}}'; exit; fi; ${FINISH}`,
  );
  const done = await run([], {
    GITHUB_TOKEN: 'secret-a',
    ANTHROPIC_API_KEY: 'secret-b',
    DATABASE_URL: 'secret-c',
  });
  expect(done.code, done.stderr).toBe(0);
  expect(scratch.read('../env')).not.toContain('secret-');
  expect(scratch.read('../env')).toContain('OPENAI_API_KEY=autobuild-');
  expect(ofType(done.events, 'turn_ended').at(-1)?.usage).toEqual({
    input_tokens: 10,
    output_tokens: 1,
    cost_usd: null,
  });
});

test('a missing key is told before anything starts, with the variables that would do', async () => {
  const { scratch, run } = prepareCodex(`${STARTED}; ${FINISH}`);
  const refused = await run([], { OPENAI_API_KEY: '' });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('codex has no key for its model.');
  expect(refused.stderr).toContain('Set CODEX_API_KEY or OPENAI_API_KEY. Nothing was started.');
  expect(scratch.runs()).toEqual([]);
  expect(scratch.exists('../invocations')).toBe(false);
});

test('a missing program is told before anything starts', async () => {
  const { scratch } = prepareCodex('');
  const refused = await scratch.run(['run', 'TASK.md', '--json', '--agent', 'gemini', '--verify', 'true'], {
    PATH: `${join(scratch.root, 'programs')}:/usr/bin:/bin`,
    GEMINI_API_KEY: 'k',
  });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('"gemini" was not found on the PATH');
  expect(scratch.runs()).toEqual([]);
});

test('another version than the tested one is a warning', async () => {
  const body = `${STARTED}; ${FINISH}`;
  const other = await prepareCodex(body, { version: '0.1.2' }).run();
  expect(other.code, other.stderr).toBe(0);
  expect(other.stderr).toContain('codex here is codex-cli 0.1.2. Autobuild was tested with 0.166.0');
  const same = await prepareCodex(body).run();
  expect(same.stderr).not.toContain('Autobuild was tested with');
});

test('E-1: a CLI that does not work is told at the start, and asked about though the checks pass', async () => {
  const { scratch, run } = prepareCodex('echo boom >&2; exit 3');
  writeFileSync(join(scratch.root, 'programs/codex'), '#!/bin/sh\necho boom >&2; exit 3\n');
  scratch.write('.github/autobuild.yml', onlyGuards('  same_error_repeated: 3\n'));
  scratch.write('done.txt', '');
  const broken = await run();
  expect(broken.stderr).toContain('codex here does not work: codex --version exited 3. It said: boom');
  expect(guardsOf(broken)).toEqual([['external_blocker']]);
  expect(broken.escalations[0]?.headline).toContain('the agent codex could not start: boom');
  const records = ofType(scratch.journalled(), 'turn_ended').map(({ record }) => record);
  expect(records).toMatchObject([{ turn: 1, agent: 'codex', failed: true, last_words: 'boom' }]);
});

test('S-4: resume says which key is missing before anything is started', async () => {
  const { scratch, run } = prepareCodex(
    `${STARTED}; if [ ! -f ../paid ]; then ${failed('You exceeded your current quota')}; fi; ${FINISH}`,
  );
  expect((await run()).code).toBe(2);
  const before = scratch.journal();
  const PATH = `${join(scratch.root, 'programs')}:${process.env.PATH}`;
  const keyless = await scratch.run(['resume', '--json', '--answer', '/retry'], { PATH });
  expect(keyless.code).toBe(1);
  expect(keyless.stderr).toMatch(/codex[\s\S]*CODEX_API_KEY/);
  const bare = { PATH: '/usr/local/bin:/usr/bin:/bin', OPENAI_API_KEY: 'k' };
  const gone = await scratch.run(['resume', '--json', '--answer', '/retry'], bare);
  expect(gone.stderr).toContain('codex');
  expect(gone.code).toBe(1);
  expect(scratch.journal()).toBe(before);
  expect(invocations(scratch)).toHaveLength(1);
});

test('S-4, V-9: transcripts stay while the run can go on, also for a round after done, and are deleted with undo', async () => {
  const { scratch, run, resume } = prepareCodex(
    `${STARTED}; mkdir -p "$CODEX_HOME/sessions"; echo transcript-of-the-agent > "$CODEX_HOME/sessions/rollout-1-${SESSION}.jsonl"
if [ ! -f ../paid ]; then ${failed('You exceeded your current quota')}; fi; ${FINISH}`,
  );
  expect((await run()).code).toBe(2);
  expect(scratch.filesWith('transcript-of-the-agent').some((file) => file.endsWith('.jsonl'))).toBe(true);
  writeFileSync(join(scratch.root, 'paid'), '');
  expect((await resume('/retry')).code).toBe(0);
  expect((await resume('/guide once more')).code).toBe(0);
  expect(readFileSync(join(scratch.root, 'invocations'), 'utf8').trim().split('\n').at(-1)).toContain(
    SESSION,
  );
  expect((await scratch.run(['undo', '--force'])).code).toBe(0);
  expect(scratch.filesWith('transcript-of-the-agent')).toEqual([join(scratch.root, 'programs/codex')]);
});

test('E-14: a run goes to no agent without a key or a program; to another one it goes with what was before', async () => {
  const { scratch } = prepareCodex(`${STARTED}; cat > ../told; ${FINISH}`);
  scratch.write(
    '.github/autobuild.yml',
    `${onlyGuards()}agents:\n  asking:\n    command: [sh, -c, "printf '<<<NEED_HELP>>>\\nwhat_i_tried: the docs\\nwhat_i_need: a hint\\n<<<END_HELP>>>\\n'; sleep 60"]\n`,
  );
  const args = ['run', 'TASK.md', '--json', '--agent', 'asking', '--verify', 'test -f done.txt'];
  const env = { PATH: `${join(scratch.root, 'programs')}:/usr/bin:/bin` };
  const parked = await scratch.run(
    [...args, '--answer', '/continue agent=codex', '--answer', '/continue agent=gemini'],
    env,
  );
  expect(parked.code, parked.stderr).toBe(2);
  expect(parked.stderr).toContain('Nothing changed: codex has no key for its model.');
  expect(parked.stderr).toContain('CODEX_API_KEY or OPENAI_API_KEY');
  expect(parked.stderr).toContain('npm install -g @google/gemini-cli@');
  expect(scratch.exists('../invocations')).toBe(false);
  const done = await scratch.run(['resume', '--json', '--answer', '/continue agent=codex'], {
    ...env,
    OPENAI_API_KEY: 'k',
  });
  expect(done.code, done.stderr).toBe(0);
  expect(scratch.read('../told')).toContain('Another agent, asking, worked on this before you, for 0 turns.');
  expect(scratch.read('../told')).toContain('- It says it tried: the docs');
  expect(scratch.read('../told')).toContain('answered /continue agent=codex');
});
