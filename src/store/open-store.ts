import type { HostedStore } from '../core/ports/hosted-store.ts';
import { openPostgresStore } from './postgres.ts';
import { openSqliteStore } from './sqlite.ts';

/** Opens PostgreSQL if a URL is given, otherwise the SQLite file. */
export async function openStore({
  databaseUrl,
  file,
  key,
  clock,
}: {
  databaseUrl?: string;
  file?: string;
  key: string;
  /** Another clock than the database's, for tests: an SQL expression of milliseconds. */
  clock?: string;
}): Promise<HostedStore> {
  if (databaseUrl) {
    if (!/^postgres(ql)?:\/\//.test(databaseUrl))
      throw new Error(
        'The database URL must begin with postgres:// or postgresql://. For SQLite leave it out and name a file.',
      );
    return openPostgresStore({ url: databaseUrl, key, clock });
  }
  if (file) return openSqliteStore({ file, key, clock });
  throw new Error('The store needs a database URL (PostgreSQL) or the name of a file (SQLite).');
}
