import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_CASES, type AgentCase } from './agent-cases.ts';
import { prepareRun } from './run-case.ts';
import { DONE, expectDone, FINISH, guardsOf, untilPutBack } from './run-words.ts';

test.each(AGENT_CASES)(
  'E-5: an edit of $name that its hook never saw is put back and asked about; an approval brings it in',
  async (agentCase) => {
    const run = await prepareRun(withoutGate(agentCase), [
      { text: 'Past it.', write: 'past.txt' },
      { text: 'I wait.', run: untilPutBack('past.txt') },
      FINISH,
      FINISH,
      DONE,
      DONE,
    ]);
    const { scratch } = run;
    const cli = run.startAtTerminal();
    await cli.saw('agent_frozen');
    expect(scratch.exists('past.txt')).toBe(false);
    cli.type('/approve');
    const done = await cli.ended;
    expectDone(done, run);
    expect(guardsOf(done)).toEqual([['spec_deviation_detected']]);
    expect(done.escalations[0]).toMatchObject({ headers: ['Edited Without Asking'] });
    expect(done.escalations[0]?.triggers[0]?.evidence.proposed).toMatchObject([
      { path: 'past.txt', held: false, why: 'gate_bypassed' },
    ]);
    expect(scratch.read('past.txt')).toBe('written\n');
  },
);

/** The same agent behind a program of its name that takes the hook away. */
function withoutGate(agentCase: AgentCase): AgentCase {
  return {
    ...agentCase,
    environment(url, folder) {
      const env = agentCase.environment(url, folder);
      const programs = join(folder, 'programs');
      mkdirSync(programs);
      const file = join(programs, agentCase.name);
      const lines = [
        '#!/bin/sh',
        `PATH=\${PATH#${programs}:}`,
        `[ "$1" = --version ] || { ${agentCase.withoutGate}; }`,
        `exec ${agentCase.name} "$@"`,
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      chmodSync(file, 0o755);
      return { ...env, PATH: `${programs}:${env.PATH}` };
    },
  };
}
