import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Input } from '../../src/core/contracts/input.ts';
import type { Orders } from '../../src/core/contracts/orders.ts';
import { createDesk, type Desk } from '../../src/core/decide/desk.ts';
import type { Link } from '../../src/core/ports/ports.ts';
import { RULES } from '../../src/guards/rules.ts';
import { createInProcessLink } from '../../src/link/in-process.ts';
import { openFileStore } from '../../src/store/file.ts';
import { openFileVault } from '../../src/store/file-vault.ts';
import { type Run, startRun } from '../core/run-builder.ts';

let directory: string;
let store: ReturnType<typeof openFileStore>;
let desk: Desk;
let link: Link;
let run: Run;

const guide: Input = {
  type: 'command',
  at: '2026-11-16T10:00:00.000Z',
  command: { name: 'guide', text: 'x' },
  by: 'rosa',
  via: 'terminal',
};

/** A run that waits for an answer, behind a real desk with a real journal. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-link-'));
  await openRun(directory);
});

afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

async function openRun(place: string): Promise<void> {
  store = openFileStore(place);
  const vault = openFileVault(place);
  desk = createDesk({
    store,
    rules: RULES,
    onEvents: () => created.changed(),
    perform: async () => undefined,
  });
  const created = createInProcessLink(desk, 'r1', vault);
  link = created;
  run = startRun().beginTurn().askForHelp();
  for (const { input } of run.commits) await desk.handleOnce('r1', input);
}

function withDeadline(waiting: Promise<Orders>): Promise<Orders | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), 60_000);
  });
  return Promise.race([waiting, late]).finally(() => clearTimeout(timer));
}

test('a report is decided at once and gives the orders that follow', async () => {
  const orders = await link.report(run.envelope('agent_frozen', { escalation: 'e1', processes: 1, ms: 2 }));
  expect(orders).toEqual({ do: 'wait', escalation: 'e1' });
  expect(await link.orders()).toEqual(orders);
  expect((await store.load('r1')).version).toBe(run.commits.length + 1);
});

test('E-16: an answer wakes whoever waits, however many, at once', async () => {
  const { signal } = new AbortController();
  const waiting = [link.ordersAfterWait(signal), link.ordersAfterWait(signal)];
  await new Promise(setImmediate);
  await desk.handleOnce('r1', guide);
  for (const each of waiting) expect(await withDeadline(each)).toMatchObject({ do: 'work' });
});

test('E-16: an answer that comes at any moment of the looking is not missed', async () => {
  for (let delay = 0; delay < 16; delay += 1) {
    const place = mkdtempSync(join(directory, 'moment-'));
    store.close();
    await openRun(place);
    const waiting = link.ordersAfterWait(new AbortController().signal);
    for (let tick = 0; tick < delay; tick += 1) await undefined;
    await desk.handleOnce('r1', guide);
    expect(await withDeadline(waiting)).toMatchObject({ do: 'work' });
  }
});

test('what is not an answer does not end the waiting', async () => {
  const controller = new AbortController();
  const waiting = link.ordersAfterWait(controller.signal);
  await desk.handleOnce('r1', { type: 'timer', at: '2026-11-16T10:00:00.000Z', timer: 'reminder:e1' });
  const still = Symbol('still waiting');
  const settled = await Promise.race([waiting, new Promise((resolve) => setImmediate(() => resolve(still)))]);
  expect(settled).toBe(still);
  controller.abort();
  expect(await withDeadline(waiting)).toEqual({ do: 'wait', escalation: 'e1' });
});

test('waiting ends when the signal aborts, before or after it began, with the present orders', async () => {
  expect(await withDeadline(link.ordersAfterWait(AbortSignal.abort()))).toEqual({
    do: 'wait',
    escalation: 'e1',
  });
});

test('without a question there is nothing to wait for', async () => {
  await desk.handleOnce('r1', guide);
  expect(await withDeadline(link.ordersAfterWait(new AbortController().signal))).toMatchObject({
    do: 'work',
  });
});

test('P-4: values are read from the vault by reference', async () => {
  const ref = await openFileVault(directory).put('r1', 'url', 'x');
  expect(await link.openInputs([ref])).toEqual({ url: 'x' });
});
