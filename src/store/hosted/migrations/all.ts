import type { Migration } from '../migrate.ts';
import { tables } from './0001-tables.ts';
import { lanesAndRecords } from './0002-lanes-and-records.ts';

/** In order, forward only: a released migration is never edited, the next change is a new file at the end. */
export const MIGRATIONS: readonly Migration[] = [tables, lanesAndRecords];
