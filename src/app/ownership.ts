import type { IssueEvent } from '../core/ports/github-port.ts';

/** A comment as GitHub tells of it. */
interface Written {
  body: string;
  author: string;
  author_type: string;
  app_id?: number;
}

/** Tells what this desk wrote or did from what others did under the same name. */
export interface Ownership {
  /**
   * Whether this desk may have written the comment on the issue or pull request. It counts only for a comment whose id is not
   * recorded yet.
   */
  isOurs(comment: Written, issue: number): boolean;
  /** The operation that wrote the comment, where the text itself proves it. */
  opOf?(comment: Written, issue: number): string | undefined;
  /** Whether this desk caused an entry in the history of an issue. An event tells only who sent it. */
  didWe(event: Pick<IssueEvent, 'actor' | 'actor_type' | 'app_id'>): boolean;
  /** Whether a bot is known to be another App's, so that what it did is not ours. */
  isOtherBot(login: string): boolean;
  /** The text with everything that `isOurs` will know it by. */
  sign(body: string, issue: number): string;
}
