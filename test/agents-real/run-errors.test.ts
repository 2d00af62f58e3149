import { expect, test } from 'vitest';
import { ofType } from '../e2e/cli-run.ts';
import { isAlive } from '../e2e/processes.ts';
import { killHard } from '../e2e/resumed-run.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareRun, sessionOf, untilRun } from './run-case.ts';
import { DONE, expectDone, FINISH } from './run-words.ts';
import type { Said } from './said.ts';

const FAIL: Said = { text: 'I try.', run: `echo 'TypeError: undefined is not a function' >&2; exit 1` };

test.each(AGENT_CASES)(
  'E-1, R-3: the same error three times, guidance, kill -9 in the middle: $name is resumed to the end',
  async (agentCase) => {
    const run = await prepareRun(
      agentCase,
      [
        FAIL,
        FAIL,
        FAIL,
        // Stopped somewhere in these words: in the history or not, what follows is the same.
        { text: 'I wonder what to do about it, aloud and at some length. '.repeat(3), slowly: 60 },
        { text: 'I go on.', run: 'echo half > half.txt; sleep 600' },
        { text: 'I go on.', run: 'echo half > half.txt; sleep 600' },
        FINISH,
        FINISH,
        DONE,
        DONE,
      ],
      { guards: '  same_error_repeated: 3\n' },
    );
    const { scratch } = run;
    const cli = run.start('/guide Mind the type');
    await untilRun(cli, 'the agent goes on', () => scratch.exists('half.txt'));
    expect(run.model.lastRequest()).toContain('Mind the type');
    const session = sessionOf(run);
    const orphans = scratch.agentProcesses();
    expect(orphans.length).toBeGreaterThan(0);
    await killHard(cli);
    // From here on the model has nothing left to wait for.
    run.model.script.splice(4, 2, FINISH, FINISH);

    const done = await run.resume();
    expectDone(done, run);
    expect(orphans.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(sessionOf(run)).toBe(session);
    expect(run.model.lastRequest()).toContain('Mind the type');
    const events = scratch.journalled();
    const raised = ofType(events, 'escalation_raised').map(({ escalation }) => escalation);
    expect(raised.map(({ triggers }) => triggers.map(({ guard }) => guard))).toEqual([
      ['same_error_repeated'],
    ]);
    expect(raised[0]?.triggers[0]?.evidence.occurrences).toHaveLength(3);
    expect(ofType(events, 'answer_acknowledged')).not.toEqual([]);
  },
);
