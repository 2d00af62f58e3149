import { expect, test } from 'vitest';
import { chooseAction } from '../../../src/cli/init/choose-action.ts';

test('the action that was named comes before the one of the release; with neither it asks', () => {
  expect(chooseAction('acme/autobuild@v1', 'olivia/autobuild@c0ffee')).toBe('acme/autobuild@v1');
  expect(chooseAction(undefined, 'olivia/autobuild@c0ffee')).toBe('olivia/autobuild@c0ffee');
  // A clone was built by no release.
  expect(() => chooseAction(undefined)).toThrow('Which copy of the action');
});
