import type { Effect, Outgoing, Reply } from '../../core/contracts/effect.ts';
import { type GitHub, GitHubError } from '../../core/ports/github-port.ts';
import type { OutgoingEffect } from '../../core/ports/outbox.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput, replyOnce, write } from '../handle-input.ts';
import { cancelBecause } from '../handlers/installation.ts';
import { publishedBranch } from '../published-branch.ts';
import { redactFor } from '../redact.ts';
import {
  type Access,
  describeRefusal,
  describeRefusedCi,
  describeRefusedDispatch,
  describeRefusedRound,
  isTold,
} from '../refusals/describe-refusal.ts';
import { roundToPublish } from '../revise/last-result.ts';
import { givenUp, isPublishingDue, NOT_YET, wayOut } from '../unpublished.ts';
import { whyUnreachable } from '../why-unreachable.ts';
import { isEffectGivenUp, isGivenUp, isRefusal, REFUSED_ATTEMPTS } from '../workers/retry-policy.ts';

type Attempt = OutgoingEffect & { run: string };

/**
 * If GitHub refuses an effect permanently, a reply explains once what a person can do, on the issue if possible. `settled` if the
 * run has taken the failure into account, so that nothing is left to do.
 */
export async function explainFailure(
  deps: AppDependencies,
  outgoing: Attempt,
  error: unknown,
): Promise<'settled' | undefined> {
  const { id, run, effect, attempts } = outgoing;
  const target = await deps.store.runs.target(run);
  if (!target) return undefined;
  const isFinal = isFinalPublish(effect);
  try {
    const settle = await findSettlement(deps, outgoing, target);
    if (settle) {
      if (!isOver(error, outgoing)) return undefined;
      const refused = toGitHubError(error);
      await refuseUnreachable(deps, run, target, refused);
      await settle(refused);
      return 'settled';
    }
    if (error instanceof GitHubError && error.retryAfter === undefined)
      await explainRefusal(deps, target, outgoing, error);
    // V-3: its remarks counted as answered until now.
    if (effect.type === 'answer_remarks' && isEffectGivenUp(effect, error, attempts))
      await write(deps, run, [{ type: 'describe_pull' }], [`unanswered:${id}`]);
    return undefined;
  } finally {
    if (isFinal) await showUnpublished(deps, outgoing, error);
  }
}

/** How the run takes it into account that GitHub refuses the effect for good. Undefined: people are only told. */
async function findSettlement(
  deps: AppDependencies,
  attempt: Attempt,
  target: RunTarget,
): Promise<((error: GitHubError) => Promise<void>) | undefined> {
  const { run, effect } = attempt;
  if (isDispatch(effect)) return (error) => refuseDispatch(deps, target, attempt, error);
  if (effect.type === 'collect_revision') return (error) => refuseRound(deps, target, attempt, error);
  if (effect.type !== 'run_ci' || effect.by === undefined) return undefined;
  // If CI was started, only the description is missing.
  const asked = await publishedBranch(deps, run, target).ciRequest();
  return asked?.of === effect.head ? undefined : (error) => refuseCi(deps, target, attempt, effect, error);
}

function toGitHubError(error: unknown): GitHubError {
  return error instanceof GitHubError
    ? error
    : new GitHubError(String(error), { status: 0 }, { cause: error });
}

async function explainRefusal(
  deps: AppDependencies,
  target: RunTarget,
  { run, effect, attempts }: Attempt,
  error: GitHubError,
): Promise<void> {
  await refuseUnreachable(deps, run, target, error);
  const isFinal = isFinalPublish(effect);
  // A 410 is of an issue that does not take any words.
  const isLast = isEffectGivenUp(effect, error, attempts) && (isFinal || error.status !== 410);
  if (!isTold(effect) || !(isPermanent(error, attempts) || isLast)) return;
  // Redacted before the text is cut, and before it is stored, because the values are deleted earlier than this reason.
  const said = await redactFor(deps, run, error.message);
  const { state } = await deps.store.runs.load(run);
  const way = isFinal && state ? wayOut(state, await deps.store.publications.of(run)) : 'turn';
  const round = isFinal && state ? roundToPublish(state) : undefined;
  const reply = describeRefusal(error, {
    effect,
    said,
    way,
    access: accessOf(deps, target),
    compareAt: await compareAt(deps, run, target),
    merged: round?.update?.branch,
  });
  if (isFinal) {
    const { detail = '', link } = reply;
    // Only work that is pushed has a link to its pull request.
    const unpublished = link
      ? { why: 'the branch is pushed, but Actions may not open its pull request', detail, link }
      : { why: 'GitHub rejected the work', detail };
    await deps.store.publications.change(run, { unpublished });
  }
  await sayOnce(deps, run, reply, round?.number);
}

function isFinalPublish(effect: Outgoing): boolean {
  return effect.type === 'publish' && effect.ready;
}

export function isDispatch(effect: Outgoing): boolean {
  return effect.type === 'dispatch_job' || effect.type === 'dispatch_verification';
}

/** Later effects wait for the publish. Without this update, people would read the state before the run's end for hours. */
async function showUnpublished(
  deps: AppDependencies,
  { id, run, attempts }: Attempt,
  error: unknown,
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  const publication = await deps.store.publications.of(run);
  const due = state !== undefined && isPublishingDue(state, publication);
  const isLast = isGivenUp(error, attempts);
  if (due || publication.unpublished?.why === NOT_YET.why)
    await deps.store.publications.change(run, {
      unpublished: isLast
        ? givenUp(state ? wayOut(state, publication) : 'label', deps.settings.capabilities)
        : NOT_YET,
    });
  await write(deps, run, [{ type: 'update_status' }], [`unpublished:${id}:${isLast}`]);
}

/** Whether a retry is useless. A 422 counts at once. A refusal, and a status in `also`, counts after several attempts. */
function isPermanent(error: GitHubError, attempts: number, also: number[] = []): boolean {
  if (error.status === 422) return true;
  return (isRefusal(error) || also.includes(error.status)) && attempts >= REFUSED_ATTEMPTS;
}

/**
 * Other writes to an unreachable repository would fail for hours too, so they are buried until a person restores access, and the
 * run ends.
 */
async function refuseUnreachable(
  deps: AppDependencies,
  run: string,
  target: RunTarget,
  error: GitHubError,
): Promise<void> {
  if (![401, 403, 404].includes(error.status)) return;
  const why = await whyUnreachable(deps, target).catch((problem: unknown) => {
    deps.log.warn({ error: String(problem) }, 'it is unknown whether the repository can be reached');
    return undefined;
  });
  if (!why) return;
  await cancelBecause(deps, run, { by: 'someone', because: why, seen: `gone:${run}` });
  throw new GitHubError(
    `Nothing can be written: ${why}.`,
    { status: error.status, unreachable: true },
    { cause: error },
  );
}

/** Whether the effect is not tried any more. */
function isOver(error: unknown, { effect, attempts }: Attempt): boolean {
  const permanent =
    error instanceof GitHubError &&
    error.retryAfter === undefined &&
    isPermanent(error, attempts, isDispatch(effect) ? [404] : []);
  return permanent || isGivenUp(error, attempts);
}

/** The person who ticked is told on the pull request, and the box is emptied. */
async function refuseCi(
  deps: AppDependencies,
  target: RunTarget,
  { id, run }: Attempt,
  { head, pull }: Extract<Outgoing, { type: 'run_ci' }>,
  error: GitHubError,
): Promise<void> {
  const said = await redactFor(deps, run, error.message);
  const reply = describeRefusedCi(error, said, accessOf(deps, target));
  deps.log.error(
    { run, problem: reply.title, remedy: reply.detail, page: reply.link?.url },
    'GitHub refused the App something',
  );
  const effects: Effect[] = [
    { type: 'reply', reply, on: pull },
    { type: 'run_ci', head, pull },
  ];
  await write(deps, run, effects, [`ci-refused:${id}`]);
}

/** V-2: nobody waits for a round that does not begin. */
async function refuseRound(
  deps: AppDependencies,
  target: RunTarget,
  { id, run }: Attempt,
  error: GitHubError,
): Promise<void> {
  const said = await redactFor(deps, run, error.message);
  const refused = describeRefusedRound(error, said, accessOf(deps, target));
  deps.log.error({ run, problem: refused.reason }, 'GitHub refused the App something');
  const at = deps.now().toISOString();
  await handleInput(deps, run, { type: 'revision_refused', at, ...refused }, [`round-refused:${id}`]);
}

/** R-13: no job can be started, so a person is asked, with the reason and the remedy. */
async function refuseDispatch(
  deps: AppDependencies,
  target: RunTarget,
  { id, run }: Attempt,
  error: GitHubError,
): Promise<void> {
  const dispatch = await deps.store.dispatches.find(id);
  if (!dispatch) return;
  const { job, kind, verification } = dispatch;
  const github = await deps.github(target);
  const workflow = error.status === 404 ? await readWorkflow(deps, github, target) : 'there';
  const verifying = kind === 'verify';
  const reply = describeRefusedDispatch(error, target, accessOf(deps, target), { workflow, verifying });
  deps.log.error(
    { run, problem: reply.title, remedy: reply.detail, page: reply.link?.url },
    'GitHub refused the App something',
  );
  const at = deps.now().toISOString();
  // A verification is retried without a person, so its refusal is told once.
  if (verifying) await replyOnce(deps, run, `refused:${reply.title}`, reply);
  await handleInput(
    deps,
    run,
    { type: 'dispatch_refused', at, job, kind, verification, reply: verifying ? undefined : reply },
    [`dispatch-refused:${id}`],
  );
  await endDispatch(deps, id, 'GitHub refused it');
}

/** It only makes the words more exact, so a person is asked also if GitHub does not tell. */
async function readWorkflow({ log }: AppDependencies, github: GitHub, { workflow }: RunTarget) {
  return github.workflow(workflow).catch((error: unknown) => {
    log.warn({ workflow, error: String(error) }, 'it is unknown whether the workflow is there');
    return 'there' as const;
  });
}

/** No job of it is waited for any more. */
export async function endDispatch({ store }: AppDependencies, op: string, outcome: string): Promise<void> {
  await store.dispatches.change(op, { ended_at: (await store.now()).toISOString(), outcome });
}

/** The page where the repository's administrators see and grant the App's permissions, unless this desk has others. */
function accessOf({ settings }: AppDependencies, { owner, repo }: RunTarget): Access {
  const { holder = 'the App', remedy } = settings.permissions ?? {};
  const page = `${settings.webUrl}/${owner}/${repo}/settings/installations`;
  return {
    holder,
    isWithoutWorkflows: settings.capabilities.workflow_files === false,
    grant: remedy ?? `Grant it at ${page}`,
    ...(remedy === undefined && { page }),
    check: remedy ?? `Check the App’s permissions (\`actions: write\`) at ${page}`,
  };
}

/** The page where a person can open the pull request by hand. */
async function compareAt(deps: AppDependencies, run: string, target: RunTarget): Promise<string> {
  const branch = await publishedBranch(deps, run, target).name();
  const { owner, repo, default_branch } = target;
  return `${deps.settings.webUrl}/${owner}/${repo}/compare/${default_branch}...${branch}?expand=1`;
}

/** Each round that is refused is told of, because the way out of an earlier one may not be that of this one. */
async function sayOnce(deps: AppDependencies, run: string, reply: Reply, round?: number): Promise<void> {
  deps.log.error(
    { run, problem: reply.title, remedy: reply.detail, page: reply.link?.url },
    'GitHub refused the App something',
  );
  await replyOnce(deps, run, `refused:${round ? `${round}:` : ''}${reply.title}`, reply);
}
