import type { Migration } from '../migrate.ts';
import { tables } from './0001-tables.ts';

/** Applied in order and never reverted. A released migration is never edited; a change is a new file at the end. */
export const MIGRATIONS: readonly Migration[] = [tables];
