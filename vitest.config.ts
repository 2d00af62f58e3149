import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // With the real agent CLIs: `npm run test:agents`.
    exclude: ['test/agents-real/**', '**/node_modules/**'],
    // Real processes, git repositories and databases: slow machines need patience.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: ['test/fixed-seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // One more try where nobody watches; at a desk a test that fails now and then is seen at once.
    retry: process.env.CI ? 1 : 0,
  },
});
