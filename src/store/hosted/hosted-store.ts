import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { Sealer } from '../seal.ts';
import { asUnavailable } from '../unavailable.ts';
import { createBlobs } from './blobs.ts';
import type { Database } from './database.ts';
import { createInbox } from './inbox.ts';
import { createMarks } from './marks.ts';
import { createOutbox } from './outbox.ts';
import { createRuns } from './runs.ts';
import { createSealedVault } from './sealed-vault.ts';
import { createSentComments } from './sent-comments.ts';
import { createTimers } from './timers.ts';
import { createTokens } from './tokens.ts';

/** The store of a hosted desk, on SQLite or PostgreSQL. */
export function createHostedStore(
  database: Database,
  sealer: Sealer,
  close: () => Promise<void>,
): HostedStore {
  let closing: Promise<void> | undefined;
  return {
    runs: withTypedErrors(createRuns(database)),
    inbox: withTypedErrors(createInbox(database, sealer)),
    outbox: withTypedErrors(createOutbox(database)),
    timers: withTypedErrors(createTimers(database)),
    blobs: withTypedErrors(createBlobs(database, sealer)),
    comments: withTypedErrors(createSentComments(database)),
    tokens: withTypedErrors(createTokens(database)),
    marks: withTypedErrors(createMarks(database)),
    vault: withTypedErrors(createSealedVault(database, sealer)),
    onWake: (listener) => database.onWake(listener),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Wraps every method of a part, because each is asynchronous and uses the database. */
function withTypedErrors<Part extends object>(part: Part): Part {
  const methods = Object.entries(part) as [string, (...args: unknown[]) => Promise<unknown>][];
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        try {
          return await method(...args);
        } catch (error) {
          throw asUnavailable(error);
        }
      },
    ]),
  ) as Part;
}
