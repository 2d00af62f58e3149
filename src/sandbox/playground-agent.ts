import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askGate } from '../runner/gate/ask-gate.ts';

/** Plays an agent that gets stuck in the way its task is about: a missing key, a loop, or too many files. */
const {
  AUTOBUILD_CONTEXT = '',
  AUTOBUILD_REPORT = '',
  AUTOBUILD_GATE = '',
  AUTOBUILD_INPUT_TILL_KEY = '',
} = process.env;
const context = JSON.parse(readFileSync(AUTOBUILD_CONTEXT, 'utf8')) as {
  turn: number;
  answers: string[];
  round: { remarks: { id: string; path?: string; text: string }[] } | null;
};
const prompt = readFileSync(0, 'utf8');
const print = (text: string) => process.stdout.write(`${text}\n`);

async function write(path: string, text: string): Promise<void> {
  const { decision, reason } = await askGate(AUTOBUILD_GATE, {
    path,
    tool: 'Write',
    edit: { content: text },
  });
  if (decision === 'deny') throw new Error(`${path} may not be written: ${reason}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  print(JSON.stringify({ type: 'action', kind: 'edit', title: `write ${path}`, paths: [path], ok: true }));
}

function report(summary: string, status: 'partial' | 'implemented', remarks?: object[]): void {
  writeFileSync(AUTOBUILD_REPORT, JSON.stringify({ status, summary, remarks }));
}

/** The file that each task is about. */
const FILES = ['receipt.js', 'expires.js', 'words.js'];

/** A script cannot do what any reviewer may ask for, so it writes the request into the file and says so. */
async function noteRemarks(remarks: { id: string; path?: string; text: string }[]): Promise<void> {
  const own = FILES.find((file) => existsSync(file)) ?? 'receipt.js';
  const asked = remarks.length > 0 ? remarks : [{ id: '', text: context.answers.at(-1) ?? 'another round' }];
  for (const { path, text } of asked) {
    const file = path !== undefined && existsSync(path) ? path : own;
    const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
    await write(
      file,
      `// Asked for in a review: ${line}\n${existsSync(file) ? readFileSync(file, 'utf8') : ''}`,
    );
  }
  const note = 'This agent is a script: it wrote the request into the file.';
  report(
    'Note what the review asks for',
    'implemented',
    remarks.map(({ id }) => ({ id, result: 'fixed', note })),
  );
}

async function signReceipts(): Promise<void> {
  if (!AUTOBUILD_INPUT_TILL_KEY) {
    print('A signature needs the key of the till, and it is nowhere in the repository.');
    print(`<<<NEED_HELP>>>
what_i_tried: |
  1. Looked for a key in the repository and its README: there is none.
  2. Looked for a test key that the till accepts: it accepts its own only.
what_i_need: |
  The key of the till. I cannot make one up.
inputs:
  - key: till_key
    label: Key of the till
    secret: true
<<<END_HELP>>>`);
    // The question freezes this process. If nobody answers soon, the job ends and the next one starts here again.
    await sleep(120_000);
  }
  await write(
    'receipt.js',
    `import { createHmac } from 'node:crypto';

export function receipt(order, key = process.env.TILL_KEY ?? '') {
  return { order: order.id, signature: createHmac('sha256', key).update(order.id).digest('hex') };
}
`,
  );
  await write(
    'test/receipt.test.js',
    `import assert from 'node:assert/strict';
import test from 'node:test';
import { receipt } from '../receipt.js';

test('a receipt names its order', () => assert.equal(receipt({ id: 'A-17' }, 'k').order, 'A-17'));
test('a receipt is signed', () => assert.match(receipt({ id: 'A-17' }, 'k').signature, /^[0-9a-f]{64}$/));
`,
  );
  report('Sign each receipt with the key of the till', 'implemented');
}

const EXPIRES_TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { expires } from '../expires.js';

test('expires after 14 days', () => assert.equal(expires({ paid: '2026-11-01T12:00:00.000Z' }), '2026-11-15T12:00:00.000Z'));
test('expires after 14 days in a leap year', () =>
  assert.equal(expires({ paid: '2024-02-20T00:00:00.000Z' }), '2024-03-05T00:00:00.000Z'));
`;
/** Wrong in three ways that fail the same tests. */
const WRONG = ['order.paid + 14', 'new Date(order.paidAt).toISOString()', 'order.paid.slice(0, 10)'];
const RIGHT = 'new Date(Date.parse(order.paid) + 14 * 24 * 3600 * 1000).toISOString()';

async function expireReceipts(): Promise<void> {
  const isTold = context.answers.some((answer) => /different approach|guid/i.test(answer));
  if (!existsSync('test/expires.test.js')) await write('test/expires.test.js', EXPIRES_TEST);
  const expression = isTold ? RIGHT : (WRONG[(context.turn - 1) % WRONG.length] ?? '');
  print(isTold ? 'Another approach: count milliseconds from the payment.' : 'Working on the date.');
  await write('expires.js', `export function expires(order) {\n  return ${expression};\n}\n`);
  report(
    isTold ? 'Count the fourteen days from the payment' : `Set the date, attempt ${context.turn}`,
    isTold ? 'implemented' : 'partial',
  );
}

const HELLO = { en: 'Hello', de: 'Guten Tag', fr: 'Bonjour', it: 'Buongiorno' };

async function translateShop(): Promise<void> {
  for (const [language, hello] of Object.entries(HELLO)) {
    print(`Translating into ${language}.`);
    await write(`words/${language}.js`, `export default { hello: '${hello}' };\n`);
  }
  const names = Object.keys(HELLO);
  await write(
    'words.js',
    `${names.map((name) => `import ${name} from './words/${name}.js';`).join('\n')}

const all = { ${names.join(', ')} };

export function words(language) {
  return all[language];
}
`,
  );
  report('Translate the shop into four languages', 'implemented');
}

if (context.round) await noteRemarks(context.round.remarks);
else if (/Expire receipts/.test(prompt)) await expireReceipts();
else if (/Translate the shop/.test(prompt)) await translateShop();
else await signReceipts();
