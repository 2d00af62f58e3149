import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { askGate } from '../runner/gate/ask-gate.ts';

/**
 * Plays an agent that gets stuck in three ways that real agents do: it lacks a value, it wants a file outside its
 * scope, and it runs in circles. It remembers nothing between invocations, so every answer has to reach it through a
 * new job.
 */
const {
  AUTOBUILD_CONTEXT = '',
  AUTOBUILD_REPORT = '',
  AUTOBUILD_GATE = '',
  AUTOBUILD_INPUT_TILL = '',
} = process.env;
const context = JSON.parse(readFileSync(AUTOBUILD_CONTEXT, 'utf8')) as {
  turn: number;
  answers: string[];
  round?: object;
};
const print = (text: string) => process.stdout.write(`${text}\n`);

async function write(path: string, text: string): Promise<void> {
  const { decision, reason } = await askGate(AUTOBUILD_GATE, { path, tool: 'Write' });
  if (decision === 'deny') throw new Error(`${path} may not be written: ${reason}`);
  writeFileSync(path, text);
  print(JSON.stringify({ type: 'action', kind: 'edit', title: `write ${path}`, paths: [path], ok: true }));
}

function report(summary: string, status: 'partial' | 'implemented', remarks?: object[]): void {
  writeFileSync(AUTOBUILD_REPORT, JSON.stringify({ status, summary, remarks }));
}

const DAYS = `/** The day in so many days, as an ISO date. */
export function addDays(from, days) {
  return new Date(Date.parse(from) + days * 24 * 3600 * 1000).toISOString();
}
`;

/** Three wrong expressions for a receipt's expiry date. Each fails the same two tests with a different error. */
const WRONG = ['order.paidAt.plusDays(14)', 'addDays(order.date, 14)', 'addDays(order, 14).slice(0, 10)'];
const NAMED = '/** The law gives two weeks. */\nconst VALID_DAYS = 14;';
const RIGHT = 'addDays(order.paid, 14)';

function receipt(expiry: string): string {
  return `import { addDays } from './days.js';

export function receipt(order) {
  return {
    order: order.id,
    till: '${AUTOBUILD_INPUT_TILL}',
    get expires() {
      return ${expiry};
    },
  };
}
`;
}

async function takeTurn(): Promise<void> {
  if (context.round) {
    print('The reviewer wants the fourteen days to have a name.');
    const text = readFileSync('receipt.js', 'utf8');
    await write('receipt.js', text.replace('\n\n', `\n\n${NAMED}\n\n`).replace(', 14)', ', VALID_DAYS)'));
    const note = 'It is a constant now, with its reason.';
    return report('Name the fourteen days', 'implemented', [{ id: 'R1', result: 'fixed', note }]);
  }
  if (!AUTOBUILD_INPUT_TILL) {
    print('Reading the tests: a receipt names the till it comes from, and nothing here says which.');
    print(`<<<NEED_HELP>>>
what_i_tried: |
  1. Looked for the till's number in the repository: the tests only know its form.
what_i_need: |
  The number of the till in the shop. I cannot make one up.
inputs:
  - key: till
    label: Number of the till
<<<END_HELP>>>`);
    // The question freezes this process. If nobody answers soon, the job ends and the next one starts here again.
    await sleep(60_000);
  }
  if (!existsSync('days.js')) {
    print('Dates are counted in more than one place: that belongs into a file of its own.');
    await write('days.js', DAYS);
  }
  if (context.answers.some((answer) => answer.includes('different approach'))) {
    print('Another approach: the order itself says when it was paid, count from there.');
    await write('receipt.js', receipt(RIGHT));
    return report('Count the fourteen days from the payment', 'implemented');
  }
  print('Working on the expiry date.');
  await write('receipt.js', receipt(WRONG[context.turn - 1] ?? 'undefined'));
  report(`Set the expiry date, attempt ${context.turn}`, 'partial');
}

await takeTurn();
