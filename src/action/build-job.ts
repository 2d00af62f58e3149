import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuardLimits } from '../core/contracts/guard.ts';
import type { Changeset } from '../core/work/changeset.ts';
import { openAgentConfig } from '../runner/agent/agent-config.ts';
import { removeConversations } from '../runner/agent/agent-home.ts';
import { restoreAgentConfig } from '../runner/agent/restore-agent-config.ts';
import { saveCheckpoint } from '../runner/checkpoint/checkpoint.ts';
import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { keepStateDir, writeStateFile } from '../runner/job/keep-state-dir.ts';
import { type JobEnd, runJob } from '../runner/job/run-job.ts';
import { openStateDir } from '../runner/job/state-dir.ts';
import { markChecks } from '../runner/process/orphans.ts';
import { makeChangeset } from '../runner/workspace/make-changeset.ts';
import { openWorkspace } from '../runner/workspace/workspace.ts';
import { agentsOf } from './agents-of.ts';
import type { BuildParts } from './build-job-input.ts';
import { createJobLink, type Said } from './job-link.ts';
import { createProgressView } from './progress-view.ts';
import { takeUp } from './restore-work.ts';
import { saveJobCheckpoint } from './save-checkpoint.ts';

const TICK_MS = 1_000;
/** Actions gives a cancelled step ten seconds: ending the agent must leave time to save the work. */
const GRACE_MS = 2_000;

interface BuildEnd {
  end: JobEnd;
  said: Said;
  leftOut: Changeset['left_out'];
}

/** One job of a run: takes up the work where the last one left it, and leaves it so that the next one can. */
export async function runBuildJob(parts: BuildParts): Promise<BuildEnd> {
  const { link, log, worktree, runDir, repository, env, now } = parts;
  const { brief, place } = link.claimed;
  const { config, objects } = repository;
  const agentFor = agentsOf(config);
  const home = join(runDir, 'agent-home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const starting = agentFor(brief.agent);
  const { restored, removed } = await restoreAgentConfig(worktree, objects, place.head_sha, starting);
  for (const path of [...restored, ...removed]) log.print(`${path} is as in ${place.head_sha} again.`);
  const stateDir = await openStateDir({ worktree, stateDir: config.state_dir, taskId: brief.task.id });
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(runDir, 'git'),
    stateDir: config.state_dir,
    path: env.PATH,
  });
  // Before the changes so far come in: those are the run's own.
  const agentConfig = await openAgentConfig(workspace, join(runDir, 'agent-config'));
  const said: Said = { turns: [] };
  const { aside, sessions, ...used } = await takeUp(parts, agentFor, home);
  saveCheckpoint({ runDir }, { aside, sessions, ...used });
  let agentAtWork = brief.agent;
  let changeset: Changeset = { base_sha: place.head_sha, files: [], left_out: [] };
  const progress = createProgressView(log);

  const jobLink = createJobLink(link, {
    log,
    said,
    env,
    limits: brief.limits as GuardLimits,
    async saveChanges() {
      progress.flush();
      changeset = await makeChangeset(workspace, place.head_sha);
      const taken = await link.putBlob('changeset', Buffer.from(JSON.stringify(changeset)));
      if (!taken)
        log.print(
          'The desk keeps the changes it has: they are being verified, a person is asked about them, or the run is over.',
        );
    },
    onAgent(name) {
      agentAtWork = name;
    },
    saveCheckpoint: () =>
      saveJobCheckpoint(parts, { changeset, home, agent: agentFor(agentAtWork), agentConfig, workspace }),
    async saveReport(report) {
      const text = `${JSON.stringify(report, null, 2)}\n`;
      try {
        await keepStateDir(worktree, stateDir);
        await writeStateFile(worktree, stateDir, { name: 'blocked_report.json', text, mode: 0o644 });
      } catch (error) {
        // The desk has it all the same: a worktree that takes no file must not cost the run.
        log.annotate('warning', `The blocked report could not be saved: ${(error as Error).message}`);
      }
    },
  });
  const limitMs = parts.jobMinutes * 60_000;
  const end = await runJob({
    brief,
    link: jobLink,
    workspace,
    stateDir,
    runDir,
    aside,
    agentConfig,
    lastTree: await workspace.snapshot(),
    agentFor,
    sessions,
    hookFor: (agent) => [...parts.self, 'hook', agent],
    agentEnv: env,
    checkEnv: markChecks(scrubEnv(env, []), brief.run),
    settings: {
      holdMs: config.limits.hold_minutes * 60_000,
      turnMs: config.limits.turn_minutes * 60_000,
      checkMs: config.limits.check_minutes * 60_000,
      /** Actions counts the whole time, also that of waiting: near its end no working time is left. */
      get jobMs() {
        return now().getTime() - parts.startedAt.getTime() >= limitMs * 0.9 ? 0 : limitMs;
      },
      tickMs: TICK_MS,
      graceMs: GRACE_MS,
      junit: config.junit,
      useCgroup: true,
    },
    now,
    parking: parts.parking,
    onProgress: progress.show,
  });
  progress.flush();
  log.endGroup();
  // The desk has what a successor needs; the machine may be used again.
  await removeConversations(runDir);
  return { end, said, leftOut: changeset.left_out };
}
