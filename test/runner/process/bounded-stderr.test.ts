import { expect, it } from 'vitest';
import { createBoundedStderr } from '../../../src/runner/process/bounded-stderr.ts';

function tap(text: string, chunkBytes: number): string {
  const seen: string[] = [];
  const stderr = createBoundedStderr((piece) => seen.push(piece), { headBytes: 10, tailBytes: 8 });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) stderr.push(bytes.subarray(at, at + chunkBytes));
  stderr.end();
  return seen.join('');
}

it.each([1, 3, 100])('passes the head on, then the end of what came after (chunks of %i bytes)', (size) => {
  expect(tap('short', size)).toBe('short');
  expect(tap('0123456789tail', size)).toBe('0123456789tail');
  const long = tap(`0123456789${'x'.repeat(50)}the end.`, size);
  expect(long).toMatch(/^0123456789\n\[(\d+) bytes of stderr left out\]\nx*the end\.$/);
  const omitted = Number(/\[(\d+)/.exec(long)?.[1]);
  expect(omitted + (long.match(/x/g)?.length ?? 0)).toBe(50);
});
