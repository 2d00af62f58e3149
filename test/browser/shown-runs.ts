import type { RunTarget } from '../../src/core/ports/run-target.ts';
import { errorAt, PASSING, type Run, startRun, tests } from '../core/run-builder.ts';
import type { TestDesk } from '../web/desk.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Every kind of run that a page shows. `say` changes each text of an issue or an agent, for tests with hostile ones. */
export async function seedShownRuns(desk: TestDesk, say: (text: string) => string = (text) => text) {
  const at = (ms: number) => ({ startMs: desk.clock.ms - ms });
  const seed = (run: Run, issue: number, changes: Partial<RunTarget> = {}) =>
    desk.seed(run, { issue, ...changes });

  await seed(mergedRun(say, at(2 * DAY)), 3);
  await desk.store.publications.change('merged', { pull: 4 });
  const cancelled = startRun({
    run: 'cancelled',
    task: { title: say('Print receipts in colour') },
    ...at(DAY),
  }).beginTurn();
  cancelled.say('/cancel');
  await seed(cancelled, 5);
  await seed(readyRun(say, at(90 * MINUTE)), 6);
  await desk.store.publications.change('ready', { pull: 7 });
  await seed(askingRun(say, at(25 * MINUTE)), 8);
  await seed(proposingRun(say, at(12 * MINUTE)), 9, { repo: 'till', repo_id: 78 });
  const working = startRun({
    run: 'working',
    task: { title: say('Show prices with tax') },
    ...at(9 * MINUTE),
  });
  await seed(working.turn({ report: report(say('Read the prices')) }).beginTurn(), 10);
}

/** One write to GitHub that failed too often. */
export async function giveUp({ store }: TestDesk, error: string): Promise<void> {
  const lease = await store.outbox.claim(60_000);
  const effect = lease && (await store.outbox.next(lease));
  if (!lease || !effect) throw new Error('no effect is waiting');
  await store.outbox.bury(lease, effect.id, error);
}

type Say = (text: string) => string;
type At = { startMs: number };
const report = (summary: string, status = 'partial') => ({ status, summary });
const SPENT = { input_tokens: 182_000, output_tokens: 9_400, cost_usd: 0.84 };

function askingRun(say: Say, at: At): Run {
  const run = startRun({ run: 'asking', task: { title: say('Send receipts by e-mail') }, ...at });
  run.usage = SPENT;
  play(run, 3, { report: report(say('Add the template of the receipt')), verification: tests(4, 6) });
  play(run, 4, { report: report(say('Send it when a sale is closed')), verification: tests(5, 6) });
  run.beginTurn().sleep(120);
  return run.askForHelp(
    [
      { key: 'smtp_url', label: say('Address of the mail server') },
      { key: 'smtp_password', label: say('Password of the mail server'), secret: true },
    ],
    say(
      'The test of the mailer needs a server. `config/mail.json` names one that is not reachable from here.',
    ),
  );
}

function proposingRun(say: Say, at: At): Run {
  const run = startRun({
    run: 'proposing',
    task: { title: say('Translate the shop'), scope: ['src/**'] },
    ...at,
  });
  play(run, 3, { report: report(say('Collect the texts')), verification: tests(4, 5) });
  run.beginTurn().sleep(30);
  const diff = `--- a/config/languages.json\n+++ b/config/languages.json\n@@ -1,3 +1,4 @@\n {\n-  "languages": ["en"]\n+  "languages": ["en", "pt"],\n+  "note": ${JSON.stringify(say('Texts of the shop'))}\n }`;
  const proposed = {
    ...{ path: 'config/languages.json', why: 'out_of_scope' as const, held: true },
    diff,
  };
  run.observe({ type: 'write_proposed', turn: 2, proposed, files: [], scope: ['src/**'] }).trip();
  return run;
}

function readyRun(say: Say, at: At): Run {
  const run = startRun({ run: 'ready', task: { title: say('Expire receipts after a year') }, ...at });
  run.usage = SPENT;
  const failing = tests(3, 5, {
    errors: [errorAt(say("Cannot read properties of undefined (reading 'year')"))],
  });
  play(run, 5, { report: report(say('Add the date to a receipt')), verification: failing });
  run.beginTurn().askForHelp([], say('Is a year 365 days, or until the same day?'));
  run.sleep(11 * 60).say(`/guide ${say('Until the same day')}`);
  run.endTurn({ report: report(say('Ask')), verification: failing });
  play(run, 6, { report: report(say('Expire on the same day'), 'implemented'), verification: PASSING });
  return run;
}

function mergedRun(say: Say, at: At): Run {
  const run = startRun({ run: 'merged', task: { title: say('Round totals to cents') }, ...at });
  run.usage = { ...SPENT, cost_usd: 0.31 };
  play(run, 4, { report: report(say('Round half to even'), 'implemented'), verification: PASSING });
  run.feed({ type: 'judged', at: run.now(), outcome: 'approved', by: 'rosa' });
  return run;
}

/** A turn of so many minutes. */
function play(run: Run, minutes: number, parts: Parameters<Run['endTurn']>[0]): void {
  run.beginTurn().sleep(minutes * 60);
  const { turn } = run.state;
  run.observe({ type: 'clock', active_ms: run.state.active_ms + minutes * MINUTE });
  run.observe({ type: 'files_changed', turn, paths: [`src/turn-${turn}.ts`] });
  const record = { turn_ms: minutes * MINUTE, turn_cost_usd: 0.28, turn_added: 30 + turn, turn_removed: 6 };
  run.endTurn({ ...parts, record });
}
