import type { ParsedText } from '../../commands/command-spec.ts';
import { type ActionsSecret, actionsSecretName } from '../../core/actions-secret.ts';
import type { Command, CommandName, SealedCommand } from '../../core/command.ts';
import { missingInputs } from '../../core/escalation.ts';
import type { GitHub } from '../../core/github-port.ts';
import { neededRole, type Role } from '../../core/role.ts';
import { pendingEscalation } from '../../core/run-state.ts';
import { decideForRun } from '../decide-for-run.ts';
import { looksLikeCredential } from '../looks-like-credential.ts';
import type { AppParts } from '../parts.ts';
import { postReply } from '../post-reply.ts';
import { mayCommand } from './permission.ts';

export interface Asked {
  run: string;
  issue: number;
  login: string;
  via: 'comment' | 'tick';
  parsed: ParsedText;
  /** One key per thing a person did: the same one twice does nothing the second time. */
  seen: string;
  escalation?: string;
  /** The comment it came in; a tick has none to react to. */
  comment?: { id: number };
  /** The review it came with. */
  review?: { node_id: string };
}

/** A person's command, from recognising it to its reaction. Returns whether it changed anything. */
export async function runCommand(parts: AppParts, github: GitHub, asked: Asked): Promise<boolean> {
  const { run, login, parsed, comment } = asked;
  if (parsed.kind === 'ignore') return false;
  const place = await parts.store.runs.place(run);
  if (!place) return false;
  await react(github, asked, 'eyes');
  const name = parsed.kind === 'command' ? parsed.command.name : 'help';
  if (!(await mayCommand(github, login, name, place.roles))) {
    await refuseOnce(parts, github, asked, { name, needed: neededRole(place.roles, name) });
    return false;
  }
  if (parsed.kind === 'reply') {
    await react(github, asked, 'confused');
    const reply = {
      tone: 'refused' as const,
      title: `Nothing changed: ${parsed.problem}`,
      suggestion: parsed.suggestion,
    };
    await postReply(parts, github, asked, reply);
    return false;
  }
  const command = await sealFor(parts, github, asked, parsed.command);
  const actions_secrets = await lookForSecrets(parts, github, asked, command);
  const decided = await decideForRun(
    parts,
    run,
    {
      type: 'command',
      at: parts.now().toISOString(),
      command,
      by: login,
      via: asked.via,
      escalation: asked.escalation,
      source: comment ? `comment:${comment.id}` : undefined,
      actions_secrets,
    },
    [asked.seen],
  );
  const refused = decided?.events.some((event) => event.type === 'command_refused') === true;
  await react(github, asked, refused ? 'confused' : 'rocket');
  return !refused;
}

async function react(
  github: GitHub,
  { comment, review }: Pick<Asked, 'comment' | 'review'>,
  reaction: 'eyes' | 'rocket' | 'confused',
): Promise<void> {
  if (comment) await github.react(comment.id, reaction);
  else if (review) await github.reactToReview(review.node_id, reaction);
}

/** P-9: where nothing but secrets is missing, going on means that they are in Actions secrets. Deciding is pure, so we look here. */
async function lookForSecrets(
  parts: AppParts,
  github: GitHub,
  { run }: Asked,
  { name }: SealedCommand,
): Promise<Record<string, ActionsSecret> | undefined> {
  if (name !== 'continue') return undefined;
  const { state } = await parts.store.runs.load(run);
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

/** Politely, and once per person, run and role that is missing; after that the reaction alone. */
export async function refuseOnce(
  parts: AppParts,
  github: GitHub,
  asked: Pick<Asked, 'run' | 'issue' | 'login' | 'seen' | 'comment' | 'review'>,
  { name, needed }: { name: CommandName; needed: Role },
): Promise<void> {
  await react(github, asked, 'confused');
  const mark = `refused:${asked.run}:${asked.login}:${needed}`;
  if (await parts.store.marks.get(mark)) return;
  await parts.store.marks.set(mark, parts.now().toISOString());
  await postReply(parts, github, asked, {
    tone: 'info',
    title:
      needed === 'write'
        ? 'Thank you. Answers are taken from people with write access to this repository, so nothing was changed.'
        : `Thank you. /${name} is taken from people with the role ${needed} or a higher one in this repository, so nothing was changed.`,
  });
}

/** P-9: a secret that came in a comment all the same is taken, its comment deleted at once, and rotation advised. */
async function sealFor(
  parts: AppParts,
  github: GitHub,
  asked: Asked,
  command: Command,
): Promise<SealedCommand> {
  if (command.name !== 'provide') return command;
  const { state } = await parts.store.runs.load(asked.run);
  const wanted = state ? (pendingEscalation(state)?.inputs ?? []) : [];
  const exposed = Object.entries(command.inputs)
    .filter(([key, value]) => wanted.find((input) => input.key === key)?.secret || looksLikeCredential(value))
    .map(([key]) => wanted.find((input) => input.key === key)?.label ?? key);
  if (exposed.length > 0 && asked.comment) {
    await github.deleteComment(asked.comment.id);
    asked.comment = undefined;
    await postReply(parts, github, asked, {
      tone: 'refused',
      title: `Please rotate: ${exposed.join(', ')}. It came in a comment.`,
      detail:
        'The comment is deleted, but notification e-mails may carry the value, and so may any page that was open. The value was taken, so the run goes on; give the new one as an Actions secret.',
    });
  } else if (exposed.length > 0 && asked.review) {
    // GitHub deletes no review that was submitted.
    await postReply(parts, github, asked, {
      tone: 'refused',
      title: `Please rotate: ${exposed.join(', ')}. It came in a review.`,
      detail:
        'A review cannot be deleted: edit it, and take the value out. It was taken, so the run goes on; give the new one as an Actions secret.',
    });
  }
  const inputs: Extract<SealedCommand, { name: 'provide' }>['inputs'] = {};
  for (const [key, value] of Object.entries(command.inputs)) {
    inputs[key] = { ref: await parts.store.vault.put(asked.run, key, value), length: value.length };
  }
  return { name: 'provide', inputs };
}
