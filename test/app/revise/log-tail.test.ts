import { expect, test } from 'vitest';
import { errorIn, readLog } from '../../../src/app/revise/log-tail.ts';
import { expectLinear } from '../../expect-linear.ts';

const STAMP = '2026-11-16T09:00:00.1234567Z ';

test('V-7: the log ends with the failure, without times, folds and what cleans up after it', () => {
  const lines = [
    '##[group]Run npm test',
    '\u001b[31mError: no\u001b[0m',
    '##[error]exit code 1',
    'Cleaning up',
  ];
  expect(readLog(lines.map((line) => STAMP + line).join('\r\n'))).toBe('Error: no\nexit code 1');
});

test('V-7: at most 40 lines and 6,000 characters are kept', () => {
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
  expect(readLog(lines.join('\n')).split('\n')).toEqual(lines.slice(-40));
  expect(readLog('x'.repeat(50_000)).length).toBeLessThanOrEqual(6_000);
});

test('V-7: the same error is the same on another head, whatever its times and ids', () => {
  const first = errorIn('Error: job 8f14e45fceea167a5a36dedd4bea2543 took 12 ms');
  const second = errorIn('Error: job c9f0f895fb98ab9159f51fd0297e236d took 40 ms');
  expect(first.signature).toBe(second.signature);
  expect(errorIn('  ')).toEqual({ signature: '' });
});

test('V-7: a long log is read in a time that grows as it does', () => {
  expectLinear((size) => readLog(`${STAMP}##[error] a\n`.repeat(size)), 4_000);
});
