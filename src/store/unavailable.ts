import { StoreUnavailableError } from '../core/ports/store-unavailable.ts';

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const SQLITE: Record<number, string> = {
  5: 'another process holds the database file',
  6: 'another process holds the database file',
  8: 'the database file cannot be written',
  10: 'the disk refuses to read or write',
  13: 'the disk is full',
  14: 'the database file cannot be opened',
};
const SQLITE_BUSY = 5;

/** Prefixes of PostgreSQL's SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES: [RegExp, string][] = [
  [/^08/, 'the connection is gone'],
  [/^53100$/, 'the disk is full'],
  [/^53/, 'the database has no room for more'],
  [/^57P/, 'the database is restarting'],
  [/^(57014|55P03|40001|40P01)$/, 'the database is too busy'],
  [/^25006$/, 'the database is read-only'],
  [/^58/, 'the disk refuses to read or write'],
];
const NETWORK =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of clients for errors without a code. */
const WORDS =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|connection has been discarded|driver has already been destroyed|database is not open|after calling end on the pool/i;

const MAX_CAUSES = 5;

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE_BUSY;
}

/** The transaction only lost a race, so it may succeed when it is run again. */
export function isLostRace(error: unknown): boolean {
  return /^(23505|40001|40P01)$/.test(codeOf(error));
}

/** Converts transient database errors to `StoreUnavailableError`, and returns others unchanged. */
export function asUnavailable(error: unknown): unknown {
  let at: unknown = error;
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (at instanceof StoreUnavailableError) return at;
    const reason = reasonOf(at);
    if (reason) {
      return new StoreUnavailableError(
        `The store cannot be used now: ${reason}. Nothing was left half done; try again later.`,
        { cause: error },
      );
    }
    // Node tries every address of a host name and reports all failures.
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return error;
}

function reasonOf(error: Error): string | undefined {
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined) return SQLITE[sqlite];
  const code = codeOf(error);
  const state = POSTGRES.find(([pattern]) => pattern.test(code));
  if (state) return state[1];
  // A Unix socket does not exist while its server is down.
  const socketGone = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  if (NETWORK.test(code) || socketGone) return `the database does not answer (${code})`;
  return WORDS.test(error.message) ? 'the connection is gone' : undefined;
}

function sqliteCode(error: unknown): number | undefined {
  if (codeOf(error) !== 'ERR_SQLITE_ERROR') return undefined;
  // The upper bits only distinguish variants of one primary code.
  return Number((error as { errcode?: unknown }).errcode) & 0xff;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
