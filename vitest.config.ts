import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';
/** With the real agent CLIs: `npm run test:agents`. */
const REAL_AGENTS = 'test/agents-real/**';
/** Stories that stay among the other tests: one for each desk, one of a round, the table of desks, and the everyday ones at a terminal. */
const EVERYDAY = {
  'test/e2e-github': ['desks', 'story', 'no-server', 'rounds'],
  'test/e2e': ['answers', 'bad-input', 'lifecycle', 'own-files', 'typed-ahead'],
};
/** Stories with many processes, long races, and what takes longest for other reasons: `npm run test:stories`. */
export const STORIES = [
  ...Object.entries(EVERYDAY).flatMap(([folder, everyday]) =>
    readdirSync(join(import.meta.dirname, folder))
      .filter((name) => name.endsWith('.test.ts') && !everyday.includes(name.replace('.test.ts', '')))
      .map((name) => `${folder}/${name}`),
  ),
  'test/sandbox/demo.test.ts',
  'test/action.no-server.test.ts',
  'test/actions-desk/run-desk.all-races.test.ts',
  'test/app/effects/answer-remarks.test.ts',
  'test/app/effects/run-ci.rounds.test.ts',
  'test/app/publish/late-work.test.ts',
  'test/app/publish/late-work.build.test.ts',
  'test/app/revise/follow-head.failures.test.ts',
  'test/app/revise/follow-head.test.ts',
  'test/app/revise/read-update.test.ts',
  'test/attacks/s-4-rounds.test.ts',
  'test/scripts/release.test.ts',
  'test/server.test.ts',
  'test/store/ref/ref-store.races.test.ts',
];
/** Test files that count steps need processes of their own, where V8 counts from the beginning. */
const COUNTED = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) =>
    /from '.*\/expect-linear\.ts'/.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
  );

export const common = {
  // Real processes, git repositories and databases: these only end a hang, also on a machine that is busy elsewhere.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  globalSetup: ['test/shared-directory.ts'],
  pool: 'forks',
  // Twice the cores of the smallest machine, because end-to-end tests mostly wait for processes.
  maxWorkers: 4,
  // A file in a process of its own loads everything again, which took longer than most files take. Whoever changes
  // something of the process (environment, clock, network) therefore restores it.
  isolate: false,
  // Node strips the types itself, as it does for the users.
  experimental: { viteModuleRunner: false },
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: [ALL],
          exclude: [REAL_AGENTS, ...STORIES, '**/node_modules/**', ...COUNTED],
          setupFiles: ['test/fixed-seed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'linear',
          include: COUNTED,
          setupFiles: ['test/fixed-seed.ts', 'test/counted-steps.ts'],
        },
      },
    ],
  },
});
