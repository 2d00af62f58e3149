import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments } from '../scripts/read-arguments.mjs';
import { actionStart } from './action-start.ts';
import { answer } from './answer.ts';
import { answerHosted } from './answer-hosted.ts';
import { stopAgents } from './bench-agent.ts';
import { desks } from './desks.ts';
import { escalation } from './escalation.ts';
import { type Figure, holdsBar, type Measurement } from './figure.ts';
import { freeze } from './freeze.ts';
import { githubWrites } from './github-writes.ts';
import { growth } from './growth.ts';
import { interrupt } from './interrupt.ts';
import { keyProxy } from './key-proxy.ts';
import { linear } from './linear.ts';
import { memory } from './memory.ts';
import { noServerCalls, noServerStart } from './no-server.ts';
import { readText } from './read-text.ts';
import { reconcileFigure } from './reconcile.ts';
import { refState } from './ref-state.ts';
import { describeDetail, renderHeader, renderRow } from './render-table.ts';
import { runPage } from './run-page.ts';
import { stream } from './stream.ts';
import { viewers } from './viewers.ts';
import { webhooks } from './webhooks.ts';

/** Memory is first, because garbage that another figure leaves on the heap would hide growth. */
const FIGURES: readonly Figure[] = [
  memory,
  stream,
  freeze,
  escalation,
  answer,
  answerHosted,
  actionStart,
  interrupt,
  webhooks,
  growth,
  desks,
  githubWrites,
  linear,
  readText,
  keyProxy,
  reconcileFigure,
  runPage,
  viewers,
  refState,
  noServerCalls,
  noServerStart,
];
const FIGURE_DEADLINE_MS = 180_000;

const USAGE = `Usage: npm run bench [-- FIGURE …] [-- --json]

Measures all figures, or these: ${FIGURES.map(({ id }) => id).join(', ')}.
  -- --json   one JSON line for each figure
  -- --help   this text
`;

async function main(): Promise<number> {
  const { values, positionals } = readArguments(USAGE, { json: { type: 'boolean' } }, FIGURES.length);
  const unknown = positionals.filter((name) => !FIGURES.some(({ id }) => id === name));
  if (unknown.length > 0) {
    console.error(
      `There is no figure ${unknown.join(', ')}. There are: ${FIGURES.map(({ id }) => id).join(', ')}.`,
    );
    return 2;
  }
  const chosen = FIGURES.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
  if (!values.json) console.log(renderHeader());
  let allHold = true;
  for (const figure of chosen) {
    const measured = await measureInTime(figure);
    if (!measured) {
      console.error(`${figure.id} is not done after ${FIGURE_DEADLINE_MS / 1000} s: given up.`);
      return 1;
    }
    const { value, detail } = measured;
    const holds = holdsBar(figure, value);
    allHold &&= holds;
    const { id, title, bar, unit, better } = figure;
    if (values.json)
      console.log(JSON.stringify({ figure: id, title, value, unit, bar, better, holds, detail }));
    else console.log(`${renderRow(figure, value, holds)}\n${describeDetail(detail)}`);
  }
  return allHold ? 0 : 1;
}

/** A figure that throws misses its bar, and the others are still measured. */
async function measure(figure: Figure): Promise<Measurement> {
  try {
    return await figure.measure();
  } catch (error) {
    return { value: Number.NaN, detail: { failed: String(error) } };
  }
}

/** A figure that hangs ends the whole run, because its processes would disturb the others and outlive them. */
async function measureInTime(figure: Figure): Promise<Measurement | undefined> {
  const done = new AbortController();
  const late = sleep(FIGURE_DEADLINE_MS, undefined, { signal: done.signal }).catch(() => undefined);
  try {
    return await Promise.race([measure(figure), late]);
  } finally {
    done.abort();
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => void stopAgents().finally(() => process.exit(code)));
}
const code = await main();
await stopAgents();
// Exits without waiting, because a figure that timed out may still be running.
process.exit(code);
