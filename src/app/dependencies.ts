import type { Rules } from '../core/contracts/rules.ts';
import type { InstalledRepository } from '../core/ports/cursors.ts';
import type { AppDeliveries, GitHub, InstallationStatus } from '../core/ports/github-port.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';

/** A repository and the installation that gives access to it. */
export type Repository = Pick<RunTarget, 'installation_id' | 'owner' | 'repo'>;

interface AppSettings {
  appId: number;
  /** The App's name in its bot's login. Undefined until GitHub has told it. */
  readonly slug?: string;
  /** The desk's URL for people and jobs, without a trailing slash. */
  publicUrl: string;
  /** The URL of GitHub's web pages, for links, without a trailing slash. */
  webUrl: string;
  /** Whether the pages of runs and the one-time form are served at `publicUrl`. */
  pages: boolean;
  label: string;
  /** A Slack-compatible webhook that every question is posted to. */
  notifyUrl?: string;
}

export interface AppLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything the App uses, created by the entrypoint. */
export interface AppDependencies {
  store: HostedStore;
  rules: Rules;
  /** Built-in agents, which a repository may name without configuring their command. */
  agents: readonly string[];
  github(repository: Repository): Promise<GitHub>;
  /** Every repository the App is installed in, and the installations whose repositories could not be read. */
  repositories(): Promise<{
    repositories: InstalledRepository[];
    unread: { installation_id: number; error: unknown }[];
  }>;
  /** The rate limit of an installation. Undefined until GitHub has told it. */
  budget?(installation_id: number): { limit: number; remaining: number } | undefined;
  /** Failed webhook deliveries of the App. If absent, none are redelivered. */
  deliveries?: AppDeliveries;
  /** Whether the installation still exists and is not suspended. */
  installation?(id: number): Promise<InstallationStatus>;
  /** For `/metrics`. */
  counters?: { add(name: string, labels?: Record<string, string>): void };
  settings: AppSettings;
  now(): Date;
  randomToken(): string;
  hash(text: string): string;
  fetch(
    url: string,
    init: { method: string; headers: Record<string, string>; body: string },
  ): Promise<{ ok: boolean; status: number }>;
  log: AppLog;
}
