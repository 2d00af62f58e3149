import type { Answer } from '../../../src/core/contracts/answer.ts';
import type { Brief } from '../../../src/core/contracts/brief.ts';
import type { Envelope } from '../../../src/core/contracts/envelope.ts';
import type { Orders } from '../../../src/core/contracts/orders.ts';
import { clock, only } from '../../guards/guard-events.ts';
import { errorAt, PASSING, type Run, startRun, tests } from '../run-builder.ts';

export interface Story {
  run: Run;
  orders: Partial<Record<Orders['do'], Orders>>;
  brief: Brief;
  answer: Answer;
  envelopes: Partial<Record<string, Envelope>>;
}

/** One run in which everything happens that a journal can hold. */
export function tellStory(): Story {
  const failing = tests(3, 5, { errors: [errorAt('TypeError: x is not a function')] });
  const orders: Story['orders'] = {};
  const keep = () => {
    orders[run.orders.do] = run.orders;
  };
  const guards = only({ same_error_repeated: 2, max_runtime: 60, need_help: 'on', max_iterations: 10 });
  const run = startRun({ guards, task: { scope: ['src/**'] } });

  // A question in the middle of a turn, answered in two parts.
  run.beginTurn().askForHelp([
    { key: 'url', label: 'Address' },
    { key: 'token', label: 'Token', secret: true },
  ]);
  run.claim('agent_frozen', { escalation: 'e1', processes: 2, ms: 4 });
  keep();
  run.timer();
  run.say('/review');
  run.say('/continue');
  run.say('/provide url=https://service.example');
  run.say('/provide token=not-a-real-token');
  const [answer] = run.work.answers;
  if (!answer) throw new Error('the story has no answer');
  run.take();
  run.claim('answer_delivered', { answer: answer.id });
  run.claim('acknowledged', { escalation: 'e1', text: 'Using the service now.' });
  run.endTurn({ report: { status: 'partial', summary: 'Called the service' }, verification: failing });

  // The same error again: debugging finds nothing, another agent goes on.
  run.turn({ verification: failing });
  run.tick('debug');
  run.turn({
    report: { status: 'partial', root_cause_found: false, root_cause: 'Not the cache' },
    observed: [],
  });
  run.tick('skip');
  run.turn({ verification: PASSING, report: { status: 'partial', summary: 'Skipped it' } });
  run.say('/guide Keep it small');
  run.beginTurn().observe(clock(61));
  run.trip();
  run.tick('pause');
  keep();
  run.park();
  run.say('/continue agent=other');
  run.startJob();
  const { brief } = run;
  keep();

  // The job dies with a question open, its successor hands over, the last one finishes.
  run.beginTurn().askForHelp();
  run.lose('the machine went away');
  run.say('/override Leave the service out');
  run.startJob().beginTurn().askForHelp();
  run.claim('agent_died', { reason: 'killed by SIGKILL' });
  run.say('/guide Never mind');
  run.claim('handed_over', { guards: run.meter.states(), handoff_path: 'HANDOFF.md' });
  run.startJob().beginTurn();
  run.endTurn({ report: { status: 'implemented', summary: 'All of it' }, verification: PASSING });
  keep();
  return { run, orders, brief, answer, envelopes: firstOfEachType(run) };
}

function firstOfEachType(run: Run): Story['envelopes'] {
  const envelopes = run.commits.flatMap(({ input }) => (input.type === 'claim' ? [input.envelope] : []));
  return Object.fromEntries(envelopes.toReversed().map((envelope) => [envelope.type, envelope]));
}
