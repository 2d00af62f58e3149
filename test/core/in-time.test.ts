import { expect, test } from 'vitest';
import { inTime } from '../../src/core/in-time.ts';

const never = new Promise<string>(() => undefined);

test('a value in time is the answer, and its failure too; the limit does not matter afterwards', async () => {
  const limit = new AbortController();
  expect(await inTime(Promise.resolve('kept'), limit.signal, () => 'late')).toBe('kept');
  await expect(inTime(Promise.reject(new Error('broken')), limit.signal, () => 'late')).rejects.toThrow(
    'broken',
  );
  limit.abort();
});

test('when the limit is reached first, `late` gives the answer or fails', async () => {
  const limit = new AbortController();
  const [answered, failed] = [
    inTime(never, limit.signal, () => 'late'),
    inTime(never, limit.signal, () => {
      throw new Error('too late');
    }),
  ];
  limit.abort();
  expect(await answered).toBe('late');
  await expect(failed).rejects.toThrow('too late');
  expect(await inTime(never, limit.signal, () => 'late already')).toBe('late already');
});
