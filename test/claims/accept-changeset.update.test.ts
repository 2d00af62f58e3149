import { expect, test } from 'vitest';
import { factsFor } from '../../src/claims/accept-changeset.ts';
import type { BaseUpdate } from '../../src/core/contracts/revision.ts';
import { RULES } from '../../src/guards/rules.ts';
import { PASSING, startRun } from '../core/run-builder.ts';
import { TARGET } from '../web/desk.ts';

const BASE = 'b'.repeat(40);
const HEAD = 'a'.repeat(40);
const update: BaseUpdate = { branch: 'main', sha: BASE, conflicts: ['a.txt'], kept: [] };

/** The desk's own facts about the work of an update, when its job says that it is done. */
async function factsOf(text: string, merge: object | undefined, path = 'a.txt') {
  const done = { report: { status: 'implemented', summary: 'Done' }, verification: PASSING };
  const run = startRun().turn(done);
  const [first] = run.events;
  if (first?.type !== 'run_requested') throw new Error('no run');
  run.say('/continue update');
  const revision = { head: HEAD, remarks: [], update };
  run.feed({ type: 'revise', at: run.now(), revision, limits: first.limits, max: 10 });
  run.startJob().baseline(PASSING);
  const { state } = run;
  const claim = run
    .turn(done)
    .commits.findLast(({ input }) => input.type === 'claim' && input.envelope.type === 'turn_ended');
  if (claim?.input.type !== 'claim') throw new Error('no claim');
  const files = [{ path, mode: '100644', status: 'modified', content: btoa(text) }];
  const bytes = new TextEncoder().encode(JSON.stringify({ base_sha: BASE, files, left_out: [], merge }));
  const store = {
    blobs: { get: async () => bytes },
    runs: { target: async () => TARGET },
    vault: { open: async () => ({}) },
  };
  return factsFor({ store: store as never, rules: RULES }, state, claim.input.envelope);
}

const DONE = { added: [], files: [], done: true };
const MARKED = '<<<<<<< pull-request\nours\n=======\ntheirs\n>>>>>>> base-branch\n';

test('V-6: a merge that no job has made is no work, whatever the job says', async () => {
  expect(await factsOf('merged\n', undefined)).toEqual({ files: 0, changed: 0, problems: [], secrets: [] });
  expect(await factsOf('merged\n', { added: [], files: [] })).toMatchObject({ files: 0 });
  expect(await factsOf('merged\n', DONE)).toMatchObject({ files: 1, digest: expect.any(String) });
});

test('V-6: the desk looks for conflicts itself', async () => {
  expect((await factsOf(MARKED, DONE))?.unresolved).toEqual(['a.txt']);
  expect((await factsOf('merged\n', DONE, 'a~base-branch'))?.unresolved).toEqual(['a~base-branch']);
  expect((await factsOf('merged\n', DONE))?.unresolved).toBeUndefined();
});
