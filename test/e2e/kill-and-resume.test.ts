import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratch, FINISH, ofType, onlyGuards, prepare, runArgs } from './cli-run.ts';
import { isAlive, isStopped, kill, until } from './processes.ts';
import { ASKING, expectFinished, isThere, killHard } from './resumed-run.ts';

describe('kill -9 of the runner, then resume', () => {
  test('R-3: during the baseline', async () => {
    const scratch = createScratch();
    prepare(scratch, FINISH);
    const slow = 'touch ../checking; if [ -f ../checked ]; then test -f done; else sleep 1000; fi';
    const cli = scratch.start(runArgs({ verify: slow }));
    await until('the check runs', () => scratch.checkProcesses().length > 0 && isThere(scratch, 'checking'));
    await killHard(cli);
    writeFileSync(join(scratch.root, 'checked'), '');
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    expect(ofType(scratch.journalled(), 'baseline_recorded')).toHaveLength(1);
  });

  test('R-3: in the middle of a turn', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `echo $TURN >> ../turns; if [ ! -f half ]; then echo half > half; sleep 1000; fi; ${FINISH}`,
    );
    const cli = scratch.start(runArgs());
    await until('the turn is half done', () => scratch.exists('half'));
    const orphans = scratch.agentProcesses();
    expect(orphans.length).toBeGreaterThan(0);
    await killHard(cli);
    expect((await scratch.run(['status'])).stdout).toContain(
      'Its process is gone. Continue where it stopped with: autobuild resume',
    );
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    expect((await scratch.run(['status'])).stdout).not.toContain('Its process is gone');
    expect(orphans.filter(({ pid }) => isAlive(pid))).toEqual([]);
    // The work of the turn that was cut off is still there, and the same turn went on.
    expect(scratch.read('half')).toBe('half\n');
    expect(scratch.read('../turns')).toBe('1\n1\n');
    expect(ofType(scratch.journalled(), 'turn_started').map(({ resumed }) => resumed)).toEqual([false, true]);
  });

  test('E-13: while the agent is frozen: the question comes again, linked, and the frozen agent goes', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    const frozen = scratch.agentProcesses();
    expect(frozen.length).toBeGreaterThan(0);
    expect(frozen.filter((each) => !isStopped(each))).toEqual([]);
    kill(await cli.pid());
    await cli.ended;
    expect(frozen.every(({ pid }) => isAlive(pid))).toBe(true);

    const done = await scratch.run(['resume', '--json', '--answer', '/provide colour=teal']);
    expectFinished(scratch, done);
    expect(frozen.filter(({ pid }) => isAlive(pid))).toEqual([]);
    const events = scratch.journalled();
    expect(ofType(events, 'agent_terminated')).toMatchObject([{ escalation: 'e1' }]);
    expect(ofType(events, 'escalation_raised').map(({ escalation: e }) => [e.id, e.follows])).toEqual([
      ['e1', undefined],
      ['e2', 'e1'],
    ]);
    expect(ofType(events, 'escalation_raised')[1]?.escalation).toMatchObject({
      what_i_need: 'a colour',
      inputs: [{ key: 'colour' }],
    });
  });

  test('R-3: during the checks after a turn', async () => {
    const scratch = createScratch();
    prepare(scratch, FINISH);
    const slow =
      'if [ -f done ] && [ ! -f ../checked ]; then touch ../checking; sleep 1000; fi; test -f done';
    const cli = scratch.start(runArgs({ verify: slow }));
    await until('the check runs', () => isThere(scratch, 'checking'));
    const checks = scratch.checkProcesses();
    expect(checks.length).toBeGreaterThan(0);
    await killHard(cli);
    writeFileSync(join(scratch.root, 'checked'), '');
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    expect(checks.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  test('R-3: right after an answer was accepted, which is asked for once only', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const cli = scratch.start(runArgs({ answers: ['/provide colour=teal'] }));
    await cli.saw('answer_prepared');
    await killHard(cli);
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    const events = scratch.journalled();
    expect(ofType(events, 'escalation_raised')).toHaveLength(1);
    expect(ofType(events, 'response_recorded')).toHaveLength(1);
    expect(readFileSync(join(scratch.root, 'seen.json'), 'utf8')).toContain('teal');
  });

  test('R-3: after an answer was delivered: its guard stays re-armed', async () => {
    const scratch = createScratch();
    const failing = `say '{"type":"action","kind":"command","command":"npm test","exit_code":1,"output":"TypeError: no"}'`;
    prepare(
      scratch,
      `if ! grep -q Guidance "$AUTOBUILD_PROMPT"; then for n in 1 2 3; do ${failing}; done; sleep 1000; fi; if [ ! -f ../told ]; then touch ../told; sleep 1000; fi; ${FINISH}`,
      onlyGuards('  same_error_repeated: 3\n'),
    );
    const cli = scratch.start(runArgs({ answers: ['/guide Mind the type'] }));
    await until('the agent was told', () => isThere(scratch, 'told'));
    await killHard(cli);
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    expect(ofType(scratch.journalled(), 'escalation_raised')).toHaveLength(1);
  });

  test('R-3: a new run in the worktree ends what the killed one left', async () => {
    const scratch = createScratch();
    prepare(scratch, `if [ ! -f half ]; then echo half > half; sleep 1000; fi; ${FINISH}`);
    const cli = scratch.start(runArgs());
    await until('the turn is half done', () => scratch.exists('half'));
    const orphans = scratch.agentProcesses();
    await killHard(cli);
    const done = await scratch.run(runArgs());
    expect(done.code, done.stderr).toBe(0);
    expect(orphans.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  test('E-13: with a blocked report from an earlier turn, which is saved again', async () => {
    const scratch = createScratch();
    const report =
      '{"status":"partial","blocked_report":{"blocking_issues":[],"attempts_made":[],"suggested_alternatives":[],"human_action_required":"Give a colour"}}';
    prepare(
      scratch,
      `if [ $TURN = 1 ]; then printf '%s' '${report}' > "$AUTOBUILD_REPORT"; exit; fi; ${ASKING}`,
    );
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    kill(await cli.pid());
    await cli.ended;
    rmSync(join(scratch.worktree, '.autobuild'), { recursive: true });
    const done = await scratch.run(['resume', '--json', '--answer', '/provide colour=teal']);
    expectFinished(scratch, done);
    expect(scratch.read('.autobuild/TASK/blocked_report.json')).toContain('Give a colour');
  });

  test('R-3: a worktree that is gone by the time of the resume is made anew', async () => {
    const scratch = createScratch();
    prepare(scratch, `echo kept > kept.txt; ${ASKING}`);
    const parked = await scratch.run(runArgs());
    expect(parked.code).toBe(2);
    const deleting = ['/bin/sh', '-c', 'cd .. && rm -rf repo && exec "$0" "$@"'];
    const [run = ''] = scratch.runs();
    const resume = ['resume', run, '--json', '--answer', '/provide colour=teal'];
    expectFinished(scratch, await scratch.startIn(deleting, resume).ended);
    expect(scratch.read('kept.txt')).toBe('kept\n');
    expect(scratch.exists('TASK.md')).toBe(true);
  });

  test('R-3: a journal cut off in the middle of a line goes on from the line before', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const parked = await scratch.run(runArgs());
    expect(parked.code).toBe(2);
    const file = join(scratch.runDir(), 'journal.jsonl');
    const whole = scratch.journal();
    truncateSync(file, statSync(file).size - 40);
    const done = await scratch.run(['resume', '--json', '--answer', '/provide colour=teal']);
    expectFinished(scratch, done);
    expect(done.stderr).toContain('last line was incomplete');
    const kept = whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1);
    expect(scratch.journal().startsWith(kept)).toBe(true);
    expect(readFileSync(`${file}.torn`, 'utf8')).toBe(whole.slice(kept.length, -40));
  });

  test('R-3: a journal damaged in the middle is told, with the line, and not touched', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    await scratch.run(runArgs());
    const file = join(scratch.runDir(), 'journal.jsonl');
    const damaged = scratch.journal().replace('"v":1', '"v":0');
    writeFileSync(file, damaged);
    for (const args of [['resume', '--json'], ['status'], ['replay', scratch.runs()[0] ?? '']]) {
      const told = await scratch.run(args);
      expect(told.code).toBe(1);
      expect(told.stderr).toMatch(/journal\.jsonl, line 1 is not a journal line/);
      expect(told.stderr).toContain('Nothing was changed');
    }
    expect(scratch.journal()).toBe(damaged);
  });
});
