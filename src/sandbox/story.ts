import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFlags } from './read-flags.ts';

const USAGE = `Usage: npm run story

Plays a task at the terminal, without GitHub: a scripted agent gets stuck twice and is answered.
  -- --help   this text
`;

/** `npm run story` plays one story in a real scratch repository that is deleted afterwards. */
const TASK = `# Sign receipts and let them expire

A receipt is signed with the shop's key and expires fourteen days after the order was paid.

## Acceptance criteria

- the signature is the one the till computes
- a receipt expires fourteen days after the payment, to the second

## Scope

- \`receipt.js\`
`;

const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
import { receipt } from './receipt.js';

const order = { id: 'A-17', paid: '2026-11-01T12:00:00.000Z' };

test('names the order', () => assert.equal(receipt(order, 'k').order, 'A-17'));
test('signs it', () => assert.equal(receipt(order, 'k').signature.length, 64));
test('expires after 14 days', () => assert.equal(receipt(order, 'k').expires, '2026-11-15T12:00:00.000Z'));
test('expires after 14 days in a leap year', () =>
  assert.equal(receipt({ ...order, paid: '2024-02-20T00:00:00.000Z' }, 'k').expires, '2024-03-05T00:00:00.000Z'));
`;

const ANSWERS = ['/provide signing_key=till-4711-test', '/continue new-approach'];

function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

async function playStory(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'autobuild-story-'));
  const shop = join(scratch, 'shop');
  mkdirSync(shop);
  writeFileSync(join(shop, 'TASK.md'), TASK);
  writeFileSync(join(shop, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(shop, 'receipt.test.js'), TESTS);
  writeFileSync(join(shop, 'receipt.js'), 'export function receipt() {\n  return {};\n}\n');
  try {
    print('A scripted agent builds a small task in a scratch repository. It will get stuck twice:');
    print('once for want of a key, once in a circle. Both answers are given for you.');
    print();
    const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));
    const agent = fileURLToPath(new URL('./scripted-agent.ts', import.meta.url));
    const argv = [cli, 'run', 'TASK.md', '--verify', `node --test`];
    for (const answer of ANSWERS) argv.push('--answer', answer);
    argv.push('--', process.execPath, agent);
    const child = spawn(process.execPath, argv, {
      cwd: shop,
      stdio: ['ignore', 'inherit', 'inherit'],
      // The hints are shown as those of a run that npm starts.
      env: { ...process.env, npm_lifecycle_event: 'autobuild', AUTOBUILD_HOME: join(scratch, 'home') },
    });
    const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
    print();
    print(
      code === 0
        ? 'That was the whole loop. To try it on a task of your own:'
        : `The story ended with exit code ${code}.`,
    );
    if (code === 0) print('  npm run -s autobuild -- run TASK.md --directory YOUR_REPOSITORY -- YOUR_AGENT');
    return code;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (readFlags(USAGE, [])) process.exitCode = await playStory();
