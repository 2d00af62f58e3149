import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratch, FINISH, ofType, prepare, runArgs } from './cli-run.ts';
import { isAlive, until } from './processes.ts';
import { ASKING, expectFinished, isThere, killHard } from './resumed-run.ts';

test('R-6: a second run in the worktree is told who holds it, and the first goes on', async () => {
  const scratch = createScratch();
  prepare(scratch, `until [ -f ../go ]; do sleep 0.05; done; ${FINISH}`);
  const first = scratch.start(runArgs());
  await first.saw('turn_started');
  const second = await scratch.run(runArgs());
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`process ${first.child.pid}`);
  expect(second.stderr).toContain(`run ${scratch.runs()[0]}`);
  expect(second.stderr).toContain(`kill ${first.child.pid}`);
  const resumed = await scratch.run(['resume']);
  expect(resumed.stderr).toContain(`process ${first.child.pid}`);
  expect(scratch.runs()).toHaveLength(1);
  writeFileSync(join(scratch.root, 'go'), '');
  expectFinished(scratch, await first.ended);
});

describe('Ctrl-C', () => {
  test('G-12: once parks in the middle of a turn, and resume goes on', async () => {
    const scratch = createScratch();
    prepare(scratch, `if [ ! -f half ]; then echo half > half; sleep 1000; fi; ${FINISH}`);
    const cli = scratch.start(runArgs());
    await until('the turn is half done', () => scratch.exists('half'));
    cli.child.kill('SIGINT');
    const parked = await cli.ended;
    expect(parked.code, parked.stderr).toBe(2);
    expect(parked.stderr).toContain(`autobuild resume ${scratch.runs()[0]}`);
    expect(scratch.agentProcesses()).toEqual([]);
    expectFinished(scratch, await scratch.run(['resume', '--json']));
    expect(scratch.read('half')).toBe('half\n');
  });

  test('G-12: once parks during the baseline, which is then taken again', async () => {
    const scratch = createScratch();
    prepare(scratch, FINISH);
    const slow = 'touch ../checking; if [ -f ../checked ]; then test -f done; else sleep 1000; fi';
    const cli = scratch.start(runArgs({ verify: slow }));
    await until('the check runs', () => isThere(scratch, 'checking'));
    cli.child.kill('SIGINT');
    expect((await cli.ended).code).toBe(2);
    expect(scratch.checkProcesses()).toEqual([]);
    expect(ofType(scratch.journalled(), 'baseline_recorded')).toEqual([]);
    writeFileSync(join(scratch.root, 'checked'), '');
    expectFinished(scratch, await scratch.run(['resume', '--json']));
    expect(ofType(scratch.journalled(), 'baseline_recorded')).toHaveLength(1);
  });

  test('G-12: once parks during the checks, which then count for nothing', async () => {
    const scratch = createScratch();
    prepare(scratch, FINISH);
    const slow =
      'if [ -f done ] && [ ! -f ../checked ]; then touch ../checking; sleep 1000; fi; test -f done';
    const cli = scratch.start(runArgs({ verify: slow }));
    await until('the check runs', () => isThere(scratch, 'checking'));
    cli.child.kill('SIGINT');
    expect((await cli.ended).code).toBe(2);
    expect(scratch.checkProcesses()).toEqual([]);
    writeFileSync(join(scratch.root, 'checked'), '');
    expectFinished(scratch, await scratch.run(['resume', '--json']));
    expect(ofType(scratch.journalled(), 'turn_ended')).toHaveLength(1);
  });

  test('E-10: once at an open question leaves it open', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    cli.child.stdin?.write('\x03');
    const parked = await cli.ended;
    expect(parked.code, cli.screen()).toBe(2);
    expect(scratch.agentProcesses()).toEqual([]);
    const [status] = [await scratch.run(['status', '--json'])];
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'waiting_for_input', pending: 'e1' });
    expectFinished(scratch, await scratch.run(['resume', '--json', '--answer', '/provide colour=teal']));
    expect(ofType(scratch.journalled(), 'escalation_raised')).toHaveLength(1);
  });

  test('E-10: a polite kill at an open question parks as well, and does not wait for the keyboard', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    process.kill(await cli.pid(), 'SIGTERM');
    expect((await cli.ended).code, cli.screen()).toBe(2);
    expect(scratch.agentProcesses()).toEqual([]);
  });

  test('E-10: a terminal that is closed parks the run, and nothing is left', async () => {
    const scratch = createScratch();
    prepare(scratch, ASKING);
    const cli = scratch.startAtTerminal(runArgs());
    await cli.saw('agent_frozen');
    const runner = await cli.pid();
    await killHard(cli);
    await until('the runner has ended', () => !isAlive(runner));
    expect(scratch.agentProcesses()).toEqual([]);
    expect(ofType(scratch.journalled(), 'job_parked')).toHaveLength(1);
    expectFinished(scratch, await scratch.run(['resume', '--json', '--answer', '/provide colour=teal']));
  });

  test('G-11: twice cancels, and nothing is left', async () => {
    const scratch = createScratch();
    prepare(scratch, `trap 'touch ../told' TERM; touch ../ready; while :; do sleep 0.05; done`);
    const cli = scratch.start(runArgs());
    await until('the agent is ready', () => isThere(scratch, 'ready'));
    cli.child.kill('SIGINT');
    await until('the agent was told to end', () => isThere(scratch, 'told'));
    cli.child.kill('SIGINT');
    const cancelled = await cli.ended;
    expect(cancelled.code, cancelled.stderr).toBe(3);
    expect(cancelled.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'cancelled' });
    expect(scratch.agentProcesses()).toEqual([]);
    const again = await scratch.run(['resume']);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/has ended; there is nothing to resume\. Cancelled by \S+\.$/m);
  });

  test('G-12: an answer that a paused run has no use for waits for the question', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `echo x >> ../starts; if [ ! -f ../half ]; then touch ../half; sleep 1000; fi; ${ASKING}`,
    );
    const cli = scratch.start(runArgs());
    await until('the turn is half done', () => isThere(scratch, 'half'));
    cli.child.kill('SIGINT');
    expect((await cli.ended).code).toBe(2);
    const asked = await scratch.run(['resume', '--answer', '/provide colour=teal']);
    expect(asked.code, asked.stderr).toBe(0);
    expect(readFileSync(join(scratch.root, 'starts'), 'utf8')).toBe('x\nx\n');
  });

  test('G-11: a paused run is cancelled by an answer, and no agent starts for it', async () => {
    const scratch = createScratch();
    prepare(scratch, `echo x >> ../starts; if [ -f ../paused ]; then ${FINISH}; else sleep 1000; fi`);
    const cli = scratch.start(runArgs());
    await until('the agent has started', () => isThere(scratch, 'starts'));
    cli.child.kill('SIGINT');
    expect((await cli.ended).code).toBe(2);
    writeFileSync(join(scratch.root, 'paused'), '');
    const cancelled = await scratch.run(['resume', '--answer', '/cancel']);
    expect(cancelled.code, cancelled.stderr).toBe(3);
    expect(ofType(scratch.journalled(), 'run_finished')).toMatchObject([{ status: 'cancelled' }]);
    expect(readFileSync(join(scratch.root, 'starts'), 'utf8')).toBe('x\n');
  });
});
