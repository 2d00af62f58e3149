import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Changeset } from '../core/work/changeset.ts';
import { openAgentConfig } from '../runner/agent/agent-config.ts';
import { removeConversations } from '../runner/agent/agent-home.ts';
import { restoreAgentConfig } from '../runner/agent/restore-agent-config.ts';
import { saveCheckpoint } from '../runner/checkpoint/checkpoint.ts';
import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { checkBoxOf } from '../runner/job/check-box.ts';
import { repairStateDir, writeStateFile } from '../runner/job/repair-state-dir.ts';
import { type JobEnd, runJob } from '../runner/job/run-job.ts';
import { openStateDir } from '../runner/job/state-dir.ts';
import { markChecks } from '../runner/process/orphans.ts';
import { makeChangeset } from '../runner/workspace/make-changeset.ts';
import { openWorkspace } from '../runner/workspace/workspace.ts';
import { agentsOf } from './agents-of.ts';
import type { BuildJobInput } from './build-job-input.ts';
import { createJobLink, type JobHistory } from './job-link.ts';
import { leaveOutSecrets } from './leave-out-secrets.ts';
import { mergeRound } from './merge-round.ts';
import { placeReport } from './place-report.ts';
import { createProgressView } from './progress-view.ts';
import { restoreWork } from './restore-work.ts';
import { saveJobCheckpoint } from './save-checkpoint.ts';

const TICK_MS = 1_000;
/** Actions gives a cancelled step ten seconds, and ending the agent must leave time to save the work. */
const GRACE_MS = 2_000;

interface BuildEnd {
  end: JobEnd;
  history: JobHistory;
  leftOut: Changeset['left_out'];
}

/** Runs one job of a run. It restores the work of the job before and saves its own for the next one. */
export async function runBuildJob(input: BuildJobInput): Promise<BuildEnd> {
  const { link, log, worktree, runDir, repository, env, now } = input;
  const secrets = input.secrets ?? { names: [], values: [] };
  const { brief, place } = link.claimed;
  const { config, objects } = repository;
  const agentFor = agentsOf(config);
  const home = join(runDir, 'agent-home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const starting = agentFor(brief.agent);
  const { restored, removed } = await restoreAgentConfig(worktree, objects, place.head_sha, starting);
  for (const path of [...restored, ...removed]) log.print(`${path} was restored as in ${place.head_sha}.`);
  const stateDir = await openStateDir({ worktree, stateDir: config.state_dir, taskId: brief.task.id });
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(runDir, 'git'),
    stateDir: config.state_dir,
    path: env.PATH,
  });
  const merge = await mergeRound(workspace, objects, link, place.head_sha);
  // Opened before the changes so far are restored, because those belong to the run.
  const agentConfig = await openAgentConfig(workspace, join(runDir, 'agent-config'));
  await merge?.settle();
  const history: JobHistory = { turns: [] };
  const { aside, sessions, ...used } = await restoreWork(input, agentFor, home);
  saveCheckpoint({ runDir }, { aside, sessions, ...used });
  let agentAtWork = brief.agent;
  let changeset: Changeset = { base_sha: place.head_sha, files: [], left_out: [] };
  let reported: string | undefined;
  const progress = createProgressView(log);

  const jobLink = createJobLink(link, {
    log,
    history,
    env,
    secrets: secrets.values,
    limits: brief.limits,
    async saveChanges() {
      progress.flush();
      const made = merge ? merge.changeset() : makeChangeset(workspace, place.head_sha);
      changeset = leaveOutSecrets(await made, secrets.values, secrets.asked);
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
      saveJobCheckpoint(input, { changeset, home, agent: agentFor(agentAtWork), agentConfig, workspace }),
    async saveReport(report) {
      const text = `${JSON.stringify(report, null, 2)}\n`;
      reported = text;
      try {
        await placeReport(dirname(runDir), text);
        await repairStateDir(worktree, stateDir);
        await writeStateFile(worktree, stateDir, { name: 'blocked_report.json', text, mode: 0o644 });
      } catch (error) {
        // A worktree that cannot be written to must not fail the run, because the desk has the report already.
        log.annotate('warning', `The blocked report could not be saved: ${(error as Error).message}`);
      }
    },
  });
  const limitMs = input.jobMinutes * 60_000;
  const end = await runJob({
    brief,
    link: jobLink,
    workspace,
    stateDir,
    runDir,
    aside,
    agentConfig,
    lastTree: await workspace.snapshot(),
    merge,
    agentFor,
    sessions,
    hookFor: (agent) => [...input.self, 'hook', agent],
    agentEnv: env,
    checkEnv: markChecks(scrubEnv(env, secrets.names), brief.run),
    box: input.box,
    checkBox: checkBoxOf(input.box, config.check_isolation),
    settings: {
      holdMs: link.isLive ? config.limits.hold_minutes * 60_000 : 0,
      turnMs: config.limits.turn_minutes * 60_000,
      checkMs: config.limits.check_minutes * 60_000,
      /** Actions counts waiting as job time, so near the limit no working time is left. */
      get jobMs() {
        return now().getTime() - input.startedAt.getTime() >= limitMs * 0.9 ? 0 : limitMs;
      },
      tickMs: TICK_MS,
      graceMs: GRACE_MS,
      junit: config.junit,
      useCgroup: true,
      sharedSecret: input.sharedSecret,
    },
    now,
    parking: input.parking,
    onProgress: progress.show,
  });
  progress.flush();
  log.endGroup();
  // Again, because what the agent may have put there since is uploaded otherwise.
  await placeReport(dirname(runDir), reported);
  // The desk has everything a successor needs, and the machine may be used by others.
  await removeConversations(runDir);
  return { end, history, leftOut: changeset.left_out };
}
