import { expect, test } from 'vitest';
import { pathsOfPatch } from '../../src/agents/patch-paths.ts';
import { growth } from '../growth.ts';

test('every file of a patch is named once, indented or not, without the blanks around it', () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: a b.txt \t\r',
    '+*** Add File: content.txt',
    '  *** Update File: src/c.ts',
    '*** Move to:d.ts',
    '*** Delete File: a b.txt',
    '*** Add File:   ',
    '*** End Patch',
  ].join('\n');
  expect(pathsOfPatch(patch)).toEqual(['a b.txt', 'src/c.ts', 'd.ts']);
});

test('blanks within a path cost no more than their number', () => {
  const read = (blanks: number) => {
    const path = `x${' '.repeat(blanks)}y`;
    expect(pathsOfPatch(`*** Add File: ${path}`)).toEqual([path]);
  };
  expect(growth(read, 20_000)).toBeLessThan(8);
});
