import { expect, test } from 'vitest';
import { AGENT_CASES } from './agent-cases.ts';
import { prepareRun } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf, untilPutBack } from './run-words.ts';

const TWENTY = 'mkdir -p src; seq 20 | while read n; do echo $n > src/$n.txt; done';

test.each(AGENT_CASES)(
  'E-5, E-6: the 21st file of $name and one out of scope are held; what its shell writes of that kind is put back',
  async (agentCase) => {
    const run = await prepareRun(
      agentCase,
      [
        { text: 'Twenty.', run: TWENTY },
        { text: 'One more.', write: 'src/21.txt' },
        { text: 'And elsewhere.', write: 'docs/d.txt' },
        {
          text: 'By the shell.',
          run: `mkdir -p build && echo x > build/e.txt; ${untilPutBack('build/e.txt')}`,
        },
        { text: 'Too many by the shell.', run: `echo x > src/23.txt; ${untilPutBack('src/23.txt')}` },
        FINISH,
        FINISH,
        DONE,
        DONE,
      ],
      { task: '# Write files\n\nAll of them.\n\n## Scope\n\n- src/**\n- done.txt\n' },
    );
    const { scratch } = run;
    const cli = run.startAtTerminal();
    await cli.saw('agent_frozen');
    expect(scratch.exists('src/20.txt')).toBe(true);
    expect(scratch.exists('src/21.txt')).toBe(false);
    cli.type('/approve files=22');
    await cli.saw('agent_frozen', 2);
    expect(scratch.exists('src/21.txt')).toBe(true);
    expect(scratch.exists('docs/d.txt')).toBe(false);
    cli.type('/approve');
    await cli.saw('agent_frozen', 3);
    expect(scratch.exists('docs/d.txt')).toBe(true);
    expect(scratch.exists('build/e.txt')).toBe(false);
    cli.type('/guide Leave the build alone');
    await cli.saw('agent_frozen', 4);
    expect(scratch.exists('src/23.txt')).toBe(false);
    cli.type('/approve files=30');
    const done = await cli.ended;
    expectDone(done, run);
    expect(guardsOf(done)).toEqual([
      ['files_modified_exceeds'],
      ['spec_deviation_detected'],
      ['spec_deviation_detected'],
      ['files_modified_exceeds'],
    ]);
    expect(done.escalations.map(({ triggers }) => triggers[0]?.evidence.proposed)).toMatchObject([
      [{ path: 'src/21.txt', held: true, why: 'file_limit' }],
      [{ path: 'docs/d.txt', held: true, why: 'out_of_scope' }],
      [{ path: 'build/e.txt', held: false, why: 'out_of_scope' }],
      [{ path: 'src/23.txt', held: false, why: 'file_limit' }],
    ]);
    expect(scratch.exists('build/e.txt')).toBe(false);
    expect(scratch.read('src/23.txt')).toBe('x\n');
    expect(run.model.lastRequest()).toContain('Leave the build alone');
  },
);
