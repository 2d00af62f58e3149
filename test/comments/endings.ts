import type { RunState } from '../../src/core/contracts/run-state.ts';
import { givesUp, repeatsAnError, valuesGiven } from './questions.ts';
import { GiftCards, type Tested, verification } from './story.ts';

/** How the story can end. */

/** The agent says that it is done, the job's checks agree, and a fresh job has the last word. */
function finishedIn7Turns(fresh: Tested): RunState {
  const run = valuesGiven()
    .closeTurn()
    .wholeTurn({
      report: { status: 'implemented', summary: 'Take the balance inside a lock' },
      tested: { passed: 14 },
    })
    .park();
  const at = run.time(5);
  run.feed({ type: 'verification', at, verification: verification(fresh, at) });
  return run.state;
}

export const done = finishedIn7Turns({ passed: 14 });
export const failsAfresh = finishedIn7Turns({ passed: 11 });

/** An error is skipped by hugo, then the turns run out, and rosa accepts what is there. */
function acceptedInPart(): RunState {
  const run = repeatsAnError({ total_verification_attempts: 'off' }).waitFor(10);
  run.say('/skip', { by: 'hugo' });
  run.openTurn().closeTurn().through(10);
  run.wholeTurn({ report: givesUp('partial') }).waitFor(20);
  run.tick('accept');
  return run.state;
}

export const partial = acceptedInPart();

function stopped(command: string): RunState {
  const run = new GiftCards().midway(6);
  run.say(command);
  return run.park().state;
}

export const cancelled = stopped('/cancel');
export const paused = stopped('/pause');
