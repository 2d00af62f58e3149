import { expect, test } from 'vitest';
import { decodedPath, worktreeProblem } from '../../src/agents/decoded-path.ts';
import { gemini } from '../../src/agents/gemini.ts';

test.each([
  ['/w/sub/%2e%2e/up.txt', '/w/sub/../up.txt'],
  ['/w/a%20b.txt', '/w/a b.txt'],
  ['/w/.github%2Fworkflows/x.yml', '/w/.github/workflows/x.yml'],
  ['/w/100%.txt', '/w/100%.txt'],
  ['/w/%252e%252e/x', undefined],
  ['file:///etc/passwd', undefined],
])('S-7: %s is written at %s', (given, path) => {
  expect(decodedPath(given)).toBe(path);
  const input = { tool_name: 'write_file', tool_input: { file_path: given, content: 'x' } };
  const ask = gemini.hook?.readAsk(input);
  if (path === undefined) expect(ask).toEqual(expect.any(String));
  else expect(ask).toMatchObject({ path });
  const line = JSON.stringify({
    type: 'tool_use',
    tool_id: '1',
    tool_name: 'write_file',
    parameters: { file_path: given },
  });
  expect(gemini.createReader().read(line)).toMatchObject([{ paths: [path ?? given] }]);
});

test('S-7: an agent that decodes paths starts in no worktree whose name would be decoded', () => {
  expect(worktreeProblem(gemini, '/home/me/my%20app')).toContain('my%20app');
  expect(worktreeProblem(gemini, '/home/me/100%')).toBeUndefined();
  expect(worktreeProblem({ name: 'codex' }, '/home/me/my%20app')).toBeUndefined();
});
