import { defineConfig } from 'vitest/config';

/** The real agent CLIs against scripted models: `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ['test/agents-real/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Each of these programs wants a core and some hundred megabytes for itself.
    fileParallelism: false,
  },
});
