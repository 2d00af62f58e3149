import type { CommandName } from './command.ts';
import type { LimitsInForce } from './guard.ts';
import type { Role } from './role.ts';

/** The facts a comment needs beyond the record: links, the people who are asked, and the abilities of this desk. */
export interface CommentContext {
  /** Logins or teams that are asked, without the `@`. A comment mentions nobody else. */
  mentions?: readonly string[];
  /** The reason why these people are asked: `you labelled the issue`. */
  mention_reason?: string;
  /** Logins or teams that are asked as well, because this many reminders were not answered. */
  escalated?: { to: readonly string[]; after: number };
  /** The least role for a command, where the config demands another one than write. */
  roles?: Partial<Record<CommandName, Role>>;
  /** The number of the issue that the run builds, if it builds one. */
  issue?: number;
  links?: CommentLinks;
  /** Set when the run has ended and its work could not be published. */
  unpublished?: Unpublished;
  /** When the job was last heard, if it has been silent for too long. */
  silent_since?: string;
  /** The newest job that said things which do not count, and how many for which reason. The reasons are in our own words. */
  dropped?: { job: number; reasons: Record<string, number> };
  /** The job has claimed its ticket, and steps of the workflow run before it begins. */
  setting_up?: boolean;
  /** The run waits for a machine, because others of its repository use all that it may use at once. */
  queued?: { building: number; position: number };
  limits: LimitsInForce;
  capabilities: DeskCapabilities;
  /** Operation id, which finds the comment again when the response to its write was lost. */
  op: string;
}

export interface Unpublished {
  /** `it contains values that were given in secret` */
  why: string;
  /** One line each: the parts that stay unpublished, and the way a person can fix it. */
  detail: string;
  /** For work that is pushed: the place where a person can open its pull request. */
  link?: { text: string; url: string };
}

/** Features that not every desk has. Comments offer only those of their desk. */
export interface DeskCapabilities {
  /** An answer reaches an agent that is frozen, and a hint one that works. */
  live: boolean;
  /** The one-time form for secrets. */
  form: boolean;
  /** The one Actions secret with all values that are secret, a line `KEY=value` for each. Absent: each is a secret of its own. */
  env_secret?: string;
  /** About how many minutes pass until an answer has an effect, where a machine has to start for it. Absent: seconds. */
  answer_minutes?: number;
  /** Nobody is reminded at a certain time, because this desk is there only when something happens. */
  reminders?: false;
  /** GitHub itself holds CI back until a person approves it. Absent: the run's commits skip CI, and a box starts it. */
  ci_approval?: true;
  /** Limits for all runs of a repository together are not known here. */
  repository_limits?: false;
  /** GitHub never lets this desk commit files below `.github/workflows`. Absent: it may, with a permission. */
  workflow_files?: false;
  /** The status shows this for as long as the run is under way. */
  remark?: string;
}

interface CommentLinks {
  run_page?: string;
  /** The question's own comment. */
  question?: string;
  /** One-time forms by the key of their input. */
  forms?: Record<string, string>;
  changes?: string;
  /** Everything that the open question proposes to change, on one page. */
  diff?: string;
  log?: string;
  report_json?: string;
  /** The status comment, linked from the pull request. */
  status?: string;
  /** The base of links to files, at the commit where they were seen. Ends with a slash. */
  files?: string;
  pull_request?: { number: number; url: string };
}

const LOGIN = '[A-Za-z0-9][A-Za-z0-9_-]{0,38}';
const TEAM = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';

/** A GitHub login, or `organisation/team`, without the `@`. Autobuild writes nothing else behind an `@`. */
export const MENTION_NAME = new RegExp(`^${LOGIN}(?:/${TEAM})?$`);
