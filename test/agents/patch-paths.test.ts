import { expect, test } from 'vitest';
import { pathFrom, pathsOfPatch, pathsOfShellPatch } from '../../src/agents/patch-paths.ts';
import { expectLinear } from '../expect-linear.ts';

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
  expectLinear(read, 20_000);
});

test('a path is seen from a directory in one spelling, and leaves no root', () => {
  expect(pathFrom(undefined, './a')).toBe('./a');
  expect(pathFrom('/w/', 'x/./y//z')).toBe('/w/x/y/z');
  expect(pathFrom('/w', '../../../etc/x')).toBe('/etc/x');
  expect(pathFrom('sub', '../../x')).toBe('../x');
});

test('a shell command costs no more than its length', () => {
  for (const piece of ['cd "', "apply_patch '", ' && ', '\\', 'apply_patch <<E\n*** Add File: ../'])
    expectLinear((many) => pathsOfShellPatch(`${piece.repeat(many)} && apply_patch`), 20_000);
});
