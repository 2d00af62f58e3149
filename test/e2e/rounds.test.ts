import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratch, FINISH, ofType, onlyGuards, prepare, runArgs, type Scratch } from './cli-run.ts';
import { until } from './processes.ts';
import { isThere } from './resumed-run.ts';

/** Notes the words of each turn's prompt in a file of its own, and makes one more file in each turn. */
const WORKING = `cat "$AUTOBUILD_CONTEXT" > ../context-$TURN.json; cat > ../prompt-$TURN.md; echo "turn $TURN" > "made-$TURN"; ${FINISH}`;
const prompt = (scratch: Scratch, turn: number) =>
  readFileSync(join(scratch.root, `prompt-${turn}.md`), 'utf8');
const guide = (words: string) => ['resume', '--json', '--answer', `/guide ${words}`];

async function done(scratch: Scratch, agent = WORKING, config?: string) {
  prepare(scratch, agent, config);
  const first = await scratch.run(runArgs());
  expect(first.code, first.stderr).toBe(0);
  return first;
}

describe('resume of a run that is done', () => {
  test('V-9: /guide begins a round in the same worktree, and the receipt counts over all', async () => {
    const scratch = createScratch();
    const first = await done(scratch);
    expect(first.stderr).toContain(`More:  autobuild resume ${scratch.runs()[0]} --answer '/guide …'`);
    const second = await scratch.run(guide('use plus signs'));
    expect(second.code, second.stderr).toBe(0);
    expect(prompt(scratch, 2)).toContain('use plus signs');
    expect(prompt(scratch, 2)).toContain('Round 2: changes to work that was done');
    expect(second.stderr).toContain('✓ Done, round 2: 1 of 1 checks pass (0 before)');
    expect(second.stderr).toMatch(/^ {2}3 files, \+2 −0$/m);
    expect(ofType(second.events, 'revision_started')).toMatchObject([
      { revision: { number: 2, instruction: 'use plus signs', remarks: [] } },
    ]);
    expect(ofType(second.events, 'turn_started')).toMatchObject([{ turn: 2 }]);
    expect(scratch.runs()).toHaveLength(1);
    const status = await scratch.run(['status']);
    expect(status.stdout).toContain('Done, round 2: all checks pass');
    expect((await scratch.run(['runs'])).stdout).toContain('Done, round 2: all checks pass');
    const third = await scratch.run(guide('and minus'));
    expect(third.stderr).toContain('✓ Done, round 3: ');
  });

  test('V-9: diff and undo go back to the files before the run', async () => {
    const scratch = createScratch();
    scratch.write('old', 'before\n');
    await done(scratch, `echo "turn $TURN" > old; ${FINISH}`);
    expect((await scratch.run(guide('again'))).code).toBe(0);
    const { stdout } = await scratch.run(['diff']);
    expect(stdout).toContain('-before\n+turn 2');
    expect((await scratch.run(['undo'])).stdout).toContain('✓ Undone: 2 of 2 files');
    expect(scratch.read('old')).toBe('before\n');
    const gone = await scratch.run(guide('once more'));
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('Its work was undone');
  });

  test('V-9: what somebody changed between two rounds is theirs: built upon, not counted, not undone unasked', async () => {
    const scratch = createScratch();
    await done(scratch);
    scratch.write('mine', 'mine\n');
    scratch.write('made-1', 'turn 1, by hand\n');
    execFileSync('mkfifo', [join(scratch.worktree, 'pipe')]);
    const second = await scratch.run(guide('go on'));
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toContain(
      "3 files changed since the last round: kept, and not counted as the agent's",
    );
    expect([scratch.read('mine'), scratch.read('made-1')]).toEqual(['mine\n', 'turn 1, by hand\n']);
    const [ended] = ofType(second.events, 'turn_ended');
    expect(ended?.record.changes.paths).toEqual(['done', 'made-1', 'made-2']);
    const refused = await scratch.run(['undo']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('3 files were changed after the run: made-1, mine, pipe');
    expect(scratch.read('mine')).toBe('mine\n');
  });

  test('V-9: commits between two rounds are not said to be those of the run', async () => {
    const scratch = createScratch();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: scratch.worktree });
    git('init', '-q');
    prepare(scratch, WORKING);
    git('add', '.');
    git('commit', '-qm', 'first');
    expect((await scratch.run(runArgs())).code).toBe(0);
    git('add', '.');
    git('commit', '-qm', 'mine');
    const second = await scratch.run(guide('go on'));
    expect(second.stderr).toContain('git:   1 new, not committed\n');
  });

  test('V-9: limits are those of the run, anew for each round', async () => {
    const scratch = createScratch();
    const agent = `if [ -f ../again ]; then rm ../again; report partial more; else ${FINISH}; fi`;
    prepare(scratch, agent);
    writeFileSync(join(scratch.root, 'again'), '');
    const first = await scratch.run(runArgs({ more: ['--max-turns', '2'] }));
    expect(first.code, first.stderr).toBe(0);
    writeFileSync(join(scratch.root, 'again'), '');
    const second = await scratch.run(guide('more'));
    expect(second.code, second.stderr).toBe(0);
    expect(ofType(second.events, 'turn_started')).toMatchObject([{ turn: 3 }, { turn: 4 }]);
    expect(ofType(second.events, 'escalation_raised')).toEqual([]);
    expect(second.stderr).toContain('turn 4 started, 2/2 of round 2');
    expect(second.stderr).toMatch(/^ {2}turns 4 /m);
  });

  test('V-1: the rounds are used up: a question without a job, and its answer decides', async () => {
    const scratch = createScratch();
    await done(scratch, WORKING, `${onlyGuards()}revisions:\n  max: 1\n`);
    expect((await scratch.run(guide('one'))).code).toBe(0);
    const asked = await scratch.run(guide('two'));
    expect(asked.code, asked.stderr).toBe(2);
    expect(asked.stderr).toContain('Waiting for you: 1 of 1 rounds used');
    expect(asked.stderr).toContain('the files stay as they are');
    expect(asked.stderr).not.toContain('pull request');
    expect(ofType(asked.events, 'job_started')).toEqual([]);
    const more = await scratch.run(['resume', '--json', '--answer', '/continue +2']);
    expect(more.code, more.stderr).toBe(0);
    expect(prompt(scratch, 3)).toContain('two');
    expect((await scratch.run(guide('three'))).code).toBe(0);
    expect((await scratch.run(guide('four'))).code).toBe(2);
    const left = await scratch.run(['resume', '--json', '--answer', '/accept']);
    expect(left.code, left.stderr).toBe(0);
    expect(left.stderr).toContain('✓ Done, round 4: ');
    expect(scratch.exists('made-5')).toBe(false);
  });

  test('V-9: values are forgotten at rest, and a round that needs one asks again', async () => {
    const scratch = createScratch();
    const help =
      "printf '<<<NEED_HELP>>>\\nwhat_i_tried: all\\nwhat_i_need: a colour\\ninputs: [{key: colour, label: Colour, secret: true}]\\n<<<END_HELP>>>\\n'";
    prepare(
      scratch,
      `if [ -z "$AUTOBUILD_INPUT_COLOUR" ]; then ${help}; until grep -q colour "$AUTOBUILD_INPUTS"; do sleep 0.05; done; fi; ${FINISH}`,
    );
    const first = await scratch.run(runArgs({ answers: ['/provide colour=teal-and-secret'] }));
    expect(first.code, first.stderr).toBe(0);
    expect(scratch.filesWith('teal-and-secret')).toEqual([]);
    const second = await scratch.run(guide('again'));
    expect(second.code, second.stderr).toBe(2);
    expect(second.escalations).toMatchObject([{ inputs: [{ key: 'colour' }] }]);
    const third = await scratch.run(['resume', '--json', '--answer', '/provide colour=ochre-and-secret']);
    expect(third.code, third.stderr).toBe(0);
    expect(scratch.filesWith('ochre-and-secret')).toEqual([]);
  });

  test('V-9: what begins no round says so, and the run is as it was', async () => {
    const scratch = createScratch();
    await done(scratch);
    const refused = async (args: string[], words: string) => {
      const result = await scratch.run(['resume', ...args]);
      expect(result.code, args.join(' ')).toBe(1);
      expect(`${result.stdout}${result.stderr}`).toContain(words);
      expect(`${result.stdout}${result.stderr}`).not.toContain('pull request');
    };
    await refused([], `autobuild resume ${scratch.runs()[0]} --answer '/guide <what to change>'`);
    await refused(['--answer', '/contineu'], 'Did you mean');
    await refused(['--answer', '/continue'], 'a round needs to know what to change');
    await refused(['--answer', '/cancel'], 'the run is done, and no round is running');
    await refused(['--answer', '/accept'], 'the run is done, and no round is running');
    expect((await scratch.run(['status'])).stdout).toContain('Done: all checks pass');
    expect((await scratch.run(['replay', scratch.runs()[0] ?? ''])).code).toBe(0);
  });
});

describe('in a round', () => {
  const SLOW = `if [ $TURN = 2 ] && [ ! -f ../go ]; then echo half > half; until [ -f ../go ]; do sleep 0.05; done; fi; ${WORKING}`;

  test('V-9: Ctrl-C pauses, and resume continues the round', async () => {
    const scratch = createScratch();
    await done(scratch, SLOW);
    const cli = scratch.start(guide('go on'));
    await until('the round is at work', () => scratch.exists('half'));
    cli.child.kill('SIGINT');
    const paused = await cli.ended;
    expect(paused.code, paused.stderr).toBe(2);
    const { stdout } = await scratch.run(['status']);
    expect(stdout).toContain('Paused in turn 2');
    // V-1: the limit is that of the round, and nothing limits what comes after it.
    expect(stdout).toContain('  round 2, turn 1 of 10, ');
    writeFileSync(join(scratch.root, 'go'), '');
    const resumed = await scratch.run(['resume', '--json']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('✓ Done, round 2: ');
    expect(scratch.exists('half')).toBe(true);
    expect((await scratch.run(['status'])).stdout).toContain('  2 turns, ');
  });

  test('V-9: Ctrl-C twice cancels the round alone: the files are kept, and it says so', async () => {
    const scratch = createScratch();
    await done(scratch, SLOW);
    const cli = scratch.start(guide('go on'));
    await until('the round is at work', () => scratch.exists('half'));
    cli.child.kill('SIGINT');
    await cli.saw('run_paused');
    cli.child.kill('SIGINT');
    const cancelled = await cli.ended;
    expect(cancelled.code, cancelled.stderr).toBe(3);
    expect(cancelled.stderr).toContain(
      '✗ Round 2 cancelled: 1 of 1 checks pass (0 before); its files are kept\n',
    );
    expect(scratch.exists('half')).toBe(true);
    expect(scratch.agentProcesses()).toEqual([]);
    expect((await scratch.run(['status'])).stdout).toContain(
      'Done: all checks pass, ready for review; round 2 cancelled, its files are kept',
    );
    writeFileSync(join(scratch.root, 'go'), '');
    const next = await scratch.run(guide('try again'));
    expect(next.code, next.stderr).toBe(0);
    expect(next.stderr).toContain('✓ Done, round 3: ');
  });

  test('V-9: killed at its beginning, it begins once', async () => {
    const scratch = createScratch();
    await done(scratch, SLOW);
    const cli = scratch.start(guide('go on'));
    await cli.saw('revision_started');
    cli.child.kill('SIGKILL');
    await cli.ended;
    writeFileSync(join(scratch.root, 'go'), '');
    const resumed = await scratch.run(['resume', '--json']);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(ofType(scratch.journalled(), 'revision_started')).toHaveLength(1);
    expect(resumed.stderr).toContain('✓ Done, round 2: ');
  });
});

describe('at a terminal', () => {
  const atTerminal = (scratch: Scratch) =>
    scratch.startAtTerminal(runArgs().filter((argument) => argument !== '--json'));
  const OFFER = '/guide <what to change> begins another round; Enter leaves.';
  /** As readline draws it. What is typed before it is not taken. */
  const isPrompted = (after = '') => after.includes('\x1b[0J> ');
  /** How often a round was offered, with the prompt below it. */
  const offers = (screen: string) =>
    screen.split(OFFER).filter((after, at) => at > 0 && isPrompted(after)).length;

  test('V-9: after done the prompt offers a round, nothing typed before answers it, and Enter leaves', async () => {
    const scratch = createScratch();
    prepare(scratch, `touch ../began-$TURN; until [ -f ../go-$TURN ]; do sleep 0.05; done; ${WORKING}`);
    const cli = atTerminal(scratch);
    await until('the agent works', () => isThere(scratch, 'began-1'));
    cli.child.stdin?.write('/guide typed too ea');
    await until('it is on the line', () => cli.screen().includes('/guide typed too ea'));
    writeFileSync(join(scratch.root, 'go-1'), '');
    await until('a round is offered', () => offers(cli.screen()) === 1);
    // Another process may look at the work while the person thinks.
    expect((await scratch.run(['diff'])).code).toBe(0);
    expect(cli.screen()).toContain('Not sent: /guide …');
    cli.type('/status');
    await until('the status is shown', () => isPrompted(cli.screen().split('Done: all checks pass')[1]));
    expect(cli.screen()).not.toContain('pull request');
    cli.type('/guide use plus');
    await until('the round works', () => isThere(scratch, 'began-2'));
    writeFileSync(join(scratch.root, 'go-2'), '');
    await until('the next one is offered', () => offers(cli.screen()) === 2);
    expect(cli.screen()).toContain('✓ Done, round 2: ');
    cli.type('');
    expect((await cli.ended).code, cli.screen()).toBe(0);
    expect(ofType(scratch.journalled(), 'revision_asked')).toMatchObject([{ instruction: 'use plus' }]);
    expect(prompt(scratch, 2)).toContain('use plus');
  });

  test('V-9: plain words are offered as a round, and Ctrl-C at the prompt leaves a run that is done', async () => {
    const scratch = createScratch();
    prepare(scratch, WORKING);
    const cli = atTerminal(scratch);
    await until('a round is offered', () => offers(cli.screen()) === 1);
    cli.type('use plus instead of minus');
    await until('it asks back', () => cli.screen().includes('Begin another round with this?'));
    cli.type('');
    await until('the next one is offered', () => offers(cli.screen()) === 2);
    expect(ofType(scratch.journalled(), 'revision_asked')).toMatchObject([
      { instruction: 'use plus instead of minus' },
    ]);
    cli.child.stdin?.write('\x03');
    expect((await cli.ended).code, cli.screen()).toBe(0);
    expect(ofType(scratch.journalled(), 'run_paused')).toEqual([]);
  });
});
