import type { JobKind } from './job-api.ts';

/** The dispatch that a ticket or token belongs to. */
export interface JobIdentity {
  /** The operation id of the dispatch. */
  op: string;
  run: string;
  job: number;
  kind: JobKind;
  verification?: string;
}

export interface Ticket extends JobIdentity {
  expires_at: string;
  revoked: boolean;
  /** The Actions run that redeemed the ticket. */
  actions_run?: number;
  attempt?: number;
  /** Hash of the nonce of the claim that redeemed it. */
  nonce?: string;
}

/** A ticket starts a job once; a token authenticates the job after that. Only hashes are stored. */
export interface Tickets {
  add(ticket: { hash: string; op: string; expires_at: string }): Promise<void>;
  /** Finds a ticket whether it was redeemed or not. */
  find(hash: string): Promise<Ticket | undefined>;
  /** Succeeds for one Actions run only, and again for later attempts of that Actions run, which ends the token of the earlier one. */
  redeem(
    hash: string,
    claim: { actions_run: number; attempt: number; nonce?: string; now: string },
  ): Promise<boolean>;
  /** A dispatch has one token. It is taken if that is another one. */
  addToken(hash: string, op: string): Promise<'added' | 'taken' | 'revoked'>;
  findToken(hash: string): Promise<JobIdentity | undefined>;
  /** Revokes the tokens and tickets of one dispatch. */
  revoke(op: string): Promise<void>;
}
