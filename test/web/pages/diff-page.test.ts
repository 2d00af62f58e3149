import { expect, onTestFinished, test } from 'vitest';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import type { PagesDependencies } from '../../../src/web/pages/pages.ts';
import { startRun } from '../../core/run-builder.ts';
import { openTestDesk, type TestDesk, type TestDeskOptions } from '../desk.ts';
import { Visitor } from '../visitor.ts';

async function openDesk(options: TestDeskOptions = {}): Promise<{ desk: TestDesk; rosa: Visitor }> {
  const desk = await openTestDesk(options);
  onTestFinished(() => desk.close());
  desk.people.rosa = 'write';
  const rosa = new Visitor(desk);
  await rosa.signIn('rosa');
  return { desk, rosa };
}

/** A run whose finished work, or whose agent, changes a file outside of its scope. */
function proposingRun(finished: boolean) {
  const run = startRun({ task: { scope: ['src/**'] } }).beginTurn();
  const proposed = {
    ...{ path: 'docs/a.md', why: 'out_of_scope' as const, held: !finished },
    ...(finished ? { finished } : { diff: '+as the agent says' }),
  };
  run.observe({ type: 'write_proposed', turn: 1, files: [], scope: ['src/**'], proposed }).trip();
  return run;
}

const withDiff = (pending: Escalation, diff: string): Escalation => ({
  ...pending,
  triggers: pending.triggers.map((trigger) => ({
    ...trigger,
    evidence: {
      ...trigger.evidence,
      proposed: trigger.evidence.proposed?.map((write) => ({ ...write, diff })),
    },
  })),
});

test('R-8: the run shows the beginning of a long change, and leads to the whole of it', async () => {
  const diff = `${`+${'x'.repeat(200)}\n`.repeat(300)}+the end`;
  const { desk, rosa } = await openDesk({
    people: { withDiffs: async ({ pending }) => withDiff(pending, diff) },
  });
  await desk.seed(proposingRun(true));
  const page = await rosa.read('/runs/r1');
  expect(page).not.toContain('+the end');
  expect(page).toContain('href="/runs/r1/diff"');
  expect(page.length).toBeLessThan(60_000);
  expect(await rosa.read('/runs/r1/diff')).toContain('+the end');
});

test('S-19: who cannot read the repository gets no change to see', async () => {
  const { desk, rosa } = await openDesk();
  await desk.seed(proposingRun(false));
  expect(await rosa.read('/runs/r1/diff')).toContain('+as the agent says');
  const mallory = new Visitor(desk);
  await mallory.signIn('mallory');
  expect((await mallory.ask('/runs/r1/diff')).status).toBe(404);
});

test('B-8: the link of an old comment says that nothing is asked, and leads to the run', async () => {
  const { desk, rosa } = await openDesk();
  const run = proposingRun(false);
  run.say('/approve');
  await desk.seed(run);
  const page = await rosa.read('/runs/r1/diff');
  expect(page).toContain('Nothing is to be approved now');
  expect(page).toContain('href="/runs/r1"');
});

test('S-7: the change of finished work is read once for all who look, and again after a failure', async () => {
  let asked = 0;
  const withDiffs: PagesDependencies['withDiffs'] = async ({ pending }) => {
    asked += 1;
    if (asked === 1) throw new Error('GitHub is away');
    return withDiff(pending, '+as committed');
  };
  const { desk, rosa } = await openDesk({ people: { withDiffs } });
  await desk.seed(proposingRun(true));
  expect(await rosa.read('/runs/r1')).toContain('The change could not be read.');
  expect(await rosa.read('/runs/r1')).toContain('+as committed');
  expect(await rosa.read('/runs/r1/diff')).toContain('+as committed');
  expect(asked).toBe(2);
});
