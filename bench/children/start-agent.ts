import { randomBytes } from 'node:crypto';
import { runBuildJob } from '../../src/action/build-job.ts';
import { openRepository } from '../../src/action/open-repository.ts';
import { readDispatch } from '../../src/action/read-dispatch.ts';
import { runVerifyJob } from '../../src/action/verify-job.ts';
import { renderStepSummary } from '../../src/comments/github/render-step-summary.ts';
import { createHttpLink } from '../../src/link/http.ts';
import { openBox } from '../../src/runner/box/open-box.ts';
import { superviseAgent } from '../../src/runner/process/supervise.ts';

/**
 * Loads everything the action loads, then starts its agent. Desk, git and checks are left out, because their time is
 * not the action's. With `group` as argument, the agent gets a control group; with a directory, the box is chosen and made there.
 */
const loaded = [runBuildJob, openRepository, readDispatch, runVerifyJob, renderStepSummary, createHttpLink];
const [wanted] = process.argv.slice(2);
const plan = { worktree: '/', hidden: [], shared: [], readable: [] };
const box =
  wanted && wanted !== 'group'
    ? openBox({ ...plan, directory: wanted }, 'best', { byRoot: true })
    : undefined;
superviseAgent({
  enter: box?.enter,
  useCgroup: wanted !== undefined,
  argv: ['/bin/echo', String(loaded.length)],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  stdin: '',
  mark: `bench-${randomBytes(12).toString('hex')}`,
  // The agent has started.
  onLine: () => process.exit(0),
  onOverlong: () => undefined,
  onStderr: () => undefined,
});
