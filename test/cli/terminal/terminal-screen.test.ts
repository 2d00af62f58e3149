import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTerminalScreen } from '../../../src/cli/terminal/terminal-screen.ts';
import { waiting } from '../../comments/questions.ts';

function problemShown(text: string): string {
  const out = new PassThrough();
  const screen = createTerminalScreen({
    out,
    live: false,
    colour: false,
    user: 'ann',
    now: () => new Date('2026-11-16T14:00:00.000Z'),
  });
  screen.progress({ type: 'problem', text });
  return String(out.read());
}

test('S-4: a problem says to the last character where the other version is', () => {
  const kept = `/home/ann/${'deep/'.repeat(60)}surroundings/5f0c1a52-6a5c-4a5e-9d0e-0d8f3b2a7c11`;
  const text = `${'packages/'.repeat(20)}.git/config was changed, and is put back. What stood there is in ${kept}.`;
  expect(problemShown(text)).toBe(`✗ ${text}\n`);
});

test('S-4: a problem stays one line of bounded length, whatever is in it', () => {
  const shown = problemShown(`a\n\u001b[2Jb ${'x'.repeat(100_000)}`);
  expect(shown.length).toBeLessThan(10_100);
  expect(shown.trimEnd()).not.toMatch(/[\n\u001b]/);
});

test('T-7: a job that starts while a question is open draws no live line over the answer', () => {
  const out = new PassThrough();
  const screen = createTerminalScreen({
    out,
    live: true,
    question: {
      above(write) {
        out.write('<above>');
        write();
        out.write('</above>');
      },
    },
    colour: false,
    user: 'ann',
    now: () => new Date('2026-11-16T14:00:00.000Z'),
  });
  const state = waiting('loop');
  screen.resumed(state);
  screen.event({ type: 'job_started', at: state.updated_at, job: 2, isolation: 2 }, state);
  const shown = String(out.read());
  expect(shown).toContain('<above>  isolation level 2 of 4 (isolated without root)\n</above>');
  expect(shown).not.toContain('▶');
});
