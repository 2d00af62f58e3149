import { expect, test } from 'vitest';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import { createScratch, FINISH, ofType, prepare, runArgs, type Scratch } from './cli-run.ts';
import { until } from './processes.ts';
import { ASKING, expectFinished } from './resumed-run.ts';

/** Works once, whatever is said or asked afterwards. */
const WORK = `if [ ! -f two.txt ]; then echo 1 > one.txt; printf '1\\n2\\n' > two.txt; fi`;

const stateOf = async (scratch: Scratch) =>
  JSON.parse((await scratch.run(['status', '--json'])).stdout) as RunState;

async function expectCounted(scratch: Scratch): Promise<void> {
  expect((await stateOf(scratch)).changes).toEqual({ paths: ['one.txt', 'two.txt'], added: 3, removed: 0 });
  expect((await scratch.run(['status'])).stdout).toContain('2 of 20 files changed (+3 −0)');
}

test('G-5: the work of a turn that asks is counted while it waits, when it is parked, and at the end', async () => {
  const scratch = createScratch();
  prepare(scratch, `${WORK}; ${ASKING}`);
  const cli = scratch.startAtTerminal(runArgs());
  await cli.saw('agent_frozen');
  const [raised] = ofType(scratch.journalled(), 'escalation_raised');
  expect(raised?.escalation.context).toMatchObject({ files: 2, metrics: { files_modified_count: 2 } });
  await expectCounted(scratch);
  cli.child.stdin?.write('\x03');
  expect((await cli.ended).code, cli.screen()).toBe(2);
  await expectCounted(scratch);
  const cancelled = await scratch.run(['resume', '--answer', '/cancel']);
  expect(cancelled.code, cancelled.stderr).toBe(3);
  expect(cancelled.stdout + cancelled.stderr).toMatch(/Cancelled[\s\S]*\n {2}2 files, \+3 −0/);
});

test('G-5: the work of a turn that is parked midway is counted, and once only when the turn ends later', async () => {
  const scratch = createScratch();
  prepare(scratch, `${WORK}; if [ ! -f ../half ]; then touch ../half; sleep 1000; fi; ${FINISH}`);
  const cli = scratch.start(runArgs());
  await until('the turn is half done', () => scratch.exists('../half'));
  cli.child.kill('SIGINT');
  const parked = await cli.ended;
  expect(parked.code, parked.stderr).toBe(2);
  await expectCounted(scratch);
  expectFinished(scratch, await scratch.run(['resume', '--json']));
  // Of the whole turn, not of what was left of it after the park.
  expect(ofType(scratch.journalled(), 'turn_ended')).toMatchObject([{ record: { turn_added: 3 } }]);
});
