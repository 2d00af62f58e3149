import type { ParsedText } from '../../commands/spec/command-spec.ts';
import { type ActionsSecret, actionsSecretName } from '../../core/contracts/actions-secret.ts';
import type { CommandName, SealedCommand } from '../../core/contracts/command.ts';
import { missingInputs } from '../../core/contracts/escalation.ts';
import { neededRole, type Role } from '../../core/contracts/role.ts';
import { isUnderWay, pendingEscalation } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import { sealCommand } from '../../core/secrets/seal-command.ts';
import { openSecrets } from '../../core/secrets/secrets-of-run.ts';
import type { AppDependencies } from '../dependencies.ts';
import { handleInput } from '../handle-input.ts';
import { postReply } from '../post-reply.ts';
import { adviseRotation, type Exposed, findExposed, whichStored } from './exposed-secrets.ts';
import { mayCommand } from './permission.ts';
import { react } from './react.ts';

export interface Asked {
  run: string;
  issue: number;
  login: string;
  via: 'comment' | 'tick';
  parsed: ParsedText;
  /** The person's text. Absent for a tick. */
  text?: string;
  /** The idempotency key of the person's action. */
  seen: string;
  escalation?: string;
  /** The comment with the command, to react to. Absent for a tick. */
  comment?: { id: number };
  /** The review with the command, to react to. */
  review?: { node_id: string };
}

/** Handles a person's command, from parsing to the reaction. Returns whether it changed anything. */
export async function handleCommand(deps: AppDependencies, github: GitHub, given: Asked): Promise<boolean> {
  const { run, login, parsed } = given;
  if (parsed.kind === 'ignore') return false;
  const target = await deps.store.runs.target(run);
  if (!target) return false;
  const exposed = await findExposedIn(deps, given);
  // P-9: deleted before anything else, whoever wrote it and whether or not the command succeeds.
  if (exposed.length > 0 && given.comment) await github.deleteComment(given.comment.id);
  const asked = exposed.length > 0 ? { ...given, comment: undefined } : given;
  const advise = (stored: Exposed[], because?: string) => {
    const where = { found: given.review ? ('review' as const) : ('comment' as const), because };
    return postReply(deps, github, asked, adviseRotation(exposed, stored, where));
  };

  await react(deps, github, asked, 'eyes');
  const name = parsed.kind === 'command' ? parsed.command.name : 'help';
  if (!(await mayCommand(github, login, name, target.roles))) {
    const needed = neededRole(target.roles, name);
    if (exposed.length === 0) await refuseOnce(deps, github, asked, { name, needed });
    else await advise([], `Answers are taken from people with the role ${needed} or a higher one.`);
    return false;
  }
  if (parsed.kind === 'reply') {
    await react(deps, github, asked, 'confused');
    const title = `Nothing changed: ${parsed.problem}`;
    if (exposed.length > 0) await advise([], title);
    else await postReply(deps, github, asked, { tone: 'refused', title, suggestion: parsed.suggestion });
    return false;
  }
  if (exposed.length > 0 && name !== 'provide') {
    // The text of a command is stored and shown to others, so one with a secret in it is refused.
    await react(deps, github, asked, 'confused');
    await advise([], `Nothing changed: send /${name} again, without the secret.`);
    return false;
  }
  const command = await sealCommand(deps.store.vault, run, parsed.command);
  const actions_secrets = await lookForSecrets(deps, github, asked, command);
  const decided = await handleInput(
    deps,
    run,
    {
      type: 'command',
      at: deps.now().toISOString(),
      command,
      by: login,
      via: asked.via,
      escalation: asked.escalation,
      source: given.comment ? `comment:${given.comment.id}` : undefined,
      actions_secrets,
    },
    [asked.seen],
  );
  // The run had ended and its values were deleted before these were given.
  if (command.name === 'provide' && decided && !isUnderWay(decided.state)) await deps.store.vault.forget(run);
  if (exposed.length > 0) await advise(whichStored(exposed, decided));
  const refused = decided?.events.some((event) => event.type === 'command_refused') === true;
  await react(deps, github, asked, refused ? 'confused' : 'rocket');
  return !refused;
}

async function findExposedIn(deps: AppDependencies, { run, text, parsed }: Asked): Promise<Exposed[]> {
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
async function lookForSecrets(
  deps: AppDependencies,
  github: GitHub,
  { run }: Asked,
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
    const exists = await github.secretExists(secret);
    found[key] = { name: secret, found: exists === undefined ? 'unknown' : exists ? 'yes' : 'no' };
  }
  return found;
}

/** Replies once per person, run and missing role. Later attempts only get a reaction. */
export async function refuseOnce(
  deps: AppDependencies,
  github: GitHub,
  asked: Pick<Asked, 'run' | 'issue' | 'login' | 'seen' | 'comment' | 'review'>,
  { name, needed }: { name: CommandName; needed: Role },
): Promise<void> {
  await react(deps, github, asked, 'confused');
  const mark = `refused:${asked.run}:${asked.login}:${needed}`;
  if (await deps.store.marks.get(mark)) return;
  await postReply(deps, github, asked, {
    tone: 'info',
    title:
      needed === 'write'
        ? 'Thank you. Answers are taken from people with write access to this repository, so nothing was changed.'
        : `Thank you. /${name} is taken from people with the role ${needed} or a higher one in this repository, so nothing was changed.`,
  });
  // Marked after the reply, so that a failed reply is retried with the delivery, under the same operation id.
  await deps.store.marks.set(mark, deps.now().toISOString());
}
