import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deliver } from './actions-desk/deliver.ts';
import type { DeskJob } from './actions-desk/desk-job.ts';
import type { DeskParts } from './actions-desk/desk-parts.ts';
import { runDesk } from './actions-desk/run-desk.ts';
import { tellNoKey } from './actions-desk/tell-unusable.ts';
import { agentNames } from './agents/registry.ts';
import type { NamedRepository } from './core/bindings-of.ts';
import { WORKFLOW_FILE } from './core/config-path.ts';
import { UserError } from './core/error-catalogue.ts';
import type { GitHub } from './core/ports/github-port.ts';
import type { RefStorage } from './core/ports/ref-storage.ts';
import { openOctokit } from './github/client/open-octokit.ts';
import { rememberReads } from './github/client/remember-reads.ts';
import { createGitHub } from './github/github.ts';
import { createRefStorage } from './github/ref-storage.ts';
import { RULES } from './guards/rules.ts';
import { packOutput, readHandedOver, readResult } from './link/job-output.ts';
import { readArtifact } from './link/read-artifact.ts';
import { type ActionLog, createActionLog } from './runner/output/workflow-commands.ts';
import { checkpointKey, deriveKeys, openingKeys, type RefKeys, workKey } from './store/ref/keys.ts';
import { LeaseLostError } from './store/ref/lease-lost-error.ts';
import { listOpenIssues } from './store/ref/list-open-issues.ts';
import { openRefStore } from './store/ref/ref-store.ts';
import { KEPT_MS, removeOldRefs } from './store/ref/remove-old-refs.ts';
import { createSealer } from './store/seal.ts';

type Environment = Record<string, string | undefined>;

const DEFAULT_LABEL = 'autobuild';
/** `timeout-minutes` of both parts in run.yml is 10. Starting takes a moment, too. */
const JOB_MS = 9.5 * 60_000;
const now = () => new Date();
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The desk of a repository without a server: the parts `desk` and `deliver` of the action. False if it failed. */
export async function runDeskPart(env: Environment, write: (text: string) => void): Promise<boolean> {
  const log = createActionLog(write, randomUUID);
  const directory = mkdtempSync(join(demand(env, 'RUNNER_TEMP'), 'autobuild-desk-'));
  try {
    const job = readJob(env, directory, log);
    const access = openGitHub(env, job);
    const keys = await readKeys(env, job).catch(async (error: unknown) => {
      await tellNoKey({ github: access.github, job }, error);
      throw error;
    });
    const parts = createParts(access, job, keys);
    if (job.part === 'desk') {
      const outputs = Object.entries(await runDesk(parts));
      const lines = outputs.map(([name, value]) => `${name}=${value}\n`).join('');
      appendFileSync(demand(env, 'GITHUB_OUTPUT'), lines);
    } else {
      const left = join(demand(env, 'RUNNER_TEMP'), 'autobuild-work');
      await deliver(parts, {
        readWork: ({ op, ...place }) =>
          readArtifact({
            ...place,
            directory: left,
            // The secret for the state may have been set while the build worked.
            sealer: createSealer(workKey(openingKeys(keys), op)),
            now: now(),
          }),
        result: readResult(readHandedOver(demand(env, 'RUNNER_TEMP'), 'result') ?? ''),
        conclusions: (env.AUTOBUILD_CONCLUSIONS ?? '').split(/\s+/),
      });
    }
    return true;
  } catch (error) {
    log.annotate('error', describe(error));
    return false;
  } finally {
    log.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function readJob(env: Environment, directory: string, log: ActionLog): DeskJob {
  const [owner = '', repo = ''] = demand(env, 'GITHUB_REPOSITORY').split('/');
  // `owner/repo/.github/workflows/autobuild.yml@refs/heads/main`: the file of the user, also in the jobs of ours that it calls.
  const started = /([^/]+)@/.exec(demand(env, 'GITHUB_WORKFLOW_REF'))?.[1] ?? '';
  // The daily round is in a file of its own, which starts no jobs.
  const workflow = env.GITHUB_EVENT_NAME === 'schedule' ? WORKFLOW_FILE : started;
  const write = (fields: object, message: string) => log.print(`${message} ${JSON.stringify(fields)}`);
  return {
    part: env.INPUT_PART === 'deliver' ? 'deliver' : 'desk',
    owner,
    repo,
    repoId: Number(demand(env, 'GITHUB_REPOSITORY_ID')),
    actionsRun: Number(demand(env, 'GITHUB_RUN_ID')),
    attempt: Number(env.GITHUB_RUN_ATTEMPT ?? 1),
    workflow,
    event: {
      name: demand(env, 'GITHUB_EVENT_NAME'),
      payload: JSON.parse(readFileSync(demand(env, 'GITHUB_EVENT_PATH'), 'utf8')),
    },
    label: env.INPUT_LABEL || DEFAULT_LABEL,
    defaults: {
      agent: env.INPUT_AGENT?.trim() || undefined,
      checks: (env.INPUT_CHECKS ?? '').split('\n').flatMap((line) => line.trim() || []),
    },
    webUrl: demand(env, 'GITHUB_SERVER_URL'),
    directory,
    endsAt: new Date(Date.now() + JOB_MS),
    now,
    sleep,
    log: { info: write, warn: write, error: write },
  };
}

async function readKeys(env: Environment, job: DeskJob): Promise<RefKeys> {
  return deriveKeys({
    stateKey: env.AUTOBUILD_KEY,
    modelKey: env.AUTOBUILD_MODEL_KEY,
    repository: repositoryOf(job),
  });
}

function repositoryOf({ repoId: id, owner, repo }: DeskJob): NamedRepository {
  return { id, name: `${owner}/${repo}` };
}

interface Access {
  github: GitHub;
  storage: RefStorage;
}

function openGitHub(env: Environment, { owner, repo }: DeskJob): Access {
  const octokit = openOctokit({ apiUrl: demand(env, 'GITHUB_API_URL'), token: demand(env, 'GITHUB_TOKEN') });
  const reads = rememberReads(octokit, Date.now);
  return {
    github: createGitHub(reads.octokit, { owner, repo }),
    storage: createRefStorage(octokit, { owner, repo }, reads.tell),
  };
}

function createParts({ github, storage }: Access, job: DeskJob, keys: RefKeys): DeskParts {
  const { actionsRun: run, attempt, part, directory } = job;
  return {
    job,
    github,
    openState: (issue, taking) =>
      openRefStore({
        ...taking,
        storage,
        repository: repositoryOf(job),
        issue,
        keys,
        holder: { run, attempt, part },
        async isOver(holder) {
          const found = await github.workflowRun(holder.run);
          return !found || found.status === 'completed' || found.attempt > holder.attempt;
        },
        now: Date.now,
        sleep,
        directory,
        onShed: (what) =>
          job.log.warn({ issue, dropped: what }, 'the state had become too large for its ref'),
      }),
    openIssues: () => listOpenIssues({ storage, now: Date.now }),
    keptMs: KEPT_MS,
    removeOldStates: () => removeOldRefs({ storage, now: Date.now }),
    isTakenOver: (error) => error instanceof LeaseLostError,
    isBusy: (error) => error instanceof UserError && error.code === 'state_busy',
    isTooLarge: (error) => error instanceof UserError && error.code === 'state_too_large',
    rules: RULES,
    agents: agentNames(),
    keysFor: (issue, operation) => ({
      work: workKey(keys, operation),
      checkpoint: checkpointKey(keys, issue),
    }),
    secrets: keys.state.split(','),
    packOutput,
    isKeyDerived: keys.isDerived,
  };
}

function demand(env: Environment, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set: this program is a part of an action, for GitHub Actions.`);
  return value;
}

function describe(error: unknown): string {
  if (error instanceof UserError || error instanceof LeaseLostError)
    return `${error.message}\n${error.remedy}`;
  return (error as Error).stack ?? String(error);
}
