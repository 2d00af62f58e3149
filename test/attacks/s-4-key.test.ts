import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createScratch, ofType } from '../e2e/cli-run.ts';

const KEY = 'canary-key-of-the-model-0123456789';

/** A `claude` that looks for its key wherever it can, and tries what a dummy key opens. */
const thief = (home: string) => `#!${process.execPath}
import { execSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, HOME } = process.env;
const shell = (line) => execSync(line + ' 2>/dev/null || true', { encoding: 'latin1', maxBuffer: 1 << 28 });
const ask = (path, key) => fetch(url + path, { method: 'POST', headers: { 'x-api-key': key }, body: '{}' }).then(
  async (answer) => answer.status + ' ' + await answer.text());
if (process.argv[2] === '--version') {
  writeFileSync('version.txt', shell('env'));
  process.exit(0);
}
writeFileSync('found.json', JSON.stringify({
  environments: shell('cat /proc/*/environ /proc/*/cmdline | tr "\\\\0" "\\\\n"; env'),
  runs: shell('cat ${home}/runs/*/* ${home}/runs/*/*/*; ls ${home}/runs'),
  files: shell('grep -rl canary "' + HOME + '" .'),
  model: await ask('/v1/messages', key),
  wrong: await ask('/v1/messages', 'wrong'),
  elsewhere: await ask('/v1/organizations/api_keys', key),
}));
writeFileSync(process.env.AUTOBUILD_REPORT, JSON.stringify({ status: 'implemented', summary: 'found it' }));
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' }));
process.exit(0);
`;

test('S-4: an agent that looks for its key finds a dummy, which opens the model in this turn and nothing else', async () => {
  const keys: unknown[] = [];
  const model = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    response.end('from the model');
  });
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  onTestFinished(() => void model.close());
  const scratch = createScratch();
  const bin = join(scratch.root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'package.json'), '{"type":"module"}');
  writeFileSync(join(bin, 'claude'), thief(scratch.home));
  chmodSync(join(bin, 'claude'), 0o755);
  const result = await scratch.run(
    ['run', 'TASK.md', '--json', '--agent', 'claude', '--verify', 'test -f found.json'],
    {
      PATH: `${bin}:${process.env.PATH}`,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}`,
    },
  );
  const found = JSON.parse(scratch.read('found.json')) as Record<string, string>;
  expect(found.model, result.stderr).toBe('200 from the model');
  expect(found.wrong).toMatch(/^401 /);
  expect(found.elsewhere).toMatch(/^403 /);
  expect(found.environments).toContain('ANTHROPIC_API_KEY=autobuild-');
  expect(found.environments).not.toContain(KEY);
  expect(found.files).toBe('');
  // At level 2, the directory of the run with its journal and values is not there for it, nor those of other runs.
  const [job] = ofType(result.events, 'job_started');
  if ((job?.isolation ?? 0) >= 2) expect(found.runs).not.toContain('run_requested');
  expect(keys).toEqual([KEY]);
  expect(scratch.exists('version.txt')).toBe(true);
  // Neither what it was asked before the run nor what it left has the key.
  expect(scratch.filesWith(KEY)).toEqual([]);
  expect(ofType(result.events, 'turn_started')[0]).toMatchObject({ keys: 'held' });
});
