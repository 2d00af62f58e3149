/** What a comment needs to know beyond the record: where it stands, who is asked, and what this desk can offer. */
export interface CommentContext {
  /** Logins or teams that are asked, without the `@`: the only mentions a comment makes. */
  mentions?: readonly string[];
  /** Why them: `who labelled the issue`. */
  mention_reason?: string;
  /** Number of the issue the work is for, where there is one. */
  issue?: number;
  links?: CommentLinks;
  capabilities: DeskCapabilities;
  /** Operation id: finds what was written when the response to a write was lost. */
  op: string;
}

/** A frozen process and the one-time form exist only where they exist. */
export interface DeskCapabilities {
  live: boolean;
  form: boolean;
}

export interface CommentLinks {
  run_page?: string;
  /** The question's own comment. */
  question?: string;
  /** One-time form, by the key of the input. */
  forms?: Record<string, string>;
  changes?: string;
  log?: string;
  report_json?: string;
  /** The status comment, from the pull request. */
  status?: string;
  /** Base of links to files at the commit they were seen at, ending in a slash. */
  files?: string;
  pull_request?: { number: number; url: string };
}
