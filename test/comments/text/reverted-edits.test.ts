import { expect, test } from 'vitest';
import { renderReceipt } from '../../../src/comments/github/render-receipt.ts';
import { revertedEdits } from '../../../src/comments/text/reverted-edits.ts';
import { run, turns, WHERE } from '../story.ts';

test('E-5: the receipt names what was put back and never approved', () => {
  const records = turns(2).map((record) => ({
    ...record,
    put_back: ['f4', 'ok.ts', '[id].ts', 'now-in.ts'],
  }));
  const done = run({
    status: 'reviewing',
    turns: records,
    escalations: [],
    approved_paths: ['ok.ts'],
    approved_names: ['[id].ts'],
    changes: { paths: ['now-in.ts'], added: 1, removed: 0 },
    finished: { at: '2026-11-16T15:00:00.000Z', partial: false, reason: 'done' },
  });
  expect(revertedEdits(done)).toEqual(['f4']);
  expect(renderReceipt(done, WHERE)).toContain('Reverted and never approved, so not included: `f4`.');
  expect(revertedEdits({ ...done, finished: undefined })).toEqual([]);
});
