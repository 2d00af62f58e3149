import { defineConfig } from 'vitest/config';
import { common, STORIES } from './vitest.config.ts';

/** Whole stories on the local GitHub, on both desks, and at a terminal: `npm run test:stories`. */
export default defineConfig({
  test: { ...common, include: STORIES, setupFiles: ['test/fixed-seed.ts'] },
});
