import { defineConfig } from 'vitest/config';

/** The real agent CLIs against scripted models: `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ['test/agents-real/**/*.test.ts'],
    globalSetup: ['test/agents-real/install-clis.ts'],
    // Each of these programs wants a core and some hundred megabytes for itself.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // One more try where nobody watches; at a desk a test that fails now and then is seen at once.
    retry: process.env.CI ? 1 : 0,
  },
});
