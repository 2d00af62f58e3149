import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRun } from '../../core/run-builder.ts';
import { openTestDesk, type TestDesk } from '../desk.ts';
import { Visitor } from '../visitor.ts';

const PREFIX = '/tools/autobuild';
const SITE = 'https://example.com';

let desk: TestDesk;
let proxy: ReturnType<typeof createServer>;
let url: string;

/** A proxy that serves the desk below a path, and takes that path off. Everything else at this address is another program's. */
beforeEach(async () => {
  desk = await openTestDesk({ publicUrl: `${SITE}${PREFIX}` });
  desk.people.rosa = 'write';
  await desk.seed(
    startRun()
      .beginTurn()
      .askForHelp([
        { key: 'url', label: 'Address' },
        { key: 'password', label: 'Password', secret: true },
      ]),
  );
  proxy = createServer((incoming, answer) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(`${PREFIX}/`)) {
      answer.writeHead(418).end();
      return;
    }
    const { method, headers } = incoming;
    const passed = request(`${desk.url}${path.slice(PREFIX.length)}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterEach(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await desk.close();
});

const state = async () => (await desk.store.runs.load('r1')).state;

async function signedIn(): Promise<Visitor> {
  const rosa = new Visitor({ url });
  const started = await rosa.ask(`${PREFIX}/runs/r1`);
  const wanted = started.headers.get('location') ?? '';
  expect(wanted).toBe(`${PREFIX}/auth/sign-in?to=%2Fruns%2Fr1`);
  const sent = new URL((await rosa.ask(wanted)).headers.get('location') ?? '');
  const back = sent.searchParams.get('redirect') ?? '';
  expect(back).toBe(`${SITE}${PREFIX}/auth/callback`);
  const query = `code=rosa&state=${sent.searchParams.get('state')}`;
  const arrived = await rosa.ask(`${back.slice(SITE.length)}?${query}`);
  expect(arrived.headers.get('location')).toBe(`${PREFIX}/runs/r1`);
  return rosa;
}

test('P-6: behind a path, every link, form and stream of every page stays below it', async () => {
  const rosa = await signedIn();
  for (const path of [
    '/runs',
    '/runs/r1',
    '/runs/r1/diff',
    '/runs/r1/secret/password',
    '/runs/r1/secret/x',
    '/analytics',
  ]) {
    const page = await rosa.read(PREFIX + path);
    const places = [...page.matchAll(/(?:href|action|src|data-live)="(\/[^"]*)"/g)].map(([, to = '']) => to);
    expect(places.length, path).toBeGreaterThan(2);
    expect(
      places.filter((to) => !to.startsWith(`${PREFIX}/`)),
      path,
    ).toEqual([]);
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, to = '']) => to);
    for (const to of new Set(links)) expect((await rosa.ask(to)).status, to).toBe(200);
  }
});

test('P-6: behind a path, answers are taken and lead back to the run', async () => {
  const rosa = await signedIn();
  const sent = await rosa.send(await rosa.read(`${PREFIX}/runs/r1`), { 'input.url': 'x', send: 'inputs' });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `${PREFIX}/runs/r1`]);
  const form = await rosa.send(await rosa.read(`${PREFIX}/runs/r1/secret/password`), { value: 's3cret' });
  expect([form.status, form.headers.get('location')]).toEqual([303, `${PREFIX}/runs/r1`]);
  expect((await state())?.status).toBe('building');
});

test('S-19: behind a path, signing out ends the session', async () => {
  const rosa = await signedIn();
  const stolen = new Map(rosa.cookies);
  const page = await rosa.read(`${PREFIX}/runs`);
  expect((await rosa.send(page, { csrf: /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '' })).status).toBe(
    200,
  );
  for (const [name, value] of stolen) rosa.cookies.set(name, value);
  expect((await rosa.ask(`${PREFIX}/runs`)).headers.get('location')).toContain(`${PREFIX}/auth/sign-in`);
});
