import type { Migration } from '../migrate.ts';
import { tables } from './0001-tables.ts';

/** In order, forward only: what was released is never edited, the next change is a new file at the end. */
export const MIGRATIONS: readonly Migration[] = [tables];
