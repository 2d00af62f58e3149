import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Plays an agent that gets stuck as real agents do: it lacks a key, then runs in circles, then follows a hint. It uses
 * the same interface as any other agent: stdin, stdout, and the files in its environment.
 */
const {
  AUTOBUILD_CONTEXT = '',
  AUTOBUILD_INPUTS = '',
  AUTOBUILD_REPORT = '',
  STORY_PACE = '1',
} = process.env;
const pause = (seconds: number) => sleep(seconds * 1_000 * Number(STORY_PACE));
const context = JSON.parse(readFileSync(AUTOBUILD_CONTEXT, 'utf8')) as { turn: number; answers: string[] };
const print = (text: string) => process.stdout.write(`${text}\n`);
const printEvent = (event: object) => print(JSON.stringify(event));

function write(path: string, text: string): void {
  writeFileSync(path, text);
  printEvent({ type: 'action', kind: 'edit', title: `edit ${path}`, paths: [path], ok: true });
}

function report(summary: string, status: 'partial' | 'implemented'): void {
  writeFileSync(AUTOBUILD_REPORT, JSON.stringify({ status, summary }));
}

async function waitForKey(): Promise<string> {
  for (;;) {
    const given = existsSync(AUTOBUILD_INPUTS) ? JSON.parse(readFileSync(AUTOBUILD_INPUTS, 'utf8')) : {};
    if (given.inputs?.signing_key) return given.inputs.signing_key as string;
    await sleep(50);
  }
}

const SIGN =
  "import { createHmac } from 'node:crypto';\n\nexport function sign(text, key) {\n  return createHmac('sha256', key).update(text).digest('hex');\n}\n";

/** Three wrong expressions for a receipt's expiry date. Each fails the same two tests with a different error. */
const WRONG = ['order.paidAt.plusDays(14)', 'new Date(order.date).toISOString()', 'addDays(order.paid, 14)'];

function receipt(expiry: string): string {
  return `${SIGN}
export function receipt(order, key) {
  return {
    order: order.id,
    signature: sign(order.id, key),
    get expires() {
      return ${expiry};
    },
  };
}
`;
}

async function takeTurn(): Promise<void> {
  if (context.turn === 1) {
    print('Reading the tests: receipts are signed with a key I do not have.');
    await pause(0.6);
    print(`<<<NEED_HELP>>>
what_i_tried: |
  1. Looked for a key in the repository and its settings: there is none.
  2. Signed with an empty key: the tests refuse it.
what_i_need: |
  The signing key of the test shop. I cannot make one up: the receipts
  have to be readable by the till.
inputs:
  - key: signing_key
    label: Signing key of the test shop
    secret: true
<<<END_HELP>>>`);
    await waitForKey();
    print('The key is here, signing receipts with it.');
  }
  if (context.answers.some((answer) => answer.includes('different approach'))) {
    print('Another approach: the order itself says when it was paid, count from there.');
    await pause(0.6);
    write('receipt.js', receipt('new Date(Date.parse(order.paid) + 14 * 24 * 3600 * 1000).toISOString()'));
    return report('Count the fourteen days from the payment', 'implemented');
  }
  print('Working on the expiry date.');
  await pause(0.6);
  write('receipt.js', receipt(WRONG[context.turn - 1] ?? 'new Date(1)'));
  report(`Set the expiry date, attempt ${context.turn}`, 'partial');
}

await takeTurn();
