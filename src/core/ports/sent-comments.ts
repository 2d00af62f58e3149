/** A comment that this App writes, known from before its first try. */
export interface SentComment {
  /** The operation that writes it. Its marker in the comment carries the same id. */
  op: string;
  run?: string;
  /** When GitHub was first asked to create it. From then on it may exist although no response came. */
  tried_at: string;
  comment_id?: number;
  node_id?: string;
  /** Hash of the body as it was last written; empty if the comment must be written again even if nothing changed. */
  body_hash?: string;
  /** The question whose options the comment shows. */
  escalation?: string;
  minimised?: boolean;
}

export interface SentComments {
  find(op: string): Promise<SentComment | undefined>;
  /** The newest operation on a comment. */
  ofComment(commentId: number): Promise<SentComment | undefined>;
  /** The newest comment of the run whose operation matches the kind, such as `review`; with `before`, the newest older than that. */
  newest(run: string, kind: string, before?: string): Promise<SentComment | undefined>;
  /** Adds the comment with `tried_at`, or changes it. */
  save(
    op: string,
    change: Partial<Omit<SentComment, 'op' | 'tried_at'>> & { kind?: string },
  ): Promise<SentComment>;
}
