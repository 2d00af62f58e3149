import { expect, test } from 'vitest';
import { ofType } from '../e2e/cli-run.ts';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareRun } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf } from './run-words.ts';

test.each(AGENT_CASES)(
  'K-2, E-7: an API error of $name is overcome by itself, a refused key is asked about at once',
  async (agentCase) => {
    const { request, key } = agentCase.refusals;
    const run = await prepareRun(agentCase, [{ refuse: request }]);
    const cli = run.start();
    await cli.saw('turn_started', 2);
    // Some keep the failure in the conversation, as an answer of the model.
    run.model.script.splice(0, 1, { refuse: key }, { refuse: key });
    const parked = await cli.ended;
    expect(parked.code, parked.stderr).toBe(2);
    // The API error cost a turn and no question; the refused key was asked about before any check ran.
    expect(ofType(parked.events, 'turn_ended')).toMatchObject([
      { record: { exit: expect.stringContaining(request.message) } },
    ]);
    expect(guardsOf(parked)).toEqual([['external_blocker']]);
    expect(JSON.stringify(parked.escalations[0]?.triggers[0]?.evidence)).toContain(
      agentCase.told.key ?? key.message,
    );

    run.model.script.splice(0, 2, FINISH, FINISH, DONE, DONE);
    expectDone(await run.resume('/retry'), run);
  },
);
