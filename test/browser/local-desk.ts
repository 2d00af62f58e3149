import type { BrowserContext } from 'playwright-core';
import { findFreePort } from '../../src/sandbox/free-port.ts';
import { openTestDesk, type TestDesk } from '../web/desk.ts';

/** A desk at an address where browsers keep its cookies. */
export async function openLocalDesk(): Promise<TestDesk> {
  const port = await findFreePort();
  return openTestDesk({ port, publicUrl: `http://127.0.0.1:${port}` });
}

/** As GitHub would send the person back. */
export async function signIn(context: BrowserContext, url: string, login: string): Promise<void> {
  const started = await context.request.get(`${url}/auth/sign-in`, { maxRedirects: 0 });
  const state = new URL(started.headers().location ?? '').searchParams.get('state');
  await context.request.get(`${url}/auth/callback?code=${login}&state=${state}`);
}
