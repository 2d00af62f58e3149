import type { CommandName } from './command.ts';
import type { LimitsInForce } from './guard.ts';
import type { Role } from './role.ts';

/** What a comment needs to know beyond the record: where it stands, who is asked, and what this desk can offer. */
export interface CommentContext {
  /** Logins or teams that are asked, without the `@`: the only mentions a comment makes. */
  mentions?: readonly string[];
  /** Why them: `who labelled the issue`. */
  mention_reason?: string;
  /** The least role for a command, where the config asks for another than write. */
  roles?: Partial<Record<CommandName, Role>>;
  /** Number of the issue the work is for, where there is one. */
  issue?: number;
  links?: CommentLinks;
  /** Of a run that is over: its work did not get to where people look for it. */
  unpublished?: Unpublished;
  limits: LimitsInForce;
  capabilities: DeskCapabilities;
  /** Operation id: finds what was written when the response to a write was lost. */
  op: string;
}

export interface Unpublished {
  /** `it contains values that were given in secret` */
  why: string;
  /** What stays out, and what a person can do about it; a line each. */
  detail: string;
}

/** A frozen process and the one-time form exist only where they exist. */
interface DeskCapabilities {
  live: boolean;
  form: boolean;
}

interface CommentLinks {
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

const LOGIN = '[A-Za-z0-9][A-Za-z0-9_-]{0,38}';
const TEAM = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';

/** A GitHub login, or `organisation/team`, without the `@`: all that may ever stand behind an `@` of ours. */
export const MENTION_NAME = new RegExp(`^${LOGIN}(?:/${TEAM})?$`);
