import type { Rules } from '../core/contracts/rules.ts';
import type { DeskStore } from '../core/ports/hosted-store.ts';

/** The parts of a desk that take in the claims of a job, with a server or without. */
export interface ClaimsDesk {
  store: Pick<DeskStore, 'runs' | 'blobs' | 'vault' | 'spending'>;
  rules: Rules;
  log: { warn(fields: object, message: string): void };
  now(): Date;
}
