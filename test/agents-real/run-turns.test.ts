import { expect, test } from 'vitest';
import { ofType } from '../e2e/cli-run.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareRun, sessionOf } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf } from './run-words.ts';

const NEAR_THE_END = 'Near the limit: a blocked report is due';

test.each(AGENT_CASES)(
  'E-2, B-2: $name ends its last turn undone: told of the limit before, asked about after, and going on with more',
  async (agentCase) => {
    const run = await prepareRun(agentCase, [{ text: 'Not yet.' }, { text: 'Still not.' }, FINISH, DONE], {
      guards: '  max_iterations: 2\n',
    });
    const parked = await run.run();
    expect(parked.code, parked.stderr).toBe(2);
    expect(guardsOf(parked)).toEqual([['max_iterations']]);
    expect(ofType(parked.events, 'turn_ended')).toHaveLength(2);
    expect(run.model.lastRequest()).toContain(NEAR_THE_END);
    const session = sessionOf(run);

    const done = await run.resume('/continue +5');
    expectDone(done, run);
    expect(sessionOf(run)).toBe(session);
    expect(run.model.lastRequest()).toContain('Still not.');
  },
);
