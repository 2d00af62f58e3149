/** The store is full, locked, restarting or unreachable. The operation is safe to retry, so an HTTP handler responds with 503. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly status = 503;
}
