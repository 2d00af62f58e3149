import type { ParsedText } from '../../commands/spec/command-spec.ts';
import type { ActionsSecret } from '../../core/contracts/actions-secret.ts';
import type { CommandName, SealedCommand } from '../../core/contracts/command.ts';
import type { Effect, Reply } from '../../core/contracts/effect.ts';
import { missingInputs } from '../../core/contracts/escalation.ts';
import type { ExposedSecret } from '../../core/contracts/input.ts';
import { neededNow, type Role } from '../../core/contracts/role.ts';
import { pendingEscalation } from '../../core/contracts/run-state.ts';
import { adviseRotation } from '../../core/decide/advise-rotation.ts';
import { monthOf } from '../../core/decide/jobs/check-budget.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import { sealCommand } from '../../core/secrets/seal-command.ts';
import { secretsNamedIn } from '../../core/secrets/secrets-named-in.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import { actionsSecretName } from '../../core/variable-name.ts';
import { suggestPaths } from '../../core/work/approval-line.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput, write } from '../handle-input.ts';
import { findExposed } from './exposed-secrets.ts';
import { mayCommand } from './permission.ts';

export interface Asked {
  run: string;
  /** The number of the issue or pull request it was given on. */
  issue: number;
  login: string;
  via: 'comment' | 'tick';
  parsed: ParsedText;
  /** The person's text. Absent for a tick. */
  text?: string;
  /** The idempotency key of the person's action. */
  seen: string;
  /** When it was said or ticked, by GitHub's clock. */
  said_at?: string;
  escalation?: string;
  /** The comment with the command, to react to. Absent for a tick. */
  comment?: { id: number };
  /** The review with the command, to react to. */
  review?: { node_id: string };
}

/** Handles a person's command. Returns whether it changed anything. */
export async function handleCommand(deps: AppDependencies, github: GitHub, asked: Asked): Promise<boolean> {
  const { run, login, parsed } = asked;
  if (parsed.kind === 'ignore') return false;
  const target = await deps.store.runs.target(run);
  if (!target) return false;
  const exposed = await findExposedIn(deps, asked);
  // P-9: deleted before anything else, whoever wrote it and whether or not the command succeeds.
  if (exposed.length > 0 && asked.comment) {
    const { id } = asked.comment;
    await write(deps, run, [{ type: 'delete_comment', comment: id }], [`delete-comment:${id}`]);
  }
  const on = asked.issue === target.issue ? undefined : asked.issue;
  const source = sourceOf(asked);
  const isDeleted = exposed.length > 0 && asked.comment !== undefined;
  const confused: Effect[] = source && !isDeleted ? [{ type: 'react', source, reaction: 'confused' }] : [];
  const answer = (reply: Reply, seen: string[] = []) =>
    write(deps, run, [...confused, { type: 'reply', reply, on }], [asked.seen, ...seen]);
  const advise = (because: string) =>
    answer(adviseRotation(exposed, [], { found: asked.review ? 'review' : 'comment', because }));

  const name = parsed.kind === 'command' ? parsed.command.name : 'help';
  const needed = neededNow(target.roles, name, await isOverBudget(deps, run));
  if (!(await mayCommand(github, login, needed))) {
    if (exposed.length > 0) await advise(`Commands require the ${needed} role or higher.`);
    else await refuseOnce(deps, asked, { name, needed, confused, on });
    return false;
  }
  if (parsed.kind === 'reply') {
    const title = `Nothing changed: ${parsed.problem}`;
    if (exposed.length > 0) await advise(title);
    else await answer({ tone: 'refused', title, ...(await offerLine(deps, run, parsed)) });
    return false;
  }
  if (exposed.length > 0 && name !== 'provide') {
    // The text of a command is stored and shown to others, so one with a secret in it is refused.
    await advise(`Nothing changed: send /${name} again without the secret.`);
    return false;
  }
  if (await deps.store.runs.wasSeen(asked.seen)) return true;
  const command = await sealCommand(deps.store.vault, run, parsed.command);
  const handled = await handleInput(
    deps,
    run,
    {
      type: 'command',
      at: deps.now().toISOString(),
      command,
      by: login,
      via: asked.via,
      said_at: asked.said_at,
      escalation: asked.escalation,
      source,
      exposed: exposed.length > 0 ? exposed : undefined,
      on,
      actions_secrets: await lookForSecrets(deps, github, asked, command),
    },
    [asked.seen],
  );
  return handled?.events.some((event) => event.type === 'command_refused') !== true;
}

/** Only in the month whose budget is spent. */
async function isOverBudget({ store, now }: AppDependencies, run: string): Promise<boolean> {
  const { state } = await store.runs.load(run);
  return state?.paused?.over_budget === monthOf(now().toISOString());
}

function sourceOf({ comment, review }: Asked): string | undefined {
  if (comment) return `comment:${comment.id}`;
  return review && `review:${review.node_id}`;
}

/** P-9: how a value is written into a comment is not told about a secret. */
async function offerLine(
  { store }: AppDependencies,
  run: string,
  parsed: Extract<ParsedText, { kind: 'reply' }>,
): Promise<Pick<Reply, 'detail' | 'suggestion'>> {
  const { state } = await store.runs.load(run);
  const suggestion = suggestPaths(parsed, state && pendingEscalation(state));
  const isSecret = state && secretsNamedIn(suggestion, state).length > 0;
  return { detail: isSecret ? undefined : parsed.hint, suggestion };
}

async function findExposedIn(deps: AppDependencies, { run, text, parsed }: Asked): Promise<ExposedSecret[]> {
  if (text === undefined) return [];
  const { state } = await deps.store.runs.load(run);
  if (!state) return [];
  const known = parsed.kind === 'reply' ? await openSecrets(deps.store.vault, state) : [];
  return findExposed(state, text, parsed, known);
}

/**
 * P-9: if only secrets are missing, continuing means that they are Actions secrets now. The lookup is here because `decide` is
 * pure.
 */
export async function lookForSecrets(
  deps: Pick<AppDependencies, 'store' | 'settings'>,
  github: GitHub,
  { run }: Pick<Asked, 'run'>,
  { name }: SealedCommand,
): Promise<Record<string, ActionsSecret> | undefined> {
  if (name !== 'continue') return undefined;
  const { state } = await deps.store.runs.load(run);
  const pending = state && pendingEscalation(state);
  const missing = pending ? missingInputs(pending, state.given) : [];
  if (missing.length === 0 || !missing.every((input) => input.secret)) return undefined;
  const found: Record<string, ActionsSecret> = {};
  for (const { key } of missing) {
    const secret = actionsSecretName(key);
    const { env_secret: shared } = deps.settings.capabilities;
    if (shared) {
      // GitHub tells nobody which lines a secret has. The job looks.
      found[key] = { name: secret, found: 'unknown', shared };
      continue;
    }
    const exists = await github.secretExists(secret);
    found[key] = { name: secret, found: exists === undefined ? 'unknown' : exists ? 'yes' : 'no' };
  }
  return found;
}

/** Replies once per person, run and missing role. Later attempts only get a reaction. */
export async function refuseOnce(
  deps: AppDependencies,
  { run, login, seen }: Pick<Asked, 'run' | 'login' | 'seen'>,
  refusal: { name: CommandName; needed: Role; confused?: Effect[]; on?: number },
): Promise<void> {
  const { name, needed, confused = [], on } = refusal;
  const told = `refused:${run}:${login}:${needed}`;
  const title =
    needed === 'write'
      ? 'Nothing changed: commands require write access to this repository.'
      : `Nothing changed: /${name} requires the ${needed} role in this repository.`;
  const reply: Effect = { type: 'reply', on, reply: { tone: 'info', title } };
  // One decision: a desk that is killed between two would count the command as answered and never reply.
  const keys = confused.length > 0 ? [seen] : [];
  await write(deps, run, [...confused, reply], [told, ...keys]);
  if (confused.length > 0) await write(deps, run, confused, [seen]);
}
