import { expect, test } from 'vitest';
import { type Run, startRun } from '../../run-builder.ts';

const KEY = { key: 'api_key', label: 'Key', secret: true };

/** Help and a file too many in one question. */
function askingBoth(): Run {
  const run = startRun().beginTurn();
  run.meter.observe({
    type: 'write_proposed',
    turn: 1,
    proposed: { path: 'f4', why: 'file_limit', held: false },
    files: ['f1', 'f2', 'f3'],
    scope: [],
  });
  return run.askForHelp([KEY]);
}

const rearmed = (run: Run) => run.work.answers[0]?.rearm;

test('P-5, P-9: values, given or in Actions secrets, settle the help and not the files that were put back', () => {
  const given = askingBoth();
  given.say('/provide api_key=hunter2');
  expect(rearmed(given)).toEqual(['need_help']);

  const inActions = askingBoth();
  inActions.feed({
    type: 'command',
    at: inActions.now(),
    command: { name: 'continue', new_approach: false },
    by: 'rosa',
    via: 'tick',
    escalation: 'e1',
    actions_secrets: { api_key: { name: 'API_KEY', found: 'yes' } },
  });
  expect(rearmed(inActions)).toEqual(['need_help']);
});

test('E-10: words of a person are for the agent; what was offered about the files, and an approval, settle both', () => {
  const hinted = askingBoth();
  hinted.say('/guide use the sandbox');
  expect(rearmed(hinted)).toEqual(['need_help']);
  for (const answer of ['/guide Finish without changing any other file', '/approve files=30', '/skip']) {
    const settled = askingBoth();
    settled.say(answer);
    expect(rearmed(settled)).toEqual(['need_help', 'files_modified_exceeds']);
  }
});
