import { expect, test } from 'vitest';
import { checkChangesetPaths } from '../../src/core/work/changeset-path.ts';

const problemsOf = (path: string, status: 'added' | 'modified' | 'deleted' = 'added') =>
  checkChangesetPaths([{ path, status }]).map(({ problem }) => problem);

test.each([
  'C:/x',
  'c:x',
  'a/b:stream',
  'con',
  'src/CON',
  'aux.ts',
  'nul .txt',
  'lib/COM1.log.gz',
  'lpt\u00b2',
  'conin$',
  'src/a.',
  'src/a ',
  'dir. /a',
])('S-12: %j, which is another file on Windows, is refused, and may be removed', (path) => {
  expect(problemsOf(path)).toEqual([expect.stringContaining('Windows')]);
  expect(problemsOf(path, 'modified')).toHaveLength(1);
  expect(problemsOf(path, 'deleted')).toEqual([]);
});

test.each(['console.ts', 'com10', 'com', 'auxiliary/a', '.env', 'a..b', 'a b', 'lpt/x', '...slug/[id].tsx'])(
  'S-12: %j is an ordinary name',
  (path) => {
    expect(problemsOf(path)).toEqual([]);
  },
);
