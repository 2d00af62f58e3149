import type { Rules } from '../core/contracts/rules.ts';
import type { AppDeliveries, GitHub, InstallationStatus } from '../core/ports/github-port.ts';
import type { HostedStore, RunTarget } from '../core/ports/hosted-ports.ts';

/** Which repository of which installation. */
export type Repository = Pick<RunTarget, 'installation_id' | 'owner' | 'repo'>;

interface AppSettings {
  appId: number;
  /** Where people and jobs reach this desk, without a slash at the end. */
  publicUrl: string;
  /** GitHub as people see it, for links, without a slash at the end. */
  webUrl: string;
  /** Whether pages are served at `publicUrl`: those of runs, and the one-time form. */
  pages: boolean;
  label: string;
  /** Slack-compatible; every question is posted there. */
  notifyUrl?: string;
}

export interface AppLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything the App is made of, handed in by the entrypoint. */
export interface AppDependencies {
  store: HostedStore;
  rules: Rules;
  /** Agents a repository may name without saying how they are called. */
  agents: readonly string[];
  github(repository: Repository): Promise<GitHub>;
  /** Every repository the App is installed in, for what webhooks did not tell. */
  repositories(): Promise<Repository[]>;
  /** The App's webhooks that failed. Absent: nobody sends any again. */
  deliveries?: AppDeliveries;
  /** Whether the App may still work there. */
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
