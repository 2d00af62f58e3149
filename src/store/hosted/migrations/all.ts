import type { Migration } from '../migrate.ts';
import { tables } from './0001-tables.ts';
import { lanesAndRecords } from './0002-lanes-and-records.ts';
import { pages } from './0003-pages.ts';
import { slotsAndSpending } from './0004-slots-and-spending.ts';
import { timersPutOff } from './0005-timers-put-off.ts';
import { endedRuns } from './0006-ended-runs.ts';
import { retention } from './0007-retention.ts';
import { urgentEffects } from './0008-urgent-effects.ts';
import { stoppingJobs } from './0009-stopping-jobs.ts';
import { effectsOfInstallations } from './0010-effects-of-installations.ts';
import { webhooksOfInstallations } from './0011-webhooks-of-installations.ts';

/** In order, forward only: a released migration is never edited, the next change is a new file at the end. */
export const MIGRATIONS: readonly Migration[] = [
  tables,
  lanesAndRecords,
  pages,
  slotsAndSpending,
  timersPutOff,
  endedRuns,
  retention,
  urgentEffects,
  stoppingJobs,
  effectsOfInstallations,
  webhooksOfInstallations,
];
