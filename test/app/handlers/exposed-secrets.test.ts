import { afterEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { type AppDesk, askingRun, openAppDesk } from '../app-desk.ts';

let desk: AppDesk;
afterEach(() => desk?.close());

const KEY = 'sk_live_abcdefghij0123456789';

/** What stands below the issue after somebody wrote this, and what is left of the comment itself. */
async function write(issue: number, text: string, login = 'olivia') {
  const comment = await desk.person(login).comment(issue, text);
  await desk.settle();
  const all = await desk.olivia.comments(issue);
  return {
    stands: all.some(({ id }) => id === comment.id),
    said: all.map(({ body }) => body).join('\n'),
    replies: all.filter(({ body }) => body.includes(':reply ')).map(({ body }) => body),
  };
}

test('P-9: a value for which nobody asked is not taken, and the reply does not say it was', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(startRun({ startMs: Date.now() - 3_600_000 }).beginTurn());
  const { stands, said } = await write(issue, `/provide key=${KEY}`);
  expect(stands).toBe(false);
  expect(said).toContain('Please rotate: key. It was posted in a comment.');
  expect(said).toContain('The value was not accepted.');
  expect(said).not.toContain('was accepted.');
  expect(said).not.toContain(KEY);
});

test.each([
  ['not in the right form', `/provide stripe = ${KEY}`],
  ['without a key', `/provide ${KEY}`],
  ['misspelt', `/provde stripe=${KEY}`],
  ['in a hint', `/guide use ${KEY}`],
])('P-9: a secret %s: the comment goes, nothing is taken, rotation is advised', async (_, text) => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['colour']));
  const before = await desk.state();
  const { stands, said } = await write(issue, text);
  expect(stands).toBe(false);
  expect(said).toMatch(/Please rotate: what looks like a credential/);
  expect(said).toContain('The value was not accepted. Nothing changed');
  expect(said).not.toContain(KEY);
  expect(await desk.state()).toEqual(before);
});

test('P-9: a value for a secret input, not in the right form and like no credential we know, does not stay either', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 }).beginTurn();
  run.askForHelp([{ key: 'shop_key', label: 'Key of the shop', secret: true }]);
  const { issue } = await desk.seed(run);
  const { stands, said } = await write(issue, '/provide shop_key = hunter2 and more');
  expect(stands).toBe(false);
  expect(said).toContain('Please rotate: Key of the shop. It was posted in a comment.');
  expect(said).toContain('The value was not accepted.');
});

test.each([
  ['/provide shop_key=hunter2hunter2xx9', 'no question is open'],
  ['/provide shop_key = hunter2hunter2xx9', 'The value was not accepted. Nothing changed'],
])('P-9: %s does not stay when the question is closed already', async (text, reason) => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 }).beginTurn();
  run.askForHelp([{ key: 'shop_key', label: 'Key of the shop', secret: true }]);
  const { issue } = await desk.seed(run);
  const first = await write(issue, '/provide shop_key=correct-horse7battery');
  expect(first.said).toContain('The value was accepted.');
  const { stands, said, replies } = await write(issue, text, 'walter');
  expect(stands).toBe(false);
  expect(said).not.toContain('hunter2');
  const fresh = replies.slice(first.replies.length).join('\n');
  expect(fresh).toContain('Please rotate: Key of the shop. It was posted in a comment.');
  expect(fresh).toContain('The value was not accepted.');
  expect(fresh).toContain(reason);
});

test.each([
  ['/guid api_key: document it in the README', true],
  ['/guid set **api_key** = the one from the vault', true],
  ['/guid api_key: abcdef123456', false],
  ['/guid `api_key`=`abcdef123456`, please', false],
  [`/guid api_key: ${KEY}`, false],
  ['/provid api_key: hunter2', false],
  ['/provide api_key=hunter2', false],
])('P-9: with the question closed, %s stays: %s', async (text, stays) => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 }).beginTurn();
  run.askForHelp([{ key: 'api_key', label: 'The key', secret: true }]);
  const { issue } = await desk.seed(run);
  const first = await write(issue, '/provide api_key=abcdef123456');
  expect(first.said).toContain('The value was accepted.');
  const { stands, replies } = await write(issue, text);
  expect(stands).toBe(stays);
  const fresh = replies.slice(first.replies.length).join('\n');
  if (stays) expect(fresh).not.toContain('rotate');
  else expect(fresh).toContain('Please rotate');
});

test('P-9: a value that is asked for is not one that was given before', async () => {
  desk = await openAppDesk();
  const run = startRun({ startMs: Date.now() - 3_600_000 }).beginTurn();
  run.askForHelp([{ key: 'api_key', label: 'The key', secret: true }]).park();
  run.say('/provide api_key=abcdef123456');
  run
    .startJob()
    .beginTurn()
    .askForHelp([{ key: 'shop_key', label: 'Key of the shop', secret: true }]);
  const { issue } = await desk.seed(run);
  expect((await write(issue, '/guid api_key: document it in the README')).stands).toBe(true);
  expect((await write(issue, '/guid shop_key: hunter2')).stands).toBe(false);
});

test('P-9: one of two values was asked for: the reply tells which was taken', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['stripe', 'colour']));
  const { stands, said } = await write(issue, `/provide stripe=${KEY} other=${KEY}x`);
  expect(stands).toBe(false);
  expect(said).toContain('Accepted: stripe. Not accepted: other.');
  expect((await desk.state()).given).toHaveProperty('stripe');
});

test('P-9: a secret of somebody who may not answer is deleted and not taken; a comment that is no command stays', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['stripe']));
  const refused = await write(issue, `/provide stripe=${KEY}`, 'rita');
  expect(refused.stands).toBe(false);
  expect(refused.said).toContain('The value was not accepted. Commands require the write role');
  expect((await desk.state()).status).toBe('waiting_for_input');
  const talk = await write(issue, `I once had ${KEY} as a key.`);
  expect(talk.stands).toBe(true);
  expect(talk.replies).toHaveLength(1);
});

test('R-11: a value that comes after the end is not kept', async () => {
  desk = await openAppDesk();
  const { issue } = await desk.seed(askingRun(['stripe']));
  await write(issue, '/cancel');
  const refs: string[] = [];
  const { put } = desk.store.vault;
  desk.store.vault.put = async (...given) => {
    const ref = await put(...given);
    refs.push(ref);
    return ref;
  };
  const { said } = await write(issue, `/provide stripe=${KEY}`);
  expect(said).toContain('The value was not accepted.');
  expect(await desk.store.vault.open('r1', refs)).toEqual({});
});
