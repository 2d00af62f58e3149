import { describe, expect, test } from 'vitest';
import { createBoundedOutput } from '../../../src/runner/output/bounded-output.ts';

describe('createBoundedOutput', () => {
  test('a short output is kept whole, also a character split over chunks', () => {
    const output = createBoundedOutput(4, 100);
    for (const byte of Buffer.from('häuser ✓')) output.push(Buffer.from([byte]));
    expect(output.text()).toBe('häuser ✓');
  });

  test('of a long one the beginning and the end', () => {
    const output = createBoundedOutput(3, 4);
    for (const chunk of ['ab', 'cdefg', 'h', 'ijklmnop']) output.push(Buffer.from(chunk));
    expect(output.text()).toBe('abc\n… 9 bytes left out …\nmnop');
  });

  test('whatever the chunks, no byte is counted twice', () => {
    const text = 'x'.repeat(50);
    for (const size of [1, 2, 3, 7, 20, 50]) {
      const output = createBoundedOutput(10, 10);
      for (let at = 0; at < text.length; at += size) output.push(Buffer.from(text.slice(at, at + size)));
      expect(output.text()).toBe(`${'x'.repeat(10)}\n… 30 bytes left out …\n${'x'.repeat(10)}`);
    }
  });
});
