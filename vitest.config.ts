import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // With the real agent CLIs: `npm run test:agents`.
    exclude: ['test/agents-real/**', '**/node_modules/**'],
    // Real processes and git repositories: slow machines need patience, not retries.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ['test/fixed-seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
  },
});
