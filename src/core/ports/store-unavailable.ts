/** The store is full, locked, restarting or away: nothing was done, or what was done is safe to do again. A caller answers 503. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly status = 503;
}
