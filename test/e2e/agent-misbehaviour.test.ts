import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  agentScript,
  type CliResult,
  createScratch,
  FINISH,
  onlyGuards,
  prepare,
  runArgs,
  type Scratch,
} from './cli-run.ts';

/** One run of a shell script as agent, with the guards that are not looked at switched off. */
function play(
  scratch: Scratch,
  agent: string,
  options: { config?: string; answers?: string[]; json?: boolean } = {},
) {
  prepare(scratch, agent, options.config);
  const args = runArgs({ answers: options.answers });
  return scratch.start(options.json === false ? args.filter((arg) => arg !== '--json') : args);
}

const guardsOf = (done: CliResult) => done.escalations.map((e) => e.triggers.map((t) => t.guard));

function exitsOf({ events }: CliResult): string[] {
  return events.flatMap((event) => (event.type === 'turn_ended' ? [event.record.exit] : []));
}

function expectDone(done: CliResult, scratch: Scratch): void {
  expect(done.code, done.stderr).toBe(0);
  expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
  expect(scratch.agentProcesses()).toEqual([]);
}

describe.concurrent('an agent that ends, or does not', () => {
  test('E-3: one that prints nothing and exits 0 is asked about after five turns', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const parked = await play(scratch, 'exit 0', {
      config: onlyGuards('  no_file_changes_after_attempts: 5\n'),
    }).ended;
    expect(parked.code, parked.stderr).toBe(2);
    expect(guardsOf(parked)).toEqual([['no_file_changes_after_attempts']]);
    expect(exitsOf(parked)).toEqual(Array(5).fill('exit 0'));
  });

  test('G-3: one that exits 1 each time is asked about after three times, with how it ended', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const parked = await play(scratch, 'echo $TURN > work; exit 1', { config: '' }).ended;
    expect(parked.code, parked.stderr).toBe(2);
    expect(exitsOf(parked)).toEqual(Array(3).fill('exit 1'));
    expect(guardsOf(parked)[0]).toContain('loop_detected');
    const actions = parked.escalations[0]?.context.recent_actions.map(({ title }) => title);
    expect(actions?.filter((title) => title === 'agent: exit 1')).toHaveLength(3);
  });

  // Each turn adds a part, and what is missing then is another error than before.
  const ADD_PART = 'touch part-$(echo abcd | cut -c$TURN)';
  const needParts = (parts: string) =>
    [...parts].flatMap((part) => [
      '--verify',
      `test -f part-${part} || { echo "error: there is only" part-*; false; }`,
    ]);
  const STRICT = onlyGuards('  same_error_repeated: 3\n  consecutive_errors: 5\n');

  test('E-1: one that exits 1 and works on in each turn is let work; one that leaves nothing is not', async ({
    onTestFinished,
  }) => {
    const advance = async (agent: string) => {
      const scratch = createScratch(onTestFinished);
      prepare(scratch, agent, STRICT);
      const args = ['run', 'TASK.md', '--json', ...needParts('abcd'), '--', './agent.sh'];
      return { scratch, ended: await scratch.run(args) };
    };
    const done = await advance(`${ADD_PART}; report implemented x; exit 1`);
    expectDone(done.ended, done.scratch);
    expect(exitsOf(done.ended)).toEqual(Array(4).fill('exit 1'));

    const broken = await advance('exit 1');
    expect(broken.ended.code, broken.ended.stderr).toBe(2);
    expect(guardsOf(broken.ended)[0]).toContain('same_error_repeated');
    expect(exitsOf(broken.ended)).toEqual(Array(3).fill('exit 1'));
  });

  test('E-1: a report and changed files show that one works before any check does', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const config = onlyGuards('  same_error_repeated: 3\n');
    prepare(scratch, `${ADD_PART}; [ $TURN = 4 ] && touch done; report implemented x; exit 1`, config);
    const verify = 'test -f done || { echo "error: there is only" part-*; false; }';
    const done = await scratch.run(runArgs({ verify }));
    expectDone(done, scratch);
    expect(exitsOf(done)).toEqual(Array(4).fill('exit 1'));
  });

  test("E-1: one that is stopped at the turn's time limit and advances is let work", async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const agent = `${ADD_PART}; if [ $TURN = 4 ]; then report implemented x; else sleep 1000; fi`;
    prepare(scratch, agent, `limits:\n  turn_minutes: 0.02\n${STRICT}`);
    const done = await scratch.run(['run', 'TASK.md', '--json', ...needParts('abcd'), '--', './agent.sh']);
    expectDone(done, scratch);
    expect(exitsOf(done)).toHaveLength(4);
  });

  test('E-3: one that is not there any more is asked about, with the reason', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const parked = await play(scratch, 'rm agent.sh; touch done; report partial x', { config: '' }).ended;
    expect(parked.code, parked.stderr).toBe(2);
    expect(exitsOf(parked).slice(1)).toEqual(
      exitsOf(parked)
        .slice(1)
        .map(() => expect.stringMatching(/agent\.sh does not exist/)),
    );
    expect(exitsOf(parked).length).toBeLessThanOrEqual(6);
    expect(parked.stderr).toContain('does not exist');
  });

  test("G-2: one that never ends is stopped at the turn's time limit, and the next turn goes on", async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(scratch, `if [ $TURN = 1 ]; then sleep 1000; fi; ${FINISH}`, {
      config: `limits:\n  turn_minutes: 0.02\n${onlyGuards()}`,
    }).ended;
    expectDone(done, scratch);
    expect(exitsOf(done)[0]).toBe("stopped at the turn's time limit of 1.2 s");
  });

  test('P-2: one that forks a daemon and exits ends its turn, and the daemon with it', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const daemon = `setsid sh -c 'trap "" HUP; echo $$ > daemon.pid; while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null &`;
    const done = await play(scratch, `(${daemon}) ; until [ -s daemon.pid ]; do sleep 0.02; done; ${FINISH}`)
      .ended;
    expectDone(done, scratch);
    expect(scratch.agentProcesses()).toEqual([]);
  });

  test('G-11: one that ignores SIGTERM is cancelled all the same', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const cancelled = await play(
      scratch,
      `trap '' TERM INT HUP; printf '<<<NEED_HELP>>>\\nwhat_i_tried: x\\nwhat_i_need: y\\n<<<END_HELP>>>\\n'; while :; do sleep 0.1; done`,
      { answers: ['/cancel'] },
    ).ended;
    expect(cancelled.code).toBe(3);
    expect(cancelled.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' });
    expect(scratch.agentProcesses()).toEqual([]);
  });

  test('P-1: one that closes stdout and works on is waited for', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(scratch, `exec >&- 2>&-; sleep 1; ${FINISH}`).ended;
    expectDone(done, scratch);
    expect(exitsOf(done)).toEqual(['exit 0']);
  });
});

describe.concurrent('an agent that prints', () => {
  const BLOCK = '<<<NEED_HELP>>>\\nwhat_i_tried: all\\nwhat_i_need: hue\\n<<<END_HELP>>>';
  const AWAIT = `until grep -q teal "$AUTOBUILD_INPUTS"; do sleep 0.05; done; ${FINISH}`;

  const FLOOD = `yes '<<<NEED_HELP>>>' | head -n 66666`;

  test.for([
    ['many lines', FLOOD],
    ['one line', `${FLOOD} | tr -d '\\n'; echo`],
  ])(
    'P-2: one that prints a flood of help blocks on %s is frozen, and asked about',
    async ([, flood], { onTestFinished }) => {
      const scratch = createScratch(onTestFinished);
      const parked = await play(scratch, `${flood}; while :; do sleep 0.05; done`).ended;
      expect(parked.code, parked.stderr).toBe(2);
      expect(guardsOf(parked)).toEqual([['need_help']]);
      expect(scratch.agentProcesses()).toEqual([]);
    },
  );

  test('P-1: of a flood of help blocks the first are read, and the others are counted', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(scratch, `${FLOOD}; ${FINISH}`, { config: onlyGuards('  need_help: off\n') })
      .ended;
    expectDone(done, scratch);
    expect(done.stderr).toContain(
      'The agent printed 66666 help blocks in one turn. Only the first 20 were read.',
    );
  });

  test('P-1: a line of 50 MB with a help block in it is a question, and takes no memory', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const json = `{"type":"assistant","text":"${BLOCK.replaceAll('\\n', '\\\\n')}`;
    const done = await play(
      scratch,
      `head -c 25000000 /dev/zero | tr '\\0' x; printf '%s' '${json.replaceAll('\\\\n', '\\n')}'; head -c 25000000 /dev/zero | tr '\\0' y; echo; ${AWAIT}`,
      { answers: ['/guide teal'] },
    ).ended;
    expectDone(done, scratch);
    expect(guardsOf(done)).toEqual([['need_help']]);
    expect(done.escalations[0]).toMatchObject({ what_i_tried: 'all', what_i_need: 'hue' });
  });

  test('P-1: a help block byte by byte is found', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(
      scratch,
      `printf '${BLOCK}\\n' | while IFS= read -r line; do echo "$line" | sed 's/./&\\n/g' | while IFS= read -r c; do printf '%s' "$c"; done; echo; done; ${AWAIT}`,
      { answers: ['/guide teal'] },
    ).ended;
    expectDone(done, scratch);
    expect(done.escalations[0]).toMatchObject({ what_i_tried: 'all', what_i_need: 'hue' });
  });

  test('P-1: garbage around a help block hides nothing', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(
      scratch,
      `head -c 3000000 /dev/urandom; printf '\\n${BLOCK}\\n'; head -c 300000 /dev/urandom >&2; ${AWAIT}`,
      { answers: ['/guide teal'] },
    ).ended;
    expectDone(done, scratch);
    expect(done.escalations[0]).toMatchObject({ what_i_tried: 'all', what_i_need: 'hue' });
  });

  test('E-9: terminal sequences and log commands of an agent do not get through to the log', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const evil = '\\033[31mRED\\033]0;title\\007 ##[error]old\\n::error::boo\\n';
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then printf '${evil}'; printf '${evil}' >&2; printf '{"status":"partial","summary":"\\\\u001b[31mred\\\\n::error::sum","requires_user_review":true,"review_reason":"\\\\u001b[2Jwhy\\\\n::error::why"}' > "$AUTOBUILD_REPORT"; else printf '${evil}'; ${FINISH}; fi`,
      { answers: ['/guide take care'], json: false },
    ).ended;
    expect(done.code, done.stderr).toBe(0);
    for (const shown of [done.stdout, done.stderr]) {
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
      expect(shown).not.toMatch(/^\s*::/m);
      expect(shown).not.toContain('##[');
    }
    expect(done.stdout).toContain('why');
  });
});

describe.concurrent('an agent in its worktree', () => {
  test('R-3: one that deletes the worktree gets it back and goes on', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    scratch.write('src/kept.txt', 'kept\n');
    const done = await play(scratch, `if [ $TURN = 1 ]; then rm -rf "$PWD"; exit 0; fi; ${FINISH}`).ended;
    expectDone(done, scratch);
    expect(scratch.read('src/kept.txt')).toBe('kept\n');
    expect(done.stderr).toContain('The worktree was deleted. It is back as it was when the turn began');
  });

  test('R-3: one that puts a link in place of the worktree gets it back and goes on', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    mkdirSync(join(scratch.root, 'trap'));
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then cd /; mv ${scratch.worktree} ${scratch.root}/gone; ln -s ${scratch.root}/trap ${scratch.worktree}; exit 0; fi; ${FINISH}`,
    ).ended;
    expectDone(done, scratch);
    expect(readdirSync(join(scratch.root, 'trap'))).toEqual([]);
    expect(scratch.exists('TASK.md')).toBe(true);
  });

  test('B-6: one that deletes the state directory finds it again, still hidden from git', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    execFileSync('git', ['init', '-q'], { cwd: scratch.worktree });
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then rm -rf .autobuild; exit 0; fi; test -s "$AUTOBUILD_PROMPT" && ${FINISH}`,
    ).ended;
    expectDone(done, scratch);
    const status = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: scratch.worktree });
    expect(status.toString()).not.toContain('.autobuild');
  });

  test('B-6: one that puts a link in place of the state directory does not lead us out', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    mkdirSync(join(scratch.root, 'trap'));
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then rm -rf .autobuild; ln -s ${scratch.root}/trap .autobuild; exit 0; fi; ${FINISH}`,
    ).ended;
    expectDone(done, scratch);
    expect(readdirSync(join(scratch.root, 'trap'))).toEqual([]);
    expect(statSync(join(scratch.worktree, '.autobuild')).isDirectory()).toBe(true);
  });

  test('B-6: one that puts directories in place of its files does not stop the run', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then cd .autobuild/TASK; rm -f *; mkdir -p inputs.json/x prompt.md context.json report.json/y; exit 0; fi; ${FINISH}`,
    ).ended;
    expectDone(done, scratch);
  });

  test('E-5: one that makes files unreadable is measured all the same', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(
      scratch,
      `mkdir -p locked; echo a > locked/a; echo b > b; chmod 000 b locked/a locked; chmod 000 .autobuild/TASK .autobuild; if [ $TURN = 1 ]; then exit 0; fi; chmod 755 .autobuild .autobuild/TASK; ${FINISH}`,
    ).ended;
    execFileSync('chmod', ['-R', 'u+rwX', scratch.worktree]);
    expectDone(done, scratch);
    const ended = done.events.findLast((event) => event.type === 'turn_ended');
    expect(ended?.record.changes.paths).toContain('b');
  });

  test('E-5: a file over the limit that is written between two looks is put back and asked about', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const done = await play(
      scratch,
      `if [ $TURN = 1 ]; then echo a > a; echo b > b; echo c > c; report partial x; else test -f c && ${FINISH}; fi`,
      { config: onlyGuards('  files_modified_exceeds: 2\n'), answers: ['/approve files=10'] },
    ).ended;
    expectDone(done, scratch);
    expect(guardsOf(done)).toEqual([['files_modified_exceeds']]);
    expect(done.escalations[0]?.triggers[0]?.evidence).toMatchObject({
      files: ['a', 'b'],
      proposed: [{ path: 'c', held: false }],
    });
    expect(scratch.read('c')).toBe('c\n');
  });

  test("E-5: a new file never takes the place of an earlier turn's work, whatever its name", async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    const parked = await play(
      scratch,
      'if [ $TURN = 1 ]; then echo y > y; echo z > z; else echo a > a; fi; report partial x',
      { config: onlyGuards('  files_modified_exceeds: 2\n') },
    ).ended;
    expect(parked.code, parked.stderr).toBe(2);
    expect(parked.escalations[0]?.triggers[0]?.evidence).toMatchObject({
      files: ['y', 'z'],
      proposed: [{ path: 'a', held: false }],
    });
    expect(scratch.read('z')).toBe('z\n');
    expect(scratch.exists('a')).toBe(false);
  });
});

describe.concurrent('a disk without room', () => {
  /** What every process may write into one file, as a shell sets it: the same error paths as a full disk, without root. */
  const LIMIT_BLOCKS = 64;

  test('R-12: is told with its remedy, and the run goes on once there is room', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    scratch.write('.github/autobuild.yml', onlyGuards('  max_iterations: 40\n'));
    scratch.write(
      'agent.sh',
      agentScript(
        `echo $TURN > work; if [ -f room ]; then ${FINISH}; else head -c 9000 /dev/urandom | base64 -w0 | sed 's/^/{"status":"partial","summary":"/; s/$/"}/' > "$AUTOBUILD_REPORT"; fi`,
      ),
      0o755,
    );
    const limited = `ulimit -f ${LIMIT_BLOCKS}; exec "$0" "$@"`;
    const full = await scratch.startIn(['/bin/sh', '-c', limited], runArgs()).ended;
    expect(full.code, full.stderr).toBe(1);
    expect(full.stderr).toMatch(/There is no space left on the disk \(.*\)/);
    expect(full.stderr).toContain('autobuild resume');
    expect(full.stderr).not.toMatch(/ at .*\.ts:\d+/);
    expect(scratch.agentProcesses()).toEqual([]);
    const before = scratch.journal();

    scratch.write('room', '');
    const done = await scratch.run(['resume', '--json']);
    expectDone(done, scratch);
    expect(scratch.journal().startsWith(before)).toBe(true);
  });
});
