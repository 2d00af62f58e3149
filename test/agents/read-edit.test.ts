import { expect, test } from 'vitest';
import { readEdit } from '../../src/agents/read-edit.ts';

test.each([
  [{ content: 'x' }, { content: 'x' }],
  [{ file_text: 'x' }, { content: 'x' }],
  [{ old_string: 'a', new_string: 'b' }, { replace: [{ old: 'a', new: 'b' }] }],
  [{ old_str: 'a', new_str: '' }, { replace: [{ old: 'a', new: '' }] }],
  [{ oldString: 'a', newString: 'b', replaceAll: true }, { replace: [{ old: 'a', new: 'b', all: true }] }],
  [{ edits: [{ old_string: 'a', new_string: 'b' }] }, { replace: [{ old: 'a', new: 'b' }] }],
  [{ edits: [{ old_string: 'a', new_string: 'b' }, { insert: 'c' }] }, undefined],
  [{ new_source: 'x' }, undefined],
])('S-7: what a tool with the arguments %j will write', (args, edit) => {
  expect(readEdit(args)).toEqual(edit);
});
