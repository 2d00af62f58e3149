import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const AGENT = join(import.meta.dirname, '../../src/sandbox/playground-agent.ts');
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-agent-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('V-3: the agent of the sandbox changes the file of each remark, and answers all of them', async () => {
  const at = (name: string) => join(directory, name);
  writeFileSync(at('words.js'), 'export const words = {};\n');
  writeFileSync(at('other.js'), 'export const other = 1;\n');
  const remarks = [
    { id: 'R1', path: 'other.js', text: 'A name\nfor this?' },
    { id: 'R2', text: 'Shorter, please' },
  ];
  writeFileSync(at('context.json'), JSON.stringify({ turn: 1, answers: [], round: { remarks } }));
  const env = {
    PATH: process.env.PATH,
    AUTOBUILD_CONTEXT: at('context.json'),
    AUTOBUILD_REPORT: at('report.json'),
    AUTOBUILD_GATE: at('gate'),
  };
  const gate = createServer((socket) =>
    socket.once('data', () => socket.end('{"decision":"allow","reason":"yes"}\n')),
  );
  await new Promise<void>((resolve) => gate.listen(at('gate'), resolve));
  const ended = promisify(execFile)(process.execPath, [AGENT], { cwd: directory, env });
  ended.child.stdin?.end();
  expect((await ended).stderr).toBe('');
  gate.close();
  const read = (name: string) => readFileSync(at(name), 'utf8');
  expect(read('other.js')).toBe('// Asked for in a review: A name for this?\nexport const other = 1;\n');
  expect(read('words.js')).toBe('// Asked for in a review: Shorter, please\nexport const words = {};\n');
  const { remarks: answers } = JSON.parse(read('report.json')) as { remarks: object[] };
  expect(answers).toMatchObject([
    { id: 'R1', result: 'fixed' },
    { id: 'R2', result: 'fixed' },
  ]);
});
