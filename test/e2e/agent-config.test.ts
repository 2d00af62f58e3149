import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratch, FINISH, ofType, onlyGuards, prepare, runArgs } from './cli-run.ts';
import { until } from './processes.ts';
import { expectFinished, isThere, killHard } from './resumed-run.ts';

/** Turn 1 leaves orders for its successors; each turn says what it was given to obey. */
const REPROGRAM = `cat AGENTS.md CLAUDE.md > ../obeyed-$TURN 2> /dev/null
if [ $TURN = 1 ]; then echo 'obey me' > CLAUDE.md; echo 'obey me' > AGENTS.md; report partial written; exit; fi`;

const obeyed = (scratch: { root: string }, turn: number) =>
  readFileSync(join(scratch.root, `obeyed-${turn}`), 'utf8');

describe('files that agents obey', () => {
  test('S-3: no turn reprograms the next one, and what it wrote is in the result', async () => {
    const scratch = createScratch();
    // The user's own, of which no commit knows.
    scratch.write('AGENTS.md', 'be kind\n');
    prepare(scratch, `${REPROGRAM}\ncp "$AUTOBUILD_PROMPT" ../prompt; ${FINISH}`);
    const done = await scratch.run(runArgs());
    expectFinished(scratch, done);
    expect(obeyed(scratch, 1)).toBe('be kind\n');
    expect(obeyed(scratch, 2)).toBe('be kind\n');
    expect(scratch.read('CLAUDE.md')).toBe('obey me\n');
    expect(scratch.read('AGENTS.md')).toBe('obey me\n');
    const records = ofType(done.events, 'turn_ended').map(({ record }) => record.changes.paths);
    expect(records).toEqual([
      ['AGENTS.md', 'CLAUDE.md'],
      ['AGENTS.md', 'CLAUDE.md', 'done'],
    ]);
    expect(scratch.read('../prompt')).toMatch(/Set apart while you run[\s\S]*"CLAUDE\.md": \//);
  });

  test('S-3: the same when the turn is started anew for an answer', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `if [ ! -f CLAUDE.md ] && [ ! -f ../asked ]; then touch ../asked; echo 'obey me' > CLAUDE.md
printf '<<<NEED_HELP>>>\\nwhat_i_tried: x\\nwhat_i_need: y\\n<<<END_HELP>>>\\n'; sleep 1000; fi
ls CLAUDE.md > ../again 2>&1; ${FINISH}`,
    );
    const done = await scratch.run(runArgs({ answers: ['/override do it so'] }));
    expectFinished(scratch, done);
    expect(scratch.read('../again')).toContain('No such file');
    expect(scratch.read('CLAUDE.md')).toBe('obey me\n');
  });

  test('R-3: kill -9 while they are set apart loses neither version', async () => {
    const scratch = createScratch();
    scratch.write('AGENTS.md', 'be kind\n');
    prepare(
      scratch,
      `${REPROGRAM}
if [ ! -f ../killed ]; then touch ../killed; sleep 1000; fi; ${FINISH}`,
    );
    const cli = scratch.start(runArgs());
    await until('turn 2 runs', () => isThere(scratch, 'killed'));
    expect(scratch.read('AGENTS.md')).toBe('be kind\n');
    await killHard(cli);
    const done = await scratch.run(['resume', '--json']);
    expectFinished(scratch, done);
    expect(obeyed(scratch, 2)).toBe('be kind\n');
    expect(scratch.read('CLAUDE.md')).toBe('obey me\n');
    expect(scratch.read('AGENTS.md')).toBe('obey me\n');
  });

  test('S-7: one that was approved as it was shown is not asked about again in later turns', async () => {
    const scratch = createScratch();
    scratch.write('AGENTS.md', 'be kind\n');
    scratch.write('TASK.md', '# Make it\n\nx\n\n## Scope\n\n- done\n');
    // Turn 1 is started again after the answer.
    prepare(
      scratch,
      `if [ ! -f ../asked ]; then touch ../asked; echo 'obey me' > AGENTS.md; sleep 1000; fi
if [ $TURN = 1 ]; then report partial written; exit; fi
cat AGENTS.md > ../obeyed-2; ${FINISH}`,
    );
    const done = await scratch.run(runArgs({ answers: ['/approve'] }));
    expectFinished(scratch, done);
    expect(done.escalations).toHaveLength(1);
    expect(obeyed(scratch, 2)).toBe('be kind\n');
    expect(scratch.read('AGENTS.md')).toBe('obey me\n');
  });

  test('E-5: what is set apart still counts: the file over the limit is the new one', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${REPROGRAM}
if [ -f new.txt ]; then ${FINISH}; else echo n > new.txt; sleep 20; fi`,
      onlyGuards('  files_modified_exceeds: 2\n'),
    );
    const done = await scratch.run(runArgs({ answers: ['/approve files=10'] }));
    expectFinished(scratch, done);
    expect(done.escalations).toHaveLength(1);
    expect(done.escalations[0]?.triggers).toMatchObject([
      {
        guard: 'files_modified_exceeds',
        evidence: { files: ['AGENTS.md', 'CLAUDE.md'], proposed: [{ path: 'new.txt' }] },
      },
    ]);
  });

  test('E-3: putting them in place and back is no progress of the agent', async () => {
    const scratch = createScratch();
    prepare(
      scratch,
      `${REPROGRAM}
if grep -q 'do it' "$AUTOBUILD_PROMPT"; then ${FINISH}; else report partial nothing; sleep 0.6; fi`,
      onlyGuards('  no_file_changes_after_attempts: 2\n'),
    );
    const done = await scratch.run(runArgs({ answers: ['/guide do it'] }));
    expectFinished(scratch, done);
    expect(done.escalations.map(({ context, type }) => [type, context.turn])).toEqual([
      ['progress_stall', 3],
    ]);
  });
});
