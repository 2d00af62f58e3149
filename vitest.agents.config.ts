import { defineConfig } from 'vitest/config';

/** The real agent CLIs against scripted models: `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ['test/agents-real/**/*.test.ts'],
    globalSetup: ['test/agents-real/install-clis.ts'],
    // Each of these programs wants a core and some hundred megabytes for itself.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
