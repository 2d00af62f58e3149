import { describe, expect, test } from 'vitest';
import { createScratch, onlyGuards, prepare, type Scratch } from './cli-run.ts';

const BLOCK = (inputs: string) =>
  `printf '<<<NEED_HELP>>>\\nwhat_i_tried: all\\nwhat_i_need: words\\n${inputs}<<<END_HELP>>>\\n'`;
const VALUE = 'inputs:\\n  - key: words\\n    label: Words\\n';

/** Two files more than are allowed, and a request for help with them: one question. */
async function play(scratch: Scratch, afterHelp: string, answers: string[], inputs = VALUE) {
  prepare(
    scratch,
    `if [ ! -e f1 ]; then for n in 1 2 3 4 5; do touch f$n; sleep 0.02; done; ${BLOCK(inputs)}; ${afterHelp}; fi; report implemented finished`,
    onlyGuards('  files_modified_exceeds: 3\n'),
  );
  const flags = answers.flatMap((answer) => ['--answer', answer]);
  const ended = await scratch.run([
    ...['run', 'TASK.md', '--json', '--verify', 'test -f f1', ...flags, '--', './agent.sh'],
  ]);
  expect(ended.code, ended.stderr).toBe(0);
  const guards = ended.escalations.map(({ triggers }) => triggers.map(({ guard }) => guard));
  return { ended, guards };
}

const filesIn = (scratch: Scratch) =>
  ['f1', 'f2', 'f3', 'f4', 'f5'].filter((path) => scratch.exists(path)).length;

describe.concurrent('help asked for while files are put back', () => {
  const BOTH = ['need_help', 'files_modified_exceeds'];

  test('P-5: a value settles the help; the files are asked about next', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const { guards } = await play(scratch, 'exit 0', ['/provide words=hi', '/approve files=10']);
    expect(guards).toEqual([BOTH, ['files_modified_exceeds']]);
    expect(filesIn(scratch)).toBe(5);
  });

  test('P-5: the same while the agent lives and waits for the value', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const wait = 'until grep -q hi "$AUTOBUILD_INPUTS"; do sleep 0.05; done';
    const { guards } = await play(scratch, wait, ['/provide words=hi', '/approve files=10']);
    expect(guards).toEqual([BOTH, ['files_modified_exceeds']]);
    expect(filesIn(scratch)).toBe(5);
  });

  test('P-5: words of help settle the help alone; an approval settles both', async ({ onTestFinished }) => {
    const hinted = createScratch(onTestFinished);
    const { guards } = await play(hinted, 'exit 0', ['/guide say hi', '/approve files=10'], '');
    expect(guards).toEqual([BOTH, ['files_modified_exceeds']]);
    expect(filesIn(hinted)).toBe(5);

    const approved = createScratch(onTestFinished);
    const both = await play(approved, 'exit 0', ['/approve files=10'], '');
    expect(both.guards).toEqual([BOTH]);
    expect(filesIn(approved)).toBe(5);
  });

  test('E-5: what stays put back is named when the run ends', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    const stay = '/guide Finish without changing any other file';
    const { ended, guards } = await play(scratch, 'exit 0', ['/provide words=hi', stay]);
    expect(guards).toEqual([BOTH, ['files_modified_exceeds']]);
    expect(filesIn(scratch)).toBe(3);
    for (const path of ['f4', 'f5'])
      expect(ended.stderr).toMatch(new RegExp(`✗ reverted, not included: ${path}\\n +saved in \\S+/aside/`));
  });
});
