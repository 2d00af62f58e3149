import { afterEach, beforeEach, expect, test } from 'vitest';
import { askingRun, openTestDesk, type TestDesk } from '../desk.ts';
import { Visitor } from '../visitor.ts';

let desk: TestDesk;
let rosa: Visitor;
const SESSION = '__Host-autobuild_session';

beforeEach(async () => {
  desk = await openTestDesk();
  desk.people.rosa = 'write';
  await desk.seed(askingRun('url'));
  rosa = new Visitor(desk);
});
afterEach(() => desk.close());

test('P-6: a page leads to the sign-in, and the sign-in back to the page', async () => {
  const first = await rosa.ask('/runs/r1');
  expect(first.headers.get('location')).toBe('/auth/sign-in?to=%2Fruns%2Fr1');
  const back = await rosa.signIn('rosa', '/runs/r1');
  expect(back.status).toBe(303);
  expect(back.headers.get('location')).toBe('/runs/r1');
  expect((await rosa.ask('/runs/r1')).status).toBe(200);
});

test('S-19: the address on GitHub has a state and the challenge of PKCE, and the verifier is nowhere in it', async () => {
  const started = await rosa.ask('/auth/sign-in');
  const url = new URL(started.headers.get('location') ?? '');
  expect(url.searchParams.get('state')).toMatch(/^[\w-]{32}$/);
  expect(url.searchParams.get('challenge')).toMatch(/^[\w-]{43}$/);
  expect(url.searchParams.get('redirect')).toBe('https://autobuild.example.com/auth/callback');
});

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
  'S-19: the sign-in leads nowhere else: %s',
  async (to) => {
    expect((await rosa.signIn('rosa', to)).headers.get('location')).toBe('/runs');
  },
);

test('S-19: a state of another browser, of an old try and a missing one are refused', async () => {
  const other = new Visitor(desk);
  const started = await other.ask('/auth/sign-in');
  const state = new URL(started.headers.get('location') ?? '').searchParams.get('state');
  expect((await rosa.ask(`/auth/callback?code=rosa&state=${state}`)).status).toBe(400);
  await rosa.ask('/auth/sign-in');
  expect((await rosa.ask(`/auth/callback?code=rosa&state=${state}`)).status).toBe(400);
  await rosa.ask('/auth/sign-in');
  expect((await rosa.ask('/auth/callback?code=rosa')).status).toBe(400);
  const late = await other.ask('/auth/sign-in');
  desk.clock.ms += 11 * 60_000;
  const lateState = new URL(late.headers.get('location') ?? '').searchParams.get('state');
  expect((await other.ask(`/auth/callback?code=rosa&state=${lateState}`)).status).toBe(400);
});

test('S-19: a code that GitHub does not accept signs nobody in', async () => {
  expect((await rosa.signIn('bad')).status).toBe(401);
  expect(rosa.cookies.has(SESSION)).toBe(false);
});

test('S-19: the cookie is for this host, TLS and requests only; its value is stored nowhere', async () => {
  const started = await rosa.ask('/auth/sign-in');
  const state = new URL(started.headers.get('location') ?? '').searchParams.get('state');
  const back = await rosa.ask(`/auth/callback?code=rosa&state=${state}`);
  const line = back.headers.getSetCookie().find((text) => text.startsWith(SESSION)) ?? '';
  expect(line).toMatch(/HttpOnly/);
  expect(line).toMatch(/Secure/);
  expect(line).toMatch(/SameSite=Lax/);
  expect(line).toMatch(/Path=\//);
  const value = rosa.cookies.get(SESSION) ?? '';
  expect(await desk.store.sessions.find(value)).toBeUndefined();
  expect(desk.logged()).not.toContain(value);
});

test('S-19: a cookie that was stolen is worthless after signing out', async () => {
  await rosa.signIn('rosa');
  const thief = new Visitor(desk);
  thief.cookies.set(SESSION, rosa.cookies.get(SESSION) ?? '');
  expect((await thief.ask('/runs')).status).toBe(200);
  await rosa.send(await rosa.read('/runs'), {
    csrf: /name="csrf" value="([^"]+)"/.exec(await rosa.read('/runs'))?.[1] ?? '',
  });
  expect((await thief.ask('/runs')).status).toBe(302);
  expect((await rosa.ask('/runs')).status).toBe(302);
});

test('S-19: an old session gets another cookie, the old one ends soon after, and signing out ends both', async () => {
  await rosa.signIn('rosa');
  const old = new Visitor(desk);
  old.cookies.set(SESSION, rosa.cookies.get(SESSION) ?? '');
  desk.clock.ms += 61 * 60_000;
  await rosa.ask('/runs');
  expect(rosa.cookies.get(SESSION)).not.toBe(old.cookies.get(SESSION));
  const during = new Visitor(desk);
  during.cookies.set(SESSION, old.cookies.get(SESSION) ?? '');
  desk.clock.ms += 30_000;
  expect((await during.ask('/runs/r1/events', { method: 'HEAD' })).status).not.toBe(302);
  desk.clock.ms += 60_000;
  const after = new Visitor(desk);
  after.cookies.set(SESSION, old.cookies.get(SESSION) ?? '');
  expect((await after.ask('/runs')).status).toBe(302);
  expect((await rosa.ask('/runs')).status).toBe(200);
});

test('S-19: a session ends after eight hours', async () => {
  await rosa.signIn('rosa');
  desk.clock.ms += 8 * 3_600_000 + 1;
  expect((await rosa.ask('/runs')).status).toBe(302);
});

test('S-19: a form of another site signs nobody out', async () => {
  await rosa.signIn('rosa');
  expect((await rosa.ask('/auth/sign-out', { method: 'POST', body: new URLSearchParams() })).status).toBe(
    403,
  );
  expect((await rosa.ask('/runs')).status).toBe(200);
});

test('S-18: a form of several megabytes is refused before it is read, whoever sends it', async () => {
  const body = `csrf=${'x'.repeat(3 * 1024 * 1024)}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await rosa.ask('/auth/sign-out', { method: 'POST', headers, body })).status).toBe(413);
});
