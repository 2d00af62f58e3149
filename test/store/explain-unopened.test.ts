import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../../src/core/error-catalogue.ts';
import { explainUnopened } from '../../src/store/explain-unopened.ts';
import { openStore } from '../../src/store/open-store.ts';

const key = Buffer.alloc(32, 7).toString('base64');
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'autobuild-unopened-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function explain(where: { databaseUrl?: string; file?: string }): Promise<unknown> {
  const opened = await openStore({ ...where, key }).catch((error: unknown) => error);
  if (!(opened instanceof Error)) throw new Error('it was opened');
  return explainUnopened(opened, where);
}

test.each([
  ['a directory', () => directory],
  [
    'no database',
    () => {
      const file = join(directory, 'text.db');
      writeFileSync(
        file,
        'This is a text, and a long one: longer than the header of a database. '.repeat(40),
      );
      return file;
    },
  ],
])('a file that is %s is named with its reason', async (_, make) => {
  const file = make();
  const explained = await explain({ file });
  expect(explained).toBeInstanceOf(UserError);
  expect(explained).toMatchObject({ code: 'database_file_unusable' });
  expect((explained as Error).message).toContain(`The database file ${file} cannot be opened: `);
  expect((explained as Error).message).not.toContain('..');
});

test('a server is named by host and port, the usual one where none is given', async () => {
  const explained = await explain({ databaseUrl: 'postgres://desk:canary@no-such-host.invalid/desk' });
  expect(explained).toMatchObject({ code: 'postgres_unreachable' });
  expect((explained as Error).message).toContain(
    'PostgreSQL at no-such-host.invalid:5432 cannot be reached: ',
  );
});

test('a message that repeats the password, written in whichever way, is shown without it', () => {
  const error = Object.assign(new Error('bad canary!word or canary%21word'), { code: '28P01' });
  const { message } = explainUnopened(error, { databaseUrl: 'postgres://u:canary%21word@db/x' }) as Error;
  expect(message).toBe('PostgreSQL at db:5432 cannot be reached: bad *** or ***.');
});

test('a mistake of ours stays what it is', () => {
  const bug = new TypeError('undefined is not a function');
  expect(explainUnopened(bug, { file: 'x' })).toBe(bug);
});
