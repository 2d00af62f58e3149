import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../core/run-builder.ts';
import type { TestDesk } from '../web/desk.ts';
import { closeBrowser } from './browser.ts';
import { openLocalDesk } from './local-desk.ts';
import { visit } from './visit.ts';

let desk: TestDesk;

beforeEach(async () => {
  desk = await openLocalDesk();
  desk.people.rosa = 'write';
  desk.people.lee = 'write';
  desk.people.sam = 'read';
  await desk.seed(
    startRun()
      .beginTurn()
      .askForHelp([
        { key: 'url', label: 'Address' },
        { key: 'password', label: 'Password', secret: true },
      ]),
  );
});
afterEach(() => desk.close());
afterAll(closeBrowser);

const state = async () => (await desk.store.runs.load('r1')).state;

test('P-6: Enter in a field provides, never cancels', async () => {
  const { page, errors } = await visit(desk, 'rosa', '/runs/r1');
  await page.getByLabel('Address').fill('https://mail.example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('s3cret');
  await page.keyboard.press('Enter');
  await page.getByText('Building: turn 1').waitFor();
  expect(await state()).toMatchObject({
    status: 'building',
    escalations: [{ resolution: { by: 'rosa' }, status: 'resolved' }],
  });
  expect(await page.content()).not.toContain('s3cret');
  expect(errors).toEqual([]);
});

test('P-6: the first button that the keyboard reaches behind the fields provides', async () => {
  const { page } = await visit(desk, 'rosa', '/runs/r1');
  await page.getByLabel('Password').focus();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Provide & Resume');
});

test('P-6: without scripts a person finds the question, gives values and sees what came of it', async () => {
  const { page } = await visit(desk, 'rosa', '/runs', { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Answer' }).click();
  await page.getByLabel('Address').fill('https://mail.example.com');
  await page.getByRole('button', { name: 'Provide & Resume' }).click();
  expect(Object.keys((await state())?.given ?? {})).toEqual(['url']);
  await page.getByLabel('Password').fill('s3cret');
  await page.getByRole('button', { name: 'Provide & Resume' }).click();
  await page.getByText('Building: turn 1').waitFor();
  expect((await state())?.status).toBe('building');
});

test('P-6: of two people who answer at once, one is told that nothing was changed', async () => {
  const people = await Promise.all([visit(desk, 'rosa', '/runs/r1'), visit(desk, 'lee', '/runs/r1')]);
  await Promise.all(
    people.map(async ({ page }, index) => {
      await page.getByLabel('Or in your own words').fill(`Words ${index}`);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.waitForLoadState();
    }),
  );
  const told = await Promise.all(people.map(({ page }) => page.getByRole('alert').allTextContents()));
  expect(told.flat()).toEqual([expect.stringContaining('Nothing was changed')]);
  expect((await state())?.guidance).toHaveLength(1);
  // The page with the refusal is live as well.
  const late = told.findIndex((alerts) => alerts.length > 0);
  const again = await people[late]?.context.request.get(people[late]?.page.url() ?? '');
  expect([again?.status(), again?.url()]).toEqual([200, `${desk.url}/runs/r1`]);
});

test('P-6: what another person did arrives without a reload, and a field somebody types in stays', async () => {
  const { page: seen, errors } = await visit(desk, 'rosa', '/runs/r1');
  await seen.evaluate('window.isSamePage = true');
  const words = seen.getByLabel('Or in your own words');
  await words.pressSequentially('Half a sen');
  const { page: other } = await visit(desk, 'lee', '/runs/r1');
  await other.getByLabel('Address').fill('https://mail.example.com');
  await other.getByRole('button', { name: 'Provide & Resume' }).click();
  await seen.getByRole('cell', { name: 'gave url' }).waitFor();
  await words.pressSequentially('tence');
  expect(await words.inputValue()).toBe('Half a sentence');
  // Nobody is in the panel now, and the next change replaces it.
  await words.fill('');
  await words.blur();
  await other.getByLabel('Password').fill('s3cret');
  await other.getByRole('button', { name: 'Provide & Resume' }).click();
  await seen.getByText('Building: turn 1').waitFor();
  await seen.getByLabel('Question').waitFor({ state: 'detached' });
  expect(await seen.evaluate('window.isSamePage')).toBe(true);
  expect(errors).toEqual([]);
});

test('P-6: a run that begins to wait moves up in the list, without a reload', async () => {
  const { page, errors } = await visit(desk, 'rosa', '/runs');
  await page.evaluate('window.isSamePage = true');
  await desk.seed(
    startRun({ run: 'r2', task: { title: 'Another issue' } })
      .beginTurn()
      .askForHelp(),
    { issue: 8 },
  );
  await page.getByRole('heading', { name: '2 runs wait for you' }).waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  expect(errors).toEqual([]);
});

test('P-9: a secret by the form; the same form, sent again from the history, gives nothing', async () => {
  const { page } = await visit(desk, 'rosa', '/runs/r1/secret/password');
  await page.getByLabel('Password').fill('s3cret');
  await page.getByRole('button', { name: 'Give it' }).click();
  await page.waitForURL('**/runs/r1');
  expect(await page.content()).not.toContain('s3cret');
  expect(Object.keys((await state())?.given ?? {})).toEqual(['password']);
  await page.goBack();
  const field = page.getByLabel('Password');
  // The browser may ask the server again, which has no form any more.
  if (await field.isVisible()) {
    expect(await field.inputValue()).toBe('');
    await field.fill('other');
    await page.getByRole('button', { name: 'Give it' }).click();
  }
  await page.getByRole('heading', { name: 'Given already' }).waitFor();
});

test('P-9: a form that has expired says so, and the next one works', async () => {
  const { page } = await visit(desk, 'rosa', '/runs/r1/secret/password');
  desk.clock.ms += 16 * 60_000;
  await page.getByLabel('Password').fill('s3cret');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'This form has expired' }).waitFor();
  await page.getByRole('link', { name: 'Open a new form' }).click();
  await page.getByLabel('Password').fill('s3cret');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/runs/r1');
  expect(Object.keys((await state())?.given ?? {})).toEqual(['password']);
});

test('S-19: an answer without the token of the session changes nothing', async () => {
  const { page } = await visit(desk, 'rosa', '/runs/r1');
  await page.evaluate("document.querySelectorAll('[name=csrf]').forEach((field) => field.remove())");
  await page.getByRole('button', { name: /\/cancel/ }).click();
  await page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
  expect((await state())?.status).toBe('waiting_for_input');
});

test('S-19: who can only read cannot send the form that another person opened', async () => {
  const { page: rosas } = await visit(desk, 'rosa', '/runs/r1/secret/password');
  const form = await rosas.locator('input[name=form]').inputValue();
  const { page } = await visit(desk, 'sam', '/runs');
  await page.evaluate(`{
    const [own] = document.forms;
    own.action = '/runs/r1/secret/password';
    own.insertAdjacentHTML('beforeend', '<input name="form" value="${form}"><input name="value" value="s3cret">');
    own.submit();
  }`);
  await page.getByRole('heading', { name: 'More access needed' }).waitFor();
  expect((await state())?.given).toEqual({});
});

test('S-19: a sign-in that this browser did not begin signs nobody in', async () => {
  const { page, context } = await visit(desk, 'nobody', '/runs/none');
  await context.clearCookies();
  const answer = await page.goto(`${desk.url}/auth/callback?code=rosa&state=of-somebody-else`);
  expect(answer?.status()).toBe(400);
  const next = await context.request.get(`${desk.url}/runs`, { maxRedirects: 0 });
  expect(next.headers().location).toContain('/auth/sign-in');
});

test('P-10: an answer shows in the figures of the next reader', async () => {
  const { page } = await visit(desk, 'sam', '/analytics');
  await page.getByText('open question', { exact: true }).waitFor();
  const { page: other } = await visit(desk, 'lee', '/runs/r1');
  await other.getByRole('button', { name: /\/cancel/ }).click();
  await other.getByText('Cancelled by lee', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('open questions', { exact: true }).waitFor();
});

test('E-17: the share within an hour, the time to an answer and the guards that asked', async () => {
  const { page: answering } = await visit(desk, 'lee', '/runs/r1');
  await answering.getByLabel('Or in your own words').fill('Use the mock server');
  await answering.getByRole('button', { name: 'Send' }).click();
  await answering.getByText('Building: turn 1').waitFor();
  const { page } = await visit(desk, 'sam', '/runs');
  await page.getByRole('link', { name: 'Analytics' }).click();
  await page.getByText(/answered within 1 h: \d of 1, target 95 %/).waitFor();
  await page.getByText(/median time to an answer, 1 answer/).waitFor();
  await page.getByRole('region', { name: 'Questions by guard' }).getByText('need_help').first().waitFor();
});
