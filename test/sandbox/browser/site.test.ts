import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createSite } from '../../../src/sandbox/browser/site.ts';

/** Opens an issue by a form, and returns the answer's status with the titles that reached the local GitHub. */
async function openIssue(headers: Record<string, string>, ...chunks: Buffer[]) {
  const titles: unknown[] = [];
  const site = createSite({
    owner: 'olivia',
    name: 'shop',
    people: ['olivia'],
    jobs: () => [],
    callAs: async (_login, _method, _path, body) => {
      titles.push((body as { title: string }).title);
      return { status: 201, body: { number: 4 } };
    },
  });
  let status = 0;
  const response = {
    writeHead: (given: number) => {
      status = given;
      return response;
    },
    end: () => response,
  };
  const request = Object.assign(Readable.from(chunks), { method: 'POST', headers });
  await site(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    '/olivia/shop/issues',
  );
  return { status, titles };
}

test.each([
  ['127.0.0.1:4711', 'http://127.0.0.1:4711', 303],
  ['localhost:4711', 'http://localhost:4711', 303],
  ['127.0.0.1:4711', 'https://evil.example', 422],
  // A name that its owner lets lead to 127.0.0.1: for the browser page and form have one origin.
  ['evil.example:4711', 'http://evil.example:4711', 422],
  ['127.0.0.1.evil.example:4711', 'http://127.0.0.1.evil.example:4711', 422],
])('a form for %s from %s is answered with %i', async (host, origin, wanted) => {
  const { status, titles } = await openIssue({ host, origin }, Buffer.from('title=Receipts'));
  expect(status).toBe(wanted);
  expect(titles).toEqual(wanted === 303 ? ['Receipts'] : []);
});

test('a character that two packets share arrives whole', async () => {
  const form = Buffer.from('title=Größe');
  const headers = { host: 'localhost', origin: 'http://localhost' };
  const cut = form.indexOf(0xc3) + 1;
  const { titles } = await openIssue(headers, form.subarray(0, cut), form.subarray(cut));
  expect(titles).toEqual(['Größe']);
});
