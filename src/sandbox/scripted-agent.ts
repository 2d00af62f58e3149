import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Plays an agent that gets stuck in the ways real ones do: it lacks a key, then runs in a circle, then takes a hint.
 * Everything it does goes through the same door as any other agent: stdin, stdout, and the files in its environment.
 */
const {
  AUTOBUILD_CONTEXT = '',
  AUTOBUILD_INPUTS = '',
  AUTOBUILD_REPORT = '',
  STORY_PACE = '1',
} = process.env;
const pause = (seconds: number) => sleep(seconds * 1_000 * Number(STORY_PACE));
const context = JSON.parse(readFileSync(AUTOBUILD_CONTEXT, 'utf8')) as { turn: number; answers: string[] };
const say = (text: string) => process.stdout.write(`${text}\n`);
const tell = (event: object) => say(JSON.stringify(event));

function write(path: string, text: string): void {
  writeFileSync(path, text);
  tell({ type: 'action', kind: 'edit', title: `edit ${path}`, paths: [path], ok: true });
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

/** Three wrong ways to say when a receipt expires: each fails the same two tests, each with another error. */
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
    say('Reading the tests: receipts are signed with a key I do not have.');
    await pause(0.6);
    say(`<<<NEED_HELP>>>
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
    say('The key is here, signing receipts with it.');
  }
  if (context.answers.some((answer) => answer.includes('different approach'))) {
    say('Another approach: the order itself says when it was paid, count from there.');
    await pause(0.6);
    write('receipt.js', receipt('new Date(Date.parse(order.paid) + 14 * 24 * 3600 * 1000).toISOString()'));
    return report('Count the fourteen days from the payment', 'implemented');
  }
  say('Working on the expiry date.');
  await pause(0.6);
  write('receipt.js', receipt(WRONG[context.turn - 1] ?? 'new Date(1)'));
  report(`Set the expiry date, attempt ${context.turn}`, 'partial');
}

await takeTurn();
