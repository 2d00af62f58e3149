import { expect, test } from 'vitest';
import { directBox } from '../../../src/runner/box/direct-box.ts';
import { BoxRefusedError, chooseBox } from '../../../src/runner/box/open-box.ts';

const box = (level: 1 | 2) => () => ({ ...directBox(), level });
const none = () => ({ problem: 'no namespaces: unshare failed' });

test('S-4: the best box is taken, and the log says why it is not a better one', () => {
  expect(chooseBox([none, box(2), box(1)], 'required')).toMatchObject({ level: 2, why: [none().problem] });
  expect(chooseBox([none, box(1), directBox], 'best')).toMatchObject({ level: 1, why: [none().problem] });
});

test('S-4: where a box is required, nothing starts without, and the reason is said', () => {
  expect(() => chooseBox([none, box(1), directBox], 'required')).toThrow(BoxRefusedError);
  expect(() => chooseBox([none, box(1), directBox], 'required')).toThrow(
    /unshare failed.*isolation: required/,
  );
});
