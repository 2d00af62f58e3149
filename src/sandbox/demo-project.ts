import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CONFIG_PATH, WORKFLOW_PATH } from '../core/config-path.ts';

const AGENT = fileURLToPath(new URL('./demo-agent.ts', import.meta.url));
const TEMPLATES = new URL('../../templates/', import.meta.url);
/** The secrets of the demonstration without a server. The scripted agent asks no model. */
export const DEMO_SECRETS = {
  MODEL_API_KEY: 'no model is asked',
  AUTOBUILD_KEY: 'the key of a demonstration'.repeat(2),
};

export const DEMO_ISSUE = {
  title: 'Receipts name their till and expire',
  body: `A receipt names the till it comes from, and expires fourteen days after the order was paid.

## Acceptance criteria

- the till is the one in the shop
- a receipt expires fourteen days after the payment, to the second

## Scope

- \`receipt.js\`
`,
};

const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
import { receipt } from './receipt.js';

const order = { id: 'A-17', paid: '2026-11-01T12:00:00.000Z' };

test('names the order', () => assert.equal(receipt(order).order, 'A-17'));
test('names the till', () => assert.match(receipt(order).till, /^T-\\d{4}$/));
test('expires after 14 days', () => assert.equal(receipt(order).expires, '2026-11-15T12:00:00.000Z'));
test('expires after 14 days in a leap year', () =>
  assert.equal(receipt({ ...order, paid: '2024-02-20T00:00:00.000Z' }).expires, '2024-03-05T00:00:00.000Z'));
`;

/** A small shop with failing tests, and the files that `autobuild init` would have written. */
export function demoFiles(node: string, desk: 'App' | 'Actions' = 'App'): Record<string, string> {
  return {
    'package.json': '{ "name": "shop", "type": "module", "private": true }\n',
    'receipt.js': 'export function receipt() {\n  return {};\n}\n',
    'receipt.test.js': TESTS,
    [WORKFLOW_PATH]: workflowOf(desk),
    [CONFIG_PATH]: `agent: scripted
agents:
  scripted:
    command: ${JSON.stringify([node, AGENT])}
verify:
  - node --test
limits:
  # Nobody is held for: each question ends its job, each answer starts a new one.
  hold_minutes: 0
`,
  };
}

function workflowOf(desk: 'App' | 'Actions'): string {
  const read = (name: string) => readFileSync(fileURLToPath(new URL(name, TEMPLATES)), 'utf8');
  if (desk === 'App') return read('workflow.yml');
  return read('no-server.yml')
    .replace('# <inputs>', 'agent: scripted')
    .replace('# <key>', `model_key: \${{ secrets.MODEL_API_KEY }}`);
}
