import type { Delivered } from '../../src/actions-desk/deliver.ts';
import { digestOf } from '../../src/claims/digest-of.ts';
import type { NamedRepository } from '../../src/core/bindings-of.ts';
import { HeldBrief } from '../../src/core/ports/held-brief.ts';
import type { RefStorage } from '../../src/core/ports/ref-storage.ts';
import type { RefKeys } from '../../src/store/ref/keys.ts';
import { readRefEntries } from '../../src/store/ref/read-ref-entries.ts';
import { PASSING, startRun, tests } from '../core/run-builder.ts';
import { leave } from './desk-world.ts';

/** The traces of the jobs between `desk` and `deliver`. */
export type Left = Delivered;

const LOST: Left = {
  readWork: () => ({ entries: [], isLastWordThere: false, skipped: {} }),
  result: undefined,
  conclusions: ['failure', 'skipped'],
};

/** A build and its verification, without an agent: reads its brief from the ref, and says what a job would say. */
export async function playBuild(
  place: { storage: RefStorage; repository: NamedRepository; keys: RefKeys; issue: number },
  operation: string,
  how: { now: number; does: 'asks' | 'finishes' | 'works on' | 'dies'; isVerifyOnly: boolean },
): Promise<Left> {
  const entries = await readRefEntries(place);
  const brief = how.isVerifyOnly ? undefined : await entries.open('brief', place.keys.brief);
  const held = brief && HeldBrief.parse(JSON.parse(Buffer.from(brief).toString('utf8')));
  if (held?.operation !== operation || how.does === 'dies') return LOST;
  const run = startRun({ run: held.brief.run, startMs: how.now - 60_000 });
  run.state = held.state;
  const from = run.commits.length;
  run.startJob();
  if (!held.brief.baseline) run.baseline();
  if (run.orders.do !== 'work') return LOST;
  run.beginTurn();
  const done: Left = { ...LOST, conclusions: ['success', 'skipped'] };
  if (how.does === 'asks') {
    run.askForHelp([{ key: 'key', label: 'A value' }]).park();
    return { ...done, ...leave(run, from) };
  }
  if (how.does === 'works on') {
    run.endTurn({ report: { status: 'in_progress', summary: 'Half of it' }, verification: tests(4, 5) });
    run.claim('handed_over', { guards: run.meter.states() });
    return { ...done, ...leave(run, from) };
  }
  run.endTurn({ report: { status: 'implemented', summary: 'It is made' }, verification: PASSING });
  const file = { path: 'made.txt', mode: '100644', status: 'added', content: btoa(`${operation}\n`) };
  const changeset = JSON.stringify({ base_sha: held.place.head_sha, files: [file], left_out: [] });
  const result = { verification: PASSING, changeset: digestOf(Buffer.from(changeset)) };
  return { ...done, ...leave(run, from, changeset), result, conclusions: ['success', 'success'] };
}
