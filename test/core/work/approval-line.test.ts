import { expect, test } from 'vitest';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import { approvalLine, suggestPaths } from '../../../src/core/work/approval-line.ts';

const line = (...paths: string[]) => approvalLine(paths.map((path) => ({ path })));

test('E-10: the line names the files, unless they are many or would not be read as they are', () => {
  expect(line('src/mail/send.ts', 'docs/.notes')).toBe('/approve paths=src/mail/send.ts,docs/.notes');
  expect(line('a.ts', 'a.ts')).toBe('/approve paths=a.ts');
  for (const path of ['my docs/a.md', 'app/[id].tsx', 'a,b', '`a`', '-- a'])
    expect(line(path)).toBe('/approve');
  expect(line('a', 'b', 'c', 'd', 'e', 'f')).toBe('/approve');
});

test('R-8: for a sensitive file it is the line that approves the content of the question alone', () => {
  expect(line('src/a.ts', '.github/workflows/ci.yml')).toBe('/approve');
  expect(approvalLine([{ path: 'migrations/1.sql', guarded_by: ['migrations/**'] }])).toBe('/approve');
});

test('E-10: what cannot be read is answered with the paths of the open question, and with none where there is none', () => {
  const proposed = [{ path: 'src/mail/send.ts', why: 'out_of_scope', held: true }];
  const pending = { triggers: [{ evidence: { proposed } }, { evidence: {} }] } as unknown as Escalation;
  const other = { triggers: [{ evidence: {} }] } as unknown as Escalation;
  expect(suggestPaths({ isAboutPaths: true }, pending)).toBe('/approve paths=src/mail/send.ts');
  expect(suggestPaths({ isAboutPaths: true }, other)).toBeUndefined();
  expect(suggestPaths({ isAboutPaths: true }, undefined)).toBeUndefined();
  expect(suggestPaths({ suggestion: '/help' }, pending)).toBe('/help');
});
