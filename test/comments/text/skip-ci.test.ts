import { expect, test } from 'vitest';
import { SKIP_CI, skipsCi, withoutSkipCi } from '../../../src/comments/text/skip-ci.ts';

test.each([SKIP_CI, '[ci skip]', '[no ci]', '[skip actions]', '[Actions Skip]'])(
  '%s skips CI wherever it is in a message, and not once it is taken apart',
  (words) => {
    const message = `Add a page\n\nAs \`${words}\` said.`;
    expect(skipsCi(message)).toBe(true);
    expect(skipsCi(withoutSkipCi(message))).toBe(false);
    expect(withoutSkipCi(message).replaceAll('\u2060', '')).toBe(message);
  },
);

test('the trailer skips CI at the end of a message only', () => {
  expect(skipsCi('Add a page\n\n\nskip-checks: true\n')).toBe(true);
  expect(skipsCi('Explain skip-checks: true to readers')).toBe(false);
});
