import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // With the real agent CLIs: `npm run test:agents`.
    exclude: ['test/agents-real/**', '**/node_modules/**'],
    // Real processes, git repositories and databases: these only end a hang, also on a machine that is busy elsewhere.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/fixed-seed.ts'],
    pool: 'forks',
    maxWorkers: 2,
  },
});
