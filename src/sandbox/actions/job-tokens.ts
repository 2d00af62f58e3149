import { randomBytes } from 'node:crypto';
import type { createCallers } from '../github/callers.ts';
import { ACTIONS_BOT } from '../github/emulator.ts';
import type { RunningJob, StartedJob } from './job.ts';
import type { TokenPermissions } from './token-permissions.ts';

interface JobTokens {
  /** Starts a job with a token of its own, which ends with it. */
  start(job: Omit<StartedJob, 'token'>, permissions: TokenPermissions): RunningJob;
  /** Ends a job like a machine that loses power: nothing that it still asks is answered. */
  kill(run: number, job: string): void;
  isKilled(token: string | undefined): boolean;
}

export function createJobTokens(
  callers: ReturnType<typeof createCallers>,
  start: (job: StartedJob) => RunningJob,
): JobTokens {
  const running = new Map<string, { token: string; end(): void; kill?(): void }>();
  const killed = new Set<string>();
  return {
    isKilled: (token) => token !== undefined && killed.has(token),
    start(job, permissions) {
      const token = `ghs_${randomBytes(20).toString('hex')}`;
      const key = `${job.id} ${job.job}`;
      callers.addJob(token, { kind: 'job', login: ACTIONS_BOT, permissions, run: job.id, job: job.job });
      const github = { ...job.contexts.github, token };
      const secrets = { ...job.contexts.secrets, GITHUB_TOKEN: token };
      const begun = start({ ...job, token, contexts: { ...job.contexts, github, secrets } });
      const { promise, resolve } = Promise.withResolvers<'failure'>();
      running.set(key, { token, end: () => resolve('failure'), kill: begun.kill?.bind(begun) });
      const ended = Promise.race([begun.ended, promise]).finally(() => {
        running.delete(key);
        callers.endJob(token);
      });
      return { ...begun, ended };
    },
    kill(run, job) {
      const found = running.get(`${run} ${job}`);
      if (!found) throw new Error(`Job ${job} of run ${run} is not running.`);
      killed.add(found.token);
      found.kill?.();
      found.end();
    },
  };
}
