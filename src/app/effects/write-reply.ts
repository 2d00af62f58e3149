import { helpRows } from '../../commands/help-text.ts';
import { renderReply } from '../../comments/github/render-reply.ts';
import type { Effect } from '../../core/contracts/effect.ts';
import { endedWithoutResult } from '../../core/decide/is-still-wanted.ts';
import { secretsNamedIn, withoutSecrets } from '../../core/secrets/secrets-named-in.ts';
import { commentContext } from '../comment-context.ts';
import { logOf } from '../handlers/workflow-run-completed.ts';
import { upsertComment } from '../upsert-comment.ts';
import type { EffectContext } from './effect-context.ts';

type ReplyEffect = Pick<Extract<Effect, { type: 'reply' }>, 'reply' | 'source' | 'on' | 'log' | 'op'>;

/** One short comment per reply, on the issue or on the pull request where the command was given. */
export async function writeReply(context: EffectContext, effect: ReplyEffect): Promise<void> {
  const { deps, github, state, target, op: own } = context;
  const { reply, on, log, op = own } = effect;
  // A reply that is there, and was only reworded, is written again as it was.
  if (op === own && (await isOverdue(context, effect))) return;
  const where = await commentContext(deps, state, target, op);
  const link = log === undefined ? reply.link : { text: 'The log of the job', url: logOf(deps, target, log) };
  const secrets = secretsNamedIn(reply.suggestion, state);
  const suggestion = reply.suggestion && withoutSecrets(reply.suggestion, secrets);
  const body = renderReply(state.run, { ...reply, link, suggestion }, where, helpRows, secrets);
  // A comment that was reworded, and then deleted, stays deleted.
  const restores = op === own;
  await upsertComment(deps, github, { run: state.run, op, body, issue: on ?? target.issue, restores });
}

/**
 * GitHub takes a word late that a command was taken, and the run or its round was ended without a result meanwhile. It
 * would say of it that it continues or can be continued.
 */
async function isOverdue(
  { deps, state, op }: EffectContext,
  { reply: { tone }, source }: ReplyEffect,
): Promise<boolean> {
  // Other words stay true, such as why the run was paused.
  const isOfCommand = tone === 'taken' || (tone === 'waiting' && source !== undefined);
  if (!isOfCommand || !endedWithoutResult(state)) return false;
  const { runs } = deps.store;
  const { version } = await runs.load(state.run);
  const since = version - versionOf(state.run, op);
  const newer = since > 0 ? await runs.newest(state.run, since) : [];
  return newer.some(({ events }) => events.some(({ type }) => type === 'run_finished'));
}

/** The version of the run by which the effect was decided: operations are `<run>.<version>.<index>`. */
function versionOf(run: string, op: string): number {
  return Number.parseInt(op.slice(run.length + 1), 10);
}
