import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { SetAside } from '../core/change.ts';
import { Changeset } from '../core/changeset.ts';
import type { HttpLink } from '../link/http.ts';
import { applyChangeset } from '../runner/apply-changeset.ts';
import { loadCheckpoint, saveCheckpoint } from '../runner/checkpoint.ts';
import { keepStateDir, writeStateFile } from '../runner/keep-state-dir.ts';
import { makeChangeset } from '../runner/make-changeset.ts';
import { markChecks } from '../runner/orphans.ts';
import { CheckpointError, packCheckpoint, unpackCheckpoint } from '../runner/pack-checkpoint.ts';
import { restoreAgentConfig } from '../runner/restore-agent-config.ts';
import { restoreCheckpoint } from '../runner/restore-checkpoint.ts';
import { type JobEnd, runJob } from '../runner/run-job.ts';
import { scrubEnv } from '../runner/scrub-env.ts';
import { openStateDir } from '../runner/state-dir.ts';
import type { ActionLog } from '../runner/workflow-commands.ts';
import { openWorkspace } from '../runner/workspace.ts';
import { agentsOf } from './agents-of.ts';
import { createJobLink, type Said } from './job-link.ts';
import type { CheckedOut } from './open-repository.ts';
import { createProgressView } from './show-progress.ts';

const TICK_MS = 1_000;
/** Actions gives a cancelled step ten seconds: ending the agent must leave time to save the work. */
const GRACE_MS = 2_000;

export interface BuildParts {
  link: HttpLink;
  log: ActionLog;
  worktree: string;
  /** Outside the worktree. */
  runDir: string;
  repository: CheckedOut;
  env: Record<string, string>;
  jobMinutes: number;
  startedAt: Date;
  now(): Date;
  parking: AbortSignal;
  /** How this very program is called again, by an agent's hook. */
  self: string[];
}

export interface BuildEnd {
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
  const { restored, removed } = await restoreAgentConfig(worktree, objects, place.head_sha);
  for (const path of [...restored, ...removed]) log.print(`${path} is as in ${place.head_sha} again.`);
  const stateDir = await openStateDir({ worktree, stateDir: config.state_dir, taskId: brief.task.id });
  const workspace = await openWorkspace({
    worktree,
    gitDir: join(runDir, 'git'),
    stateDir: config.state_dir,
    path: env.PATH,
  });
  const said: Said = { turns: [] };
  const { aside, session: earlier } = await takeUp(parts, agentFor, home);
  saveCheckpoint({ runDir }, { aside });
  const conversation = { agent: brief.agent, session: earlier };
  let changeset: Changeset = { base_sha: place.head_sha, files: [], left_out: [] };
  const progress = createProgressView(log);

  const jobLink = createJobLink(link, {
    log,
    said,
    async saveChanges() {
      progress.flush();
      changeset = await makeChangeset(workspace, place.head_sha);
      await link.putBlob('changeset', Buffer.from(JSON.stringify(changeset)));
    },
    async saveCheckpoint() {
      const agent = agentFor(conversation.agent);
      const { session } = conversation;
      const saved = {
        run: brief.run,
        worktree,
        home,
        changeset,
        aside: loadCheckpoint(runDir).aside,
        conversation: agent && session ? { agent, session } : undefined,
      };
      await link.putBlob('checkpoint', await packWithin(saved, log));
    },
    async onBlockedReport(report) {
      said.blockedReport = report;
      const text = `${JSON.stringify(report, null, 2)}\n`;
      await keepStateDir(worktree, stateDir);
      await writeStateFile(worktree, stateDir, { name: 'blocked_report.json', text, mode: 0o644 });
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
    lastTree: await workspace.snapshot(),
    agentFor,
    sessions: earlier ? { [brief.agent]: earlier } : {},
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
    onProgress(shown) {
      if (shown.type === 'agent' && shown.event.type === 'session') conversation.session = shown.event.id;
      progress.show(shown);
    },
  });
  progress.flush();
  log.endGroup();
  return { end, said, leftOut: changeset.left_out };
}

/** The newest files are those of the last turn's end; the checkpoint knows what else there was when the job parked. */
async function takeUp(
  { link, log, worktree, runDir }: BuildParts,
  agentFor: (name: string) => Agent | undefined,
  home: string,
): Promise<{ aside: SetAside[]; session?: string }> {
  const { brief, place } = link.claimed;
  const [saved, files] = await Promise.all([link.getBlob('checkpoint'), link.getBlob('changeset')]);
  const changeset = files && readChangeset(files);
  const checkpoint = saved && (await unpackCheckpoint(saved, brief.run).catch(warnAbout(log)));
  if (checkpoint) {
    return restoreCheckpoint(
      { ...checkpoint, changeset: changeset ?? checkpoint.changeset },
      { worktree, headSha: place.head_sha, asideDir: join(runDir, 'aside'), home, agentFor },
    );
  }
  if (changeset) await applyChangeset(worktree, changeset, place.head_sha);
  return { aside: [] };
}

export function readChangeset(bytes: Uint8Array): Changeset {
  return Changeset.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

/** A conversation that is too long to carry is worth less than the rest. */
async function packWithin(saved: Parameters<typeof packCheckpoint>[0], log: ActionLog): Promise<Uint8Array> {
  try {
    return await packCheckpoint(saved);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    log.annotate('warning', `${error.message} The agent begins a new conversation when the run goes on.`);
    return packCheckpoint({ ...saved, conversation: undefined, aside: [] });
  }
}

function warnAbout(log: ActionLog): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof CheckpointError)) throw error;
    log.annotate('warning', error.message);
  };
}
