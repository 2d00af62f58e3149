import * as z from 'zod';

const MAX_MINUTES = 100_000;

export const PositiveMinutes = z.number().positive().max(MAX_MINUTES);
export const POSITIVE_MINUTES = `minutes, a number above 0 and at most ${MAX_MINUTES}`;
