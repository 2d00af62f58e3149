import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createScratch, FINISH, ofType, prepare, runArgs } from './cli-run.ts';
import { until } from './processes.ts';
import { ASKING, isThere } from './resumed-run.ts';

const help = (key: string) =>
  `printf '<<<NEED_HELP>>>\\nwhat_i_tried: all of it\\nwhat_i_need: a value\\ninputs: [{key: ${key}, label: ${key}}]\\n<<<END_HELP>>>\\n'`;
const awaitFile = (name: string) => `touch ../before-${name}; until [ -f ../${name} ]; do sleep 0.05; done`;
const awaitInput = (text: string) => `until grep -q ${text} "$AUTOBUILD_INPUTS"; do sleep 0.05; done`;
const IGNORED = /Ignored what was typed before the question: (.*?)\r?\n/g;

test('E-10: what is typed while the agent works answers neither the next question nor a later one', async () => {
  const scratch = createScratch();
  prepare(
    scratch,
    `${awaitFile('first')}; ${help('colour')}; ${awaitInput('teal')}; ${awaitFile('second')}; ${help('size')}; ${awaitInput('large')}; ${FINISH}`,
  );
  const cli = scratch.startAtTerminal(runArgs());
  /** The terminal echoes what it has taken, so nothing is still on its way when the agent asks. */
  const typeAhead = async (name: string, text: string) => {
    await until(`the agent waits for ${name}`, () => isThere(scratch, `before-${name}`));
    const from = cli.screen().length;
    cli.child.stdin?.write(text);
    const last = text.split('\r').at(-1) ?? '';
    await until('the terminal has it', () => cli.screen().slice(from).includes(last));
    writeFileSync(join(scratch.root, name), '');
  };
  const ignored = () => [...cli.screen().matchAll(IGNORED)].map(([, what]) => what);

  await typeAhead('first', '/status\r/acc');
  await until('the first question is asked', () => ignored().length === 1);
  cli.type('/provide colour=teal');
  await typeAhead('second', '/guide hunter2');
  await until('the second question is asked', () => ignored().length === 2);
  cli.type('/provide size=large');
  const done = await cli.ended;
  expect(done.code, cli.screen()).toBe(0);
  expect(ignored()).toEqual(['/accept', '/guide …']);
  expect(cli.screen()).toContain('Building: turn 1');
  expect(ofType(done.events, 'escalation_resolved')).toMatchObject([
    { escalation: 'e1', status: 'resolved' },
    { escalation: 'e2', status: 'resolved' },
  ]);
});

test('T-1: typed while the agent works, /guide and /pause do what they say, and the line can be edited', async () => {
  const scratch = createScratch();
  prepare(scratch, `${awaitFile('never')}`);
  const cli = scratch.startAtTerminal(runArgs());
  await until('the agent works', () => isThere(scratch, 'before-never'));
  cli.child.stdin?.write('/guide use minus\x7f\x7f\x7f\x7f\x7fplus\x1b[200~ signs\r\nnot more\x1b[201~');
  await until('it is on the line', () => cli.screen().includes('> /guide use plus signs not more'));
  cli.child.stdin?.write('\r');
  await until('it is taken', () => cli.screen().includes('reads it when its turn ends'));
  cli.type('contineu');
  await until('it is refused', () => cli.screen().includes('Nothing changed'));
  cli.type('/pause');
  const parked = await cli.ended;
  expect(parked.code, cli.screen()).toBe(2);
  expect(ofType(parked.events, 'answer_prepared')).toMatchObject([
    { answer: { instruction: expect.stringMatching(/: use plus signs not more$/) } },
  ]);
  expect(ofType(parked.events, 'run_paused')).toHaveLength(1);
  // The terminal is left as it was found.
  expect(cli.screen()).toContain('\x1b[?2004l');
});

test('E-10: a pipe is nobody at a terminal: its lines answer nothing, and the run is parked', async () => {
  const scratch = createScratch();
  prepare(scratch, ASKING);
  const piped = ['sh', '-c', `echo '/provide colour=teal' | "$@"`, 'sh'];
  const parked = await scratch.startIn(piped, runArgs()).ended;
  expect(parked.code, parked.stderr).toBe(2);
  expect(parked.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'waiting_for_input' });
  expect(parked.stderr).not.toContain('Ignored');
});
