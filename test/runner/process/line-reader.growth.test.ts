import { expect, test } from 'vitest';
import { createLineReader } from '../../../src/runner/process/line-reader.ts';
import { expectLinear } from '../../expect-linear.ts';

test('stays linear on a line in single bytes', () => {
  const one = Buffer.from('x');
  const readBytes = (size: number) => {
    let length = 0;
    const reader = createLineReader({
      onLine: (line) => (length += line.length),
      onOverlong: () => undefined,
    });
    for (let n = 0; n < size; n++) reader.push(one);
    reader.end();
    expect(length).toBe(size);
  };
  expectLinear(readBytes, 50_000);
});
