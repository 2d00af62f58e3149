import type { ParsedText } from '../../commands/command-spec.ts';
import type { Command, SealedCommand } from '../../core/command.ts';
import type { GitHub } from '../../core/github-port.ts';
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
}

/** A person's command, from recognising it to its reaction. Returns whether it changed anything. */
export async function runCommand(parts: AppParts, github: GitHub, asked: Asked): Promise<boolean> {
  const { run, login, parsed, comment } = asked;
  if (parsed.kind === 'ignore') return false;
  const place = await parts.store.runs.place(run);
  if (!place) return false;
  if (comment) await github.react(comment.id, 'eyes');
  const name = parsed.kind === 'command' ? parsed.command.name : 'help';
  if (!(await mayCommand(github, login, name, place.roles))) {
    await refuseOnce(parts, github, asked);
    return false;
  }
  if (parsed.kind === 'reply') {
    if (comment) await github.react(comment.id, 'confused');
    const reply = {
      tone: 'refused' as const,
      title: `Nothing changed: ${parsed.problem}`,
      suggestion: parsed.suggestion,
    };
    await postReply(parts, github, asked, reply);
    return false;
  }
  const command = await sealFor(parts, github, asked, parsed.command);
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
    },
    [asked.seen],
  );
  const refused = decided?.events.some((event) => event.type === 'command_refused') === true;
  if (comment) await github.react(comment.id, refused ? 'confused' : 'rocket');
  return !refused;
}

/** Politely, and once per person and run; after that the reaction alone. */
async function refuseOnce(parts: AppParts, github: GitHub, asked: Asked): Promise<void> {
  if (asked.comment) await github.react(asked.comment.id, 'confused');
  const mark = `refused:${asked.run}:${asked.login}`;
  if (await parts.store.marks.get(mark)) return;
  await parts.store.marks.set(mark, parts.now().toISOString());
  await postReply(parts, github, asked, {
    tone: 'info',
    title:
      'Thank you. Answers are taken from people with write access to this repository, so nothing was changed.',
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
        'The comment is deleted, but notification e-mails may carry the value, and so may any page that was open. The value was taken, so the run goes on; give the new one by the one-time form.',
    });
  }
  const inputs: Extract<SealedCommand, { name: 'provide' }>['inputs'] = {};
  for (const [key, value] of Object.entries(command.inputs)) {
    inputs[key] = { ref: await parts.store.vault.put(asked.run, key, value), length: value.length };
  }
  return { name: 'provide', inputs };
}
