import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { openTestDesk, type TestDesk } from '../desk.ts';
import { Visitor } from '../visitor.ts';

let desk: TestDesk;
let rosa: Visitor;
const FORM = '/runs/r1/secret/password';

beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  await desk.seed(
    startRun()
      .beginTurn()
      .askForHelp([{ key: 'password', label: 'Password', secret: true }]),
  );
  rosa = new Visitor(desk);
  await rosa.signIn('rosa');
});
afterEach(() => desk.close());

const state = async () => (await desk.store.runs.load('r1')).state;

test('P-9, R-11: the form gives one secret, and the value is in the vault alone', async () => {
  const sent = await rosa.send(await rosa.read(FORM), { value: 'canary-secret' });
  expect(sent.status).toBe(303);
  const after = await state();
  expect(after?.status).toBe('building');
  const refs = Object.values(after?.escalations[0]?.resolution?.inputs ?? {}).map(({ ref }) => ref);
  expect(await desk.store.vault.open('r1', refs)).toEqual({ password: 'canary-secret' });
  expect(JSON.stringify(await desk.store.runs.events('r1'))).not.toContain('canary-secret');
  expect(desk.logged()).not.toContain('canary-secret');
  expect(await rosa.read('/runs/r1')).not.toContain('canary-secret');
});

test('R-11: a hundred openings change nothing, and each form works', async () => {
  const { version } = await desk.store.runs.load('r1');
  const pages: string[] = [];
  for (let opened = 0; opened < 100; opened += 1) pages.push(await rosa.read(FORM));
  expect((await desk.store.runs.load('r1')).version).toBe(version);
  expect((await rosa.send(pages[0] ?? '', { value: 'v' })).status).toBe(303);
});

test('R-11: a form works once, also when it is sent twice at the same time', async () => {
  const page = await rosa.read(FORM);
  const sent = await Promise.all([rosa.send(page, { value: 'one' }), rosa.send(page, { value: 'two' })]);
  expect(sent.map(({ status }) => status).toSorted()).toEqual([303, 410]);
  expect((await rosa.send(page, { value: 'three' })).status).toBe(410);
  expect(Object.keys((await state())?.escalations[0]?.resolution?.inputs ?? {})).toEqual(['password']);
});

test('R-11: a form works for 15 minutes', async () => {
  const page = await rosa.read(FORM);
  desk.clock.ms += 15 * 60_000 + 1;
  const sent = await rosa.send(page, { value: 'late' });
  expect(sent.status).toBe(410);
  expect(await sent.text()).toContain('Open a new form');
  expect((await state())?.given).toEqual({});
  expect((await rosa.send(await rosa.read(FORM), { value: 'in time' })).status).toBe(303);
});

test('R-11: an empty or too long value is said to be that, and the form still works', async () => {
  const page = await rosa.read(FORM);
  for (const value of ['', 'x'.repeat(32_769)]) {
    const sent = await rosa.send(page, { value });
    expect(sent.status).toBe(422);
    const text = await sent.text();
    expect(text).toContain('A value has 1 to 32768 characters');
    expect(text).not.toContain('expired');
  }
  expect((await rosa.send(page, { value: 'v' })).status).toBe(303);
});

test('R-11: a form that nobody signed, or for another run or value, gives nothing', async () => {
  const page = await rosa.read(FORM);
  const forged = page.replace(/name="form" value="[^"]+"/, 'name="form" value="e30.AAAA"');
  expect((await rosa.send(forged, { value: 'x' })).status).toBe(410);
  const moved = page.replace(`action="${FORM}"`, 'action="/runs/r1/secret/other"');
  expect((await rosa.send(moved, { value: 'x' })).status).toBe(410);
  expect((await state())?.given).toEqual({});
});

test('S-19: who can only read gets no form, and cannot send one that another person opened', async () => {
  const page = await rosa.read(FORM);
  desk.people.lee = 'read';
  const lee = new Visitor(desk);
  await lee.signIn('lee');
  expect((await lee.ask(FORM)).status).toBe(403);
  expect((await lee.send(page, { value: 'x' })).status).toBe(403);
  desk.people.rosa = 'read';
  expect((await rosa.send(page, { value: 'x' })).status).toBe(403);
  expect((await state())?.given).toEqual({});
});

test('P-9: nothing asked, another value, given already', async () => {
  expect((await rosa.ask('/runs/r1/secret/other')).status).toBe(404);
  const page = await rosa.read(FORM);
  await rosa.send(page, { value: 'v' });
  const again = await rosa.ask(FORM);
  expect(again.status).toBe(410);
  expect(await again.text()).toContain('Nothing is asked now');
});
