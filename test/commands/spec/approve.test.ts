import { describe, expect, it } from 'vitest';
import { parseComment } from '../../../src/commands/parse-comment.ts';

describe('/approve', () => {
  it.each([
    ['/approve', {}],
    ['/approve.', {}],
    ['/approve files=30', { files: 30 }],
    ['/approve files=10000', { files: 10_000 }],
    ['/approve paths=src/**', { paths: ['src/**'] }],
    ['/approve paths=src/**,docs/*_a_*.md files=30', { paths: ['src/**', 'docs/*_a_*.md'], files: 30 }],
    ['/approve paths="my docs/**","b"', { paths: ['my docs/**', 'b'] }],
    ['/approve paths=“my docs/**”', { paths: ['my docs/**'] }],
    ['/approve paths=`src/**`,`b`', { paths: ['src/**', 'b'] }],
    ['/approve paths=src/{a,b}/**,c', { paths: ['src/{a,b}/**', 'c'] }],
    ['/approve Files=3', { files: 3 }],
  ])('%s', (text, expected) => {
    expect(parseComment(text)).toEqual({ kind: 'command', command: { name: 'approve', ...expected } });
  });

  it.each([
    ['/approve files=0', '1 to 10000'],
    ['/approve files=10001', '1 to 10000'],
    ['/approve files=-3', '1 to 10000'],
    ['/approve files=1e3', '1 to 10000'],
    ['/approve files=', '1 to 10000'],
    ['/approve files=3 files=4', 'twice'],
    ['/approve files = 30', 'Leave out the spaces'],
    ['/approve everything', '`everything`'],
  ])('replies to %s', (text, problem) => {
    expect(parseComment(text)).toMatchObject({
      kind: 'reply',
      problem: expect.stringContaining(problem),
      suggestion: expect.stringMatching(/^\/approve /),
    });
  });

  it.each([
    ['/approve paths=', 'no empty ones'],
    ['/approve paths=a,,b', 'no empty ones'],
    ['/approve paths=a,', 'no empty ones'],
    ['/approve paths="a', 'not closed'],
    ['/approve paths="a"b', 'quoted path'],
    ['/approve paths=a paths=b', 'twice'],
    ['/approve paths=/etc/**', 'inside the repository'],
    ['/approve paths=src/../../x', 'inside the repository'],
    ['/approve paths=a\u202eb', 'visible'],
  ])('E-10: replies to %s without a line that has made-up paths', (text, problem) => {
    const reply = parseComment(text);
    expect(reply).toMatchObject({ problem: expect.stringContaining(problem), isAboutPaths: true });
    expect(reply).not.toHaveProperty('suggestion');
  });
});
