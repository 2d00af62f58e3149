import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRun, tests } from '../../core/run-builder.ts';
import { askingRun, openTestDesk, type TestDesk } from '../desk.ts';
import { Visitor } from '../visitor.ts';

let desk: TestDesk;
let rosa: Visitor;

beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  await desk.seed(askingRun('url', 'password'));
  rosa = new Visitor(desk);
  await rosa.signIn('rosa');
});
afterEach(() => desk.close());

const state = async () => (await desk.store.runs.load('r1')).state;

test('P-6: the run has a panel with what was tried, what is needed and a field per input', async () => {
  const page = await rosa.read('/runs/r1');
  expect(page).toContain('What was tried');
  expect(page).toContain('What&#39;s needed'.replace('&#39;', "'"));
  expect(page).toContain('name="input.url"');
  expect(page).toContain('name="input.password"');
  expect(page).toContain('Provide &amp; Resume');
});

test('P-6: a question of a guard says which turns were tried and what still fails', async () => {
  const run = startRun({ run: 'r3' });
  const failing = tests(1, 3, { failing: ['expires after 14 days'] });
  for (const title of ['Add the days', 'Slice the date', 'Parse it'])
    run.beginTurn().endTurn({ report: { status: 'partial', summary: title }, verification: failing });
  await desk.seed(run, { issue: 9 });
  const page = await rosa.read('/runs/r3');
  expect(page).toContain('What was tried');
  expect(page).toContain('Turn 2: Slice the date');
  expect(page).toContain('Still failing:</b> expires after 14 days.');
});

test('P-6: Provide & Resume gives the values and the run builds on', async () => {
  const sent = await rosa.send(await rosa.read('/runs/r1'), {
    'input.url': 'https://x',
    'input.password': 'canary',
    send: 'inputs',
  });
  expect(sent.status).toBe(303);
  expect(await state()).toMatchObject({ status: 'building', escalations: [{ resolution: { by: 'rosa' } }] });
  expect(JSON.stringify(await desk.store.runs.events('r1'))).not.toContain('canary');
  expect(desk.logged()).not.toContain('canary');
});

test('P-5: one value now, the other later', async () => {
  await rosa.send(await rosa.read('/runs/r1'), { 'input.url': 'https://x', send: 'inputs' });
  const page = await rosa.read('/runs/r1');
  expect(page).toContain('1 of 2 given');
  expect(page).not.toContain('name="input.url"');
  await rosa.send(page, { 'input.password': 'p', send: 'inputs' });
  expect((await state())?.status).toBe('building');
});

test('P-6: an option sends its command, and own words are guidance', async () => {
  expect((await rosa.send(await rosa.read('/runs/r1'), { guide: 'Use the mock server' })).status).toBe(303);
  expect(await state()).toMatchObject({
    status: 'building',
    guidance: ['Guidance from rosa: Use the mock server'],
  });
});

test('P-6: a button sends what the box of the comment sends', async () => {
  expect((await rosa.send(await rosa.read('/runs/r1'), { command: '/cancel' })).status).toBe(303);
  expect((await state())?.status).toBe('cancelled');
});

test('R-7: the second of two answers to one question is told, and changes nothing', async () => {
  const page = await rosa.read('/runs/r1');
  await rosa.send(page, { guide: 'first' });
  const second = await rosa.send(page, { guide: 'second' });
  expect([409, 410]).toContain(second.status);
  expect(await second.text()).toContain('Nothing was changed');
  expect((await state())?.guidance).toEqual(['Guidance from rosa: first']);
});

describe('who sees and who answers', () => {
  test('S-19: who can read sees everything but the form, and why', async () => {
    desk.people.lee = 'read';
    const lee = new Visitor(desk);
    await lee.signIn('lee');
    const page = await lee.read('/runs/r1');
    expect(page).toContain('Add a login page');
    expect(page).not.toContain('name="input.url"');
    expect(page).toContain('Answering requires the write role on rosa/shop.');
  });

  test('S-19: who cannot read sees no run, in no list, by no address', async () => {
    const mallory = new Visitor(desk);
    await mallory.signIn('mallory');
    expect(await mallory.read('/runs')).not.toContain('login page');
    expect(await mallory.read('/analytics')).not.toContain('shop');
    for (const path of ['/runs/r1', '/runs/r1/events', '/runs/r1/secret/password', '/runs/r2'])
      expect((await mallory.ask(path)).status, path).toBe(404);
  });

  test('S-19: the role is asked for at the moment of the answer', async () => {
    const page = await rosa.read('/runs/r1');
    desk.people.rosa = 'read';
    const sent = await rosa.send(page, { 'input.url': 'x', send: 'inputs' });
    expect(sent.status).toBe(403);
    expect((await state())?.given).toEqual({});
  });

  test('S-19: an answer without the token of the session, or with that of another one, changes nothing', async () => {
    const body = (csrf: string) =>
      new URLSearchParams({ command: '/cancel', escalation: 'e1', ...(csrf ? { csrf } : {}) });
    const other = new Visitor(desk);
    await other.signIn('rosa');
    const foreign = /name="csrf" value="([^"]+)"/.exec(await other.read('/runs/r1'))?.[1] ?? '';
    for (const csrf of ['', 'x', foreign])
      expect((await rosa.ask('/runs/r1/answer', { method: 'POST', body: body(csrf) })).status).toBe(403);
    expect((await state())?.status).toBe('waiting_for_input');
  });

  test('S-19: nobody signed in: an answer is refused, and a page asks to sign in', async () => {
    const body = new URLSearchParams({ command: '/cancel' });
    expect((await new Visitor(desk).ask('/runs/r1/answer', { method: 'POST', body })).status).toBe(401);
  });
});

test('S-1: hostile text of issue and agent is shown as text, on every page', async () => {
  const evil = '<script>alert(1)</script><img src=x onerror=alert(2)>"\'`';
  const run = startRun({ run: 'r9', task: { title: evil } })
    .beginTurn()
    .askForHelp([{ key: 'k', label: evil, secret: true }], evil);
  await desk.seed(run, { issue: 9 });
  for (const path of ['/runs', '/runs/r9', '/runs/r9/secret/k', '/analytics']) {
    const page = await rosa.read(path);
    expect(page, path).not.toContain('<script>alert');
    expect(page, path).not.toContain('<img');
  }
  expect(await rosa.read('/runs/r9')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('S-19: a page loads nothing from elsewhere, is in no frame, and is not kept', async () => {
  const page = await rosa.ask('/runs/r1');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  const text = await page.text();
  expect(text).not.toMatch(/(?:src|href)="https?:\/\/(?!github\.com\/rosa\/shop)/);
  expect(text.length).toBeLessThan(60_000);
  const form = await rosa.ask('/runs/r1/secret/password');
  expect(form.headers.get('content-security-policy')).not.toContain('script-src');
});

test('P-6: the last output is of the newest checks, not of a question that was answered', async () => {
  const says = (output_tail: string, verification = tests(3, 5)) => ({
    ...verification,
    checks: verification.checks.map((check) => ({ ...check, output_tail })),
  });
  const run = startRun({ run: 'r2' }).turn({ verification: says('two tests fail') });
  run.beginTurn().askForHelp([{ key: 'url', label: 'Address' }]);
  await desk.seed(run);
  expect(await rosa.read('/runs/r2')).toContain('two tests fail');
  const later = startRun({ run: 'r3' }).turn({ verification: says('two tests fail') });
  later.beginTurn().askForHelp([{ key: 'url', label: 'Address' }]);
  later.say('/provide url=https://mail.example');
  later.endTurn({ verification: says('all is well', tests(5, 5)) });
  await desk.seed(later);
  const page = await rosa.read('/runs/r3');
  expect(page).toContain('all is well');
  expect(page).not.toContain('two tests fail');
});

test('P-6: the list shows what waits first, and finds a run by its words', async () => {
  expect(await rosa.read('/runs')).toContain('1 run waits for you');
  expect(await rosa.read('/runs?q=login')).toContain('Add a login page');
  expect(await rosa.read('/runs?q=nothing-like-this')).toContain('No run matches this search');
  expect(await rosa.read('/runs?repository=rosa%2Fother')).toContain('No run matches this search');
});

test('E-17: open questions, answers within an hour and questions by guard', async () => {
  expect(await rosa.read('/analytics')).toMatch(/<b>1<\/b><span class="small dim">open question</);
  await rosa.send(await rosa.read('/runs/r1'), { guide: 'go' });
  const page = await rosa.read('/analytics');
  expect(page).toContain('answered within 1 h: ');
  expect(page).toContain('need_help');
});

test('E-17: a question that is open for an hour counts as not answered in time, on both pages', async () => {
  const answered = startRun({ run: 'r2' }).beginTurn();
  answered.askForHelp([{ key: 'url', label: 'Address' }]).say('/provide url=https://mail.example');
  await desk.seed(answered);
  for (const path of ['/analytics', '/runs'])
    expect(await rosa.read(path)).toContain('answered within 1 h: 1 of 1, ');
  desk.clock.ms += 3 * 3_600_000;
  for (const path of ['/analytics', '/runs'])
    expect(await rosa.read(path)).toContain('answered within 1 h: 1 of 2, ');
});

test('P-6: the page is told when the run changes', async () => {
  const events = await rosa.ask('/runs/r1/events');
  const reader = events.body?.getReader();
  await rosa.send(await rosa.read('/runs/r1'), { guide: 'go' });
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toContain('event: changed');
  await reader?.cancel();
});

test('P-9: own words with a credential in them are refused, and kept nowhere', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const sent = await rosa.send(await rosa.read('/runs/r1'), { guide: `Use ${token}` });
  expect(sent.status).toBe(422);
  expect(await sent.text()).not.toContain(token);
  expect(JSON.stringify(await desk.store.runs.events('r1'))).not.toContain(token);
});

test('P-6: a page is under 60 kB, however much has happened', async () => {
  const run = startRun({ run: 'r4' });
  const words = 'Sell receipts by the metre. '.repeat(30);
  for (let turn = 0; turn < 2; turn += 1)
    run.beginTurn().endTurn({ report: { status: 'partial', summary: words }, verification: tests(1, 900) });
  run.beginTurn();
  for (let at = 0; at < 60; at += 1) run.say(at % 2 === 0 ? `/guide ${words}` : '/status');
  const proposed = {
    path: 'config/languages.json',
    why: 'out_of_scope' as const,
    held: true,
    diff: `+${words}\n`.repeat(99),
  };
  run.observe({ type: 'write_proposed', turn: 3, proposed, files: [], scope: ['src/**'] }).trip();
  await desk.seed(run, { issue: 11 });
  for (let issue = 100; issue < 135; issue += 1)
    await desk.seed(
      startRun({ run: `s${issue}`, task: { title: words } })
        .beginTurn()
        .askForHelp(),
      { issue },
    );
  const later = new Visitor(desk);
  await later.signIn('rosa');
  const page = await later.read('/runs/r4');
  expect(page).toContain('1 file to approve');
  expect(Buffer.byteLength(page)).toBeLessThan(60_000);
  const list = await later.read('/runs');
  expect(list).toContain('7 more runs: search');
  expect(Buffer.byteLength(list)).toBeLessThan(60_000);
});
