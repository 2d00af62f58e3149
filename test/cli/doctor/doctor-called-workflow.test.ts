import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examineWorkflow } from '../../../src/cli/doctor/doctor-workflow.ts';
import { readWorkflowFile } from '../../../src/cli/workflow-file.ts';

const FILE = readFileSync(join(import.meta.dirname, '../../golden/init/no-server/npm.yml'), 'utf8');

function examine(text: string) {
  const read = readWorkflowFile(text);
  if (!read.ok) throw new Error(read.problem);
  return examineWorkflow(read.workflow, '0.1.0');
}

test('N-1: doctor has nothing to say against the file that init writes without a server', () => {
  const found = examine(FILE);
  expect(found.map(({ status }) => status)).toEqual(found.map(() => 'ok'));
  expect(found.map(({ check }) => check)).toEqual(['events', 'inputs', 'permissions', 'action']);
});

test('N-1: a copy of Autobuild may have any name', () => {
  const renamed = FILE.replace('acme/autobuild/.github', 'acme/builder/.github');
  expect(examine(renamed).at(-1)).toMatchObject({
    check: 'action',
    status: 'ok',
    message: expect.stringContaining('acme/builder@'),
  });
  const other = renamed.replace('      model_key:', '      key:');
  expect(examine(other).map(({ check }) => check)).toContain('action');
  expect(examine(other)).not.toContainEqual(expect.objectContaining({ check: 'events' }));
});

test.each([
  ['an event', '  issue_comment:\n    types: [created, edited]\n', '', 'is not started by issue_comment'],
  ['the input of later rounds', '      operation:', '      other:', 'lacks the input operation'],
  ['a permission', '      checks: write\n', '', 'does not grant checks: write'],
  ['the key', '      model_key:', '      key:', 'passes no `model_key`'],
  ['the state key', '      state_key:', '      key:', 'an agent could read it'],
  ['the commit', /run\.yml@\w+/, 'run.yml@main', 'a branch, which may change under you'],
])('N-1: doctor misses %s', (_, from, to, told) => {
  const found = examine(FILE.replace(from, to)).filter(({ status }) => status !== 'ok');
  expect(found.map(({ message }) => message).join('\n')).toContain(told);
  expect(found).toHaveLength(1);
});
