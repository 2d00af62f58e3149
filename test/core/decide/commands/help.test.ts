import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../src/commands/registry.ts';
import { type Run, startRun } from '../../run-builder.ts';
import { repeatedError } from '../../stuck-runs.ts';

function told(run: Run, text: string): Run {
  run.say(text);
  return run;
}

const paused = () => told(startRun().beginTurn(), '/pause');
const pausedOverQuestion = () => told(repeatedError(), '/pause');
const working = () => startRun().beginTurn();

test.each([
  ['paused', paused],
  ['paused over its question', pausedOverQuestion],
])('G-12: /help for a run that is %s names /continue first and not /pause', (_, start) => {
  const run = told(start(), '/help');
  expect(run.types).toEqual([]);
  expect(run.reply?.commands?.[0]).toBe('continue');
  expect(run.reply?.commands).not.toContain('pause');
  // These only answer a question, and none is open.
  for (const name of ['provide', 'retry', 'debug', 'skip']) expect(run.reply?.commands).not.toContain(name);
});

test.each([
  ['paused', paused],
  ['paused over its question', pausedOverQuestion],
  ['working', working],
])('E-10: /help for a run that is %s lists nothing that would be refused', (_, start) => {
  const listed = told(start(), '/help').reply?.commands ?? [];
  expect(listed.length).toBeGreaterThan(0);
  for (const name of listed)
    expect(told(start(), COMMANDS[name].example).types).not.toContain('command_refused');
});
