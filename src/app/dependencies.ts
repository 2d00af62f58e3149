import type { DeskCapabilities } from '../core/contracts/comment-context.ts';
import type { Rules } from '../core/contracts/rules.ts';
import type { InstalledRepository } from '../core/ports/cursors.ts';
import type { AppDeliveries, GitHub, InstallationStatus } from '../core/ports/github-port.ts';
import type { DeskStore, HostedStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import type { JobStarter } from './job-starter.ts';
import type { Ownership } from './ownership.ts';

/** A repository and the installation that gives access to it. */
export type Repository = Pick<RunTarget, 'installation_id' | 'owner' | 'repo'>;

interface AppSettings {
  /** The URL of GitHub's web pages, for links, without a trailing slash. */
  webUrl: string;
  /** The URL below which the pages of runs and the one-time form are, without a trailing slash. Absent: there are none. */
  pagesUrl?: string;
  capabilities: DeskCapabilities;
  label: string;
  /** The agent and the checks of repositories whose settings name none. */
  defaults?: { agent?: string; checks: string[] };
  /** Who lacks a permission that GitHub asks for, and how people give it. Absent: the App, on its page in the settings. */
  permissions?: { holder: string; remedy: string };
  /** A Slack-compatible webhook that every question is posted to. */
  notifyUrl?: string;
}

export interface AppLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything that handlers, effects and the reconcile of one issue use, whether or not the desk has a server. */
export interface AppDependencies {
  store: DeskStore;
  rules: Rules;
  /** Built-in agents, which a repository may name without configuring their command. */
  agents: readonly string[];
  /** `mayWrite` is asked just before a write leaves, and throws to hold it back. */
  github(repository: Repository, mayWrite?: () => void): Promise<GitHub>;
  jobs: JobStarter;
  ownership: Ownership;
  /** Whether the installation still exists and is not suspended. */
  installation?(id: number): Promise<InstallationStatus>;
  /** True for an error after which nothing more may be written, because another desk has the state. */
  mustStop?(error: unknown): boolean;
  /** For `/metrics`. */
  counters?: { add(name: string, labels?: Record<string, string>): void };
  settings: AppSettings;
  now(): Date;
  /** For elapsed time: milliseconds by a clock that nobody sets. */
  monotonicMs(): number;
  /** Does something a little later, unless the desk stops before. Absent: the desk does not stay that long. */
  later?(ms: number, work: () => Promise<void>): void;
  hash(text: string): string;
  fetch(
    url: string,
    init: { method: string; headers: Record<string, string>; body: string },
  ): Promise<{ ok: boolean; status: number }>;
  log: AppLog;
}

/** Everything the App uses, created by the entrypoint. */
export interface HostedDependencies extends AppDependencies {
  store: HostedStore;
  later: NonNullable<AppDependencies['later']>;
  /** Every repository the App is installed in, and the installations whose repositories could not be read. */
  repositories(): Promise<{
    repositories: InstalledRepository[];
    unread: { installation_id: number; error: unknown }[];
  }>;
  /** The rate limit of an installation. Undefined until GitHub has told it. */
  budget?(installation_id: number): { limit: number; remaining: number } | undefined;
  /** Failed webhook deliveries of the App. If absent, none are redelivered. */
  deliveries?: AppDeliveries;
  randomToken(): string;
}
