import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands/registry.ts';
import { COMMAND_NAMES, type CommandName } from '../../../src/core/contracts/command.ts';
import { PASSING, type Run, startRun } from '../run-builder.ts';
import { repeatedError, tooManyFiles } from '../stuck-runs.ts';

/** The ways a run can stand when a command comes. */
const SITUATIONS: Record<string, { start(): Run; escalation?: string }> = {
  'a question is open': { start: repeatedError },
  'a question for values is open': {
    start: () =>
      startRun()
        .beginTurn()
        .askForHelp([{ key: 'token', label: 'Token', secret: true }]),
  },
  'a question about a file is open': { start: tooManyFiles },
  'a question about jobs is open': { start: lostJobs },
  'the question was answered before': {
    start: () => answered('/guide Look at the cart'),
    escalation: 'e1',
  },
  'the agent works': { start: () => startRun().beginTurn() },
  'the run is paused': { start: () => told(startRun().beginTurn(), '/pause') },
  'the run is paused over its question': { start: () => answered('/pause') },
  'the pull request is ready': { start: ready },
  'a round is running': { start: () => inRound() },
  'the run has ended': { start: () => told(ready(), '/terminate') },
};

function lostJobs(): Run {
  const run = startRun().turn().beginTurn();
  for (let lost = 1; lost < 3; lost += 1) run.lose().startJob().beginTurn();
  return run.lose();
}

function ready(): Run {
  return startRun()
    .beginTurn()
    .endTurn({ report: { status: 'implemented' }, verification: PASSING });
}

function inRound(): Run {
  const run = told(ready(), '/guide Use cents');
  const { limits } = run.state;
  run.feed({
    type: 'revise',
    at: run.now(),
    revision: { head: 'a'.repeat(40), remarks: [] },
    limits,
    max: 10,
  });
  return run.startJob().baseline(PASSING).beginTurn();
}

/** Beside the example of each command. */
const MORE: Partial<Record<CommandName, string[]>> = {
  provide: ['/provide token=hunter2', '/provide token=hunter2 other=x'],
  continue: [
    '/continue',
    '/continue update',
    '/continue +3 +10min new-approach agent=other',
    '/continue agent=nobody',
  ],
  override: ['/override alternative 2'],
  approve: ['/approve', '/approve files=2', '/approve paths=docs/**'],
};

function told(run: Run, text: string): Run {
  run.say(text);
  return run;
}

function answered(text: string): Run {
  return told(repeatedError(), text);
}

/** One line per command: what is journalled, what is done, and what the person and the agent are told. */
function describeDecision(run: Run): string[] {
  const responses = run.last.events.flatMap((event) =>
    event.type === 'response_recorded' ? [`${event.response.response_type}: ${event.response.content}`] : [],
  );
  const answers = run.last.events.flatMap((event) =>
    event.type === 'answer_prepared' ? [event.answer] : [],
  );
  const { reply } = run;
  return [
    `  - journal: ${run.types.join(', ') || 'nothing'}`,
    `  - effects: ${run.effectTypes.join(', ') || 'none'}`,
    ...responses.map((response) => `  - response: ${response}`),
    ...answers.map(
      ({ instruction, rearm }) => `  - agent: ${JSON.stringify(instruction)}, settled: ${rearm}`,
    ),
    ...(reply ? [`  - reply (${reply.tone}): ${reply.title}`] : []),
    ...(reply?.detail ? [`    ${reply.detail}`] : []),
    ...(reply?.suggestion ? [`    ${reply.suggestion}`] : []),
    ...(reply?.commands ? [`    ${reply.commands.join(', ')}`] : []),
  ];
}

test.each(Object.entries(SITUATIONS))('E-10: every command while %s', async (name, { start, escalation }) => {
  const blocks = COMMAND_NAMES.flatMap((command) =>
    [COMMANDS[command].example, ...(MORE[command] ?? [])].flatMap((text) => {
      const run = start();
      run.say(text, { escalation });
      return [`- \`${text}\``, ...describeDecision(run)];
    }),
  );
  const golden = `../../golden/commands/${name.replaceAll(' ', '-')}.md`;
  await expect(`${[`# While ${name}`, '', ...blocks].join('\n')}\n`).toMatchFileSnapshot(golden);
});
