import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CONFIG_PATH, WORKFLOW_PATH } from '../core/config-path.ts';

const AGENT = fileURLToPath(new URL('./playground-agent.ts', import.meta.url));
const WORKFLOW = fileURLToPath(new URL('../../templates/workflow.yml', import.meta.url));

/** Three ways in which agents get stuck, each as an issue to label. The first word of a title tells the agent its part. */
export const PLAYGROUND_ISSUES = [
  {
    title: 'Sign receipts with the key of the till',
    body: `Each receipt has a signature made with the till's key, so that nobody can forge one.

## Acceptance criteria

- \`receipt(order, key).signature\` is the SHA-256 HMAC of the order's id

## Scope

- \`receipt.js\`
- \`test/**\`
`,
  },
  {
    title: 'Expire receipts fourteen days after the payment',
    body: `A receipt says until when it can be exchanged: fourteen days after the order was paid, to the second.

## Acceptance criteria

- \`expires(order)\` is an ISO date fourteen days after \`order.paid\`, also in a leap year

## Scope

- \`expires.js\`
- \`test/**\`
`,
  },
  {
    title: 'Translate the shop into four languages',
    body: `Customers read the shop in English, German, French and Italian.

## Acceptance criteria

- \`words(language).hello\` greets in that language

## Scope

- \`words.js\`
- \`words/**\`
`,
  },
];

const FILES = {
  'package.json': '{ "name": "shop", "type": "module", "private": true }\n',
  'README.md': '# Shop\n\nA small shop. `node --test` runs its tests.\n',
  'receipt.js': 'export function receipt(order) {\n  return { order: order.id };\n}\n',
  'expires.js': 'export function expires() {\n  return undefined;\n}\n',
  'words.js': 'export function words() {\n  return {};\n}\n',
  'test/receipt.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { receipt } from '../receipt.js';

test('a receipt names its order', () => assert.equal(receipt({ id: 'A-17' }).order, 'A-17'));
`,
};

/** The repository of the sandbox, with the files that \`autobuild init\` writes. */
export function playgroundFiles(node: string, agent?: string): Record<string, string> {
  const scripted = `agent: scripted
agents:
  scripted:
    command: ${JSON.stringify([node, AGENT])}
`;
  return {
    ...FILES,
    [WORKFLOW_PATH]: readFileSync(WORKFLOW, 'utf8'),
    [CONFIG_PATH]: `${agent ? `agent: ${agent}\n` : scripted}verify:
  - node --test
guards:
  files_modified_exceeds: 3
limits:
  # A question ends its job at once, and the answer starts a new one: waiting costs no runner minute.
  hold_minutes: 0
`,
  };
}
