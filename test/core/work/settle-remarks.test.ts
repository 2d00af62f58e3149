import { expect, test } from 'vitest';
import type { RemarkAnswer } from '../../../src/core/contracts/agent/remark-answer.ts';
import type { Remark } from '../../../src/core/contracts/revision.ts';
import { settleRemarks } from '../../../src/core/work/settle-remarks.ts';

const remark = (id: string, path: string | undefined = 'src/login.ts'): Remark => ({
  ...{ id, author: 'hubert', path, text: 'A constant?' },
});
const answer = (id: string, result: RemarkAnswer['result'], note = ''): RemarkAnswer => ({
  id,
  result,
  note,
});

function settle(remarks: Remark[], answers: RemarkAnswer[], applied: string[] = []) {
  const changed = new Set(['src/login.ts']);
  return settleRemarks(remarks, answers, { changed, applied: new Set(applied) });
}

test('V-3: answers to remarks that do not exist are dropped, and the last of several counts', () => {
  const answers = [
    ...['R0', 'R9', 'r1', 'R01', '', 'T_1', '__proto__', 'constructor'].map((id) => answer(id, 'fixed')),
    answer('R1', 'declined', 'No'),
    answer('R1', 'question', 'Which?'),
  ];
  expect(settle([remark('R1'), remark('R2')], answers)).toEqual([
    { id: 'R1', result: 'question', note: 'Which?' },
    { id: 'R2', result: 'unanswered' },
  ]);
});

test('V-3: "fixed" counts only if the file of the remark has changed; words of a review are about no file', () => {
  const settled = settle(
    [remark('R1'), remark('R2', 'src/gone.ts'), { ...remark('R3'), path: undefined }],
    ['R1', 'R2', 'R3'].map((id) => answer(id, 'fixed')),
  );
  expect(settled.map(({ result }) => result)).toEqual(['fixed', 'unchanged', 'fixed']);
});

test('V-3: a suggestion that is in the file is applied, unless the agent says that it decided otherwise', () => {
  const remarks = [remark('R1'), remark('R2'), remark('R3')];
  const settled = settle(
    remarks,
    [answer('R2', 'fixed'), answer('R3', 'declined', 'Worse')],
    ['R1', 'R2', 'R3'],
  );
  expect(settled.map(({ result }) => result)).toEqual(['applied', 'applied', 'declined']);
});
