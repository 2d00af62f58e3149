import { expect, test } from 'vitest';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { renderStatus } from '../../../src/comments/github/render-status.ts';
import { renderPlain } from '../../../src/comments/terminal/render-plain.ts';
import { isolationWords } from '../../../src/comments/text/isolation.ts';
import { Claim } from '../../../src/core/contracts/envelope.ts';
import { Run } from '../../core/run-builder.ts';
import { run, TIME, WHERE } from '../story.ts';

test('S-4: status, receipt and terminal say the level, and plainly where "stopped" is not certain', () => {
  for (const level of [0, 1] as const) expect(isolationWords(level)).toContain('"stopped" is not certain');
  for (const level of [2, 3, 4] as const) expect(isolationWords(level)).not.toContain('certain');
  for (const level of [1, 4] as const) {
    const status = renderStatus(run({ isolation: level }), WHERE);
    expect(status).toContain(`isolation level ${level} of 4`);
    expect(status.includes('is not certain')).toBe(level === 1);
    expect(renderReceipt(run({ isolation: level }), WHERE)).toContain(`isolation level ${level} of 4`);
    const event = { type: 'job_started', at: TIME(1), job: 1, isolation: level } as const;
    expect(renderPlain(event, WHERE.limits)).toContain(`job 1 started, isolation level ${level} of 4`);
  }
  expect(renderStatus(run({}), WHERE)).not.toContain('isolation');
});

test('S-4: the level is what the current job claims; a job that claims nonsense starts all the same', () => {
  expect(new Run().startJob({ isolation: 2 }).state.isolation).toBe(2);
  expect(Claim.parse({ type: 'job_started', data: { isolation: 99 } }).data).toEqual({});
});
