import { expect, test } from 'vitest';
import { chooseAction } from '../../../src/cli/init/choose-action.ts';

test('the action that was named comes before the one of the release; with neither it asks', () => {
  expect(chooseAction('acme/autobuild@v1', 'olivia/autobuild@c0ffee')).toBe('acme/autobuild@v1');
  expect(chooseAction(undefined, 'olivia/autobuild@c0ffee')).toBe('olivia/autobuild@c0ffee');
  // A clone was built by no release.
  expect(() => chooseAction(undefined)).toThrow('Which copy of the action');
});

test.each([
  ['YOUR_ORGANISATION/autobuild@COMMIT', 'is the example'],
  [`YOUR_ORGANISATION/autobuild@${'a'.repeat(40)}`, 'is the example'],
  ['OWNER/REPO@v1.2.3', 'is the example'],
  ['acme/autobuild@COMMIT', 'is the example'],
  ['acme/autobuild@c0ffee1', 'has 7 digits of a commit, and GitHub wants all 40'],
  [`acme/autobuild@${'C'.repeat(39)}`, 'has 39 digits of a commit, and GitHub wants all 40'],
])('N-1: %s can be no action, and what to write instead is said', (given, problem) => {
  expect(() => chooseAction(given)).toThrow(`--action ${given} ${problem}`);
  expect(() => chooseAction(given)).toThrow('OWNER/REPO@COMMIT');
});

test('N-1: a whole commit, a tag and a branch are accepted', () => {
  for (const version of ['c0ffee12'.repeat(5), 'v1', '2024', 'main'])
    expect(chooseAction(`acme/autobuild@${version}`)).toBe(`acme/autobuild@${version}`);
});
