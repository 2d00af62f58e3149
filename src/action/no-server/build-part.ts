import { join } from 'node:path';
import type { RunState } from '../../core/contracts/run-state.ts';
import { MIN_SECRET_LENGTH } from '../../core/secrets/secret-forms.ts';
import { secretKeysOf } from '../../core/secrets/secrets-of-run.ts';
import { actionsSecretName } from '../../core/variable-name.ts';
import { RULES } from '../../guards/rules.ts';
import { createArtifactLink } from '../../link/artifact.ts';
import type { ActionLog } from '../../runner/output/workflow-commands.ts';
import { ActionError } from '../action-error.ts';
import { agentsOf } from '../agents-of.ts';
import { runBuildJob } from '../build-job.ts';
import { commitsOf, findWorktree, openJob, temporaryOf } from '../open-job.ts';
import { jobMinutes } from '../time-limits.ts';
import { ENDS, writeOutputs, writeResult, writeRunOver } from '../write-result.ts';
import { openHeldBuild } from './open-held-build.ts';
import { readGivenEnv } from './read-given-env.ts';
import { readIssue, WORK } from './read-issue.ts';

/** The Actions secret in which people keep all values for agents, where no other can be passed. */
const SHARED_SECRET = 'AUTOBUILD_ENV';
/** Values that nobody asked for as secrets may be a port or a word. Shorter ones are found in every file. */
const SECRET_CHARS = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/** A build whose desk runs only before and after it. Its claims and work become an artifact. */
export async function runBuildPart(
  env: Environment,
  log: ActionLog,
  endFiles: () => void,
  parking: AbortSignal,
): Promise<void> {
  const startedAt = new Date();
  const worktree = findWorktree(env);
  const modelKey = env.AUTOBUILD_MODEL_KEY?.trim();
  if (!modelKey)
    throw new ActionError(
      'There is no key for the model.',
      'Add it as an Actions secret, and pass it to the workflow as `model_key`.',
    );
  const opened = await openHeldBuild({
    apiUrl: env.GITHUB_API_URL || 'https://api.github.com',
    token: env.GITHUB_TOKEN ?? '',
    repository: { id: Number(env.GITHUB_REPOSITORY_ID), name: env.GITHUB_REPOSITORY ?? '' },
    issue: readIssue(env),
    operation: env.INPUT_OPERATION ?? '',
    modelKey,
    onUnreadable: (why) =>
      log.annotate(
        'warning',
        `The agent starts a new conversation, from the task and the work so far. ${why}`,
      ),
  });
  if (!opened)
    return writeRunOver(
      env,
      log,
      'This job is not needed any more: its work was taken in, the run ended, or another job continues it.',
      'replaced',
    );
  const { held, checkpoint, sealer } = opened;
  const { brief, place } = held;
  const given = readGivenEnv(env.AUTOBUILD_ENV ?? '');
  for (const problem of given.problems) log.annotate('warning', `The secret ${SHARED_SECRET}: ${problem}.`);
  for (const value of Object.values(given.values)) if (value) log.mask(value);
  const job = await openJob(env, log, {
    worktree,
    commits: commitsOf(place),
    run: brief.run,
    job: brief.job,
  });
  log.print(`Run ${brief.run}, job ${brief.job}: ${brief.task.title}`);
  const key = env.INPUT_VARIABLE || agentsOf(job.repository.config)(brief.agent)?.keys?.[0];
  const asked = askedValues(held.state, given.values);
  const others = Object.values(given.values).filter(({ length }) => length >= SECRET_CHARS);
  const secrets = {
    names: [...Object.keys(given.values), ...(key ? [key] : [])],
    values: [...new Set([modelKey, ...others, ...asked])],
    asked,
  };
  const link = createArtifactLink({
    directory: join(temporaryOf(env), WORK),
    held,
    checkpoint,
    sealer,
    rules: RULES,
    secrets: secrets.values,
  });
  const input = { ...job, env: { ...job.env, ...given.values, ...(key && { [key]: modelKey }) } };
  const { end, history, leftOut } = await runBuildJob({
    ...input,
    link,
    parking,
    startedAt,
    jobMinutes: jobMinutes(env),
    sharedSecret: { name: SHARED_SECRET, problems: given.problems },
    secrets,
  });
  await link.close();
  endFiles();
  const orders = await link.orders();
  const status = orders.do === 'stop' ? orders.status : end;
  writeResult(env, log, link.claimed, status, { end: ENDS[end], ...history, leftOut });
  writeOutputs(env, { complete: String(link.canBeVerified()) });
}

/** Values for which a question asked as secrets. People add them by the name that the question gives. */
function askedValues(state: RunState, values: Readonly<Record<string, string>>): string[] {
  const names = new Set([...secretKeysOf(state)].map(actionsSecretName));
  return Object.entries(values).flatMap(([name, value]) =>
    names.has(actionsSecretName(name)) && value.length >= MIN_SECRET_LENGTH ? [value] : [],
  );
}
