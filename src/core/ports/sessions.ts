/** Signed-in people. Only hashes of the cookies are stored. */
export interface Sessions {
  add(session: { hash: string; login: string; ttlMs: number }): Promise<void>;
  /** Undefined if there is none, or its time is over by the database's clock. */
  find(hash: string): Promise<{ login: string; age_ms: number } | undefined>;
  /** Gives the session another cookie. The old one stays good for `graceMs`, for requests that are under way. */
  rotate(hash: string, next: { hash: string; ttlMs: number; graceMs: number }): Promise<void>;
  /** Ends the session, with every cookie that it has had. */
  end(hash: string): Promise<void>;
}
