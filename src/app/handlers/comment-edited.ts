import { parseComment } from '../../commands/parse-comment.ts';
import type { Outgoing } from '../../core/contracts/effect.ts';
import { CI_BOXES } from '../../core/contracts/revision.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import { laneKey } from '../../core/ports/run-target.ts';
import type { SentComment } from '../../core/ports/sent-comments.ts';
import type { AppDependencies } from '../dependencies.ts';
import { write } from '../handle-input.ts';
import { restoreComment } from '../restore/restore-comment.ts';
import { turnToRestore } from '../restore/restore-turns.ts';
import { emptyBoxes, newTicks } from '../ticked-boxes.ts';
import { readMarker } from '../upsert-comment.ts';
import { handleCommand } from './handle-command.ts';

interface Edited {
  comment: {
    id: number;
    body: string;
    author: string;
    author_type: string;
    app_id?: number;
    updated_at: string;
  };
  before: string;
  /** Undefined if a box is ticked but GitHub does not say by whom. */
  login: string | undefined;
  /** Another App edited it, whose ticks are no commands. */
  isBot?: boolean;
  issue: number;
}

/**
 * A tick of one of our boxes gives the command that the record stores for it. Any other edit of our comments gives no command and
 * is reverted.
 */
export async function onCommentEdited(deps: AppDependencies, github: GitHub, edited: Edited): Promise<void> {
  const { comment } = edited;
  const { comments, runs } = deps.store;
  const ticked = newTicks(edited.before, comment.body);
  const mayBeLost = ticked.length > 0 && deps.ownership.isOurs(comment, edited.issue);
  const ours =
    (await comments.ofComment(comment.id)) ??
    (mayBeLost ? await recordIfLost(deps, github, edited) : undefined);
  if (!ours?.run) return;
  const { run, op, escalation: question } = ours;
  const { state } = await runs.load(run);
  if (!state) return;
  if (ticked.length === 0 || edited.isBot) return undoRewording(deps, github, edited, ticked);
  const seen = `tick:${comment.id}:${ticked.join('+')}:${comment.updated_at}`;
  const restore = () => emptyAgain(deps, run, { op, escalation: question }, `restore:${seen}`);
  const isReworded = deps.hash(emptyBoxes(comment.body)) !== ours.body_hash;
  const { login } = edited;
  const refuse = async (because: string, detail: string) => {
    // Without a turn the box stays ticked, so a reply would be followed by the next one.
    if (!(await turnToRestore(deps, run, op, 'person'))) return;
    const title = `Nothing changed: ${because}`;
    await write(deps, run, [{ type: 'reply', reply: { tone: 'refused', title, detail } }], [seen]);
    await restore();
  };
  if (login === undefined) {
    // An answered question is rewritten without boxes anyway.
    if (!ticked.some((id) => state.pending !== undefined && id.startsWith(`${state.pending}.`)))
      return isReworded ? restore() : undefined;
    return refuse(
      'a box was ticked, but GitHub does not say by whom.',
      'Tick it again, or reply with its command.',
    );
  }
  if (ticked.length > 1)
    return refuse('two boxes were ticked at once.', 'Tick one, or reply with its command.');
  const [escalationId = '', ...rest] = (ticked[0] ?? '').split('.');
  const escalation = state.escalations.find(({ id }) => id === escalationId);
  const option =
    escalation?.options.find(({ id }) => id === rest.join('.')) ?? boxOfCi(state, escalationId, rest);
  if (!option) return isReworded ? restore() : undefined;
  const accepted = await handleCommand(deps, github, {
    run,
    issue: edited.issue,
    login,
    via: 'tick',
    parsed: parseComment(option.command),
    seen,
    said_at: comment.updated_at,
    escalation: escalationId,
  });
  if (!accepted) return restore();
  // The answer to a question rewrites it. Another command leaves it open, with a box that would count as ticked for ever.
  const { state: after } = await runs.load(run);
  const isOpen = after?.pending !== undefined && [question, op.slice(run.length + 1)].includes(after.pending);
  if (!isReworded && !isOpen) return;
  const present = await github.comment(comment.id);
  if (present && newTicks(comment.body, present.body).length === 0) await restore();
}

async function emptyAgain(
  deps: AppDependencies,
  run: string,
  comment: Pick<SentComment, 'op' | 'escalation'>,
  seen: string,
): Promise<void> {
  const { state } = await deps.store.runs.load(run);
  if (state) await restoreComment(deps, state, comment, seen, { because: 'person' });
}

/** V-7: the boxes under a report about CI. */
function boxOfCi({ ci = [] }: RunState, id: string, [box = '']: string[]): { command: string } | undefined {
  if (!ci.some(({ number }) => id === `c${number}`) || !Object.hasOwn(CI_BOXES, box)) return undefined;
  return { command: CI_BOXES[box as keyof typeof CI_BOXES] };
}

/**
 * the response to a comment of ours was lost, so its id is not recorded yet, and a tick in it has to wait. If nothing is left that
 * would write and record it, because the run has moved on, it is recorded here. Undefined: it is no such comment.
 */
async function recordIfLost(
  { store }: AppDependencies,
  github: GitHub,
  { comment, issue }: Pick<Edited, 'comment' | 'issue'>,
): Promise<SentComment | undefined> {
  const { run, op } = readMarker(comment.body) ?? { run: '', op: '' };
  const target = await store.runs.target(run);
  const { pull } = await store.publications.of(run);
  const isPlace = target?.issue === issue || pull === issue;
  const here = isPlace && target?.owner === github.owner && target.repo === github.repo;
  const tried = here ? await store.comments.find(op) : undefined;
  if (!target || !tried || tried.comment_id !== undefined) return undefined;
  const waiting = await store.outbox.waiting(laneKey(target.repo_id, target.issue), run);
  if (waiting.some(({ type }) => WRITES_COMMENTS.has(type)))
    throw new Error(`${op} was ticked before its comment is known`);
  return store.comments.save(op, { run, comment_id: comment.id, body_hash: '' });
}

const WRITES_COMMENTS: ReadonlySet<Outgoing['type']> = new Set([
  'update_status',
  'ask',
  'close_question',
  'show_review',
  'reply',
  'notify',
  'show_receipt',
  'answer_remarks',
  'show_ci',
]);

/**
 * S-15: people with write access can edit our comments, and a box with a changed text would mislead the next person who ticks it.
 */
async function undoRewording(
  deps: AppDependencies,
  github: GitHub,
  { comment, isBot }: Pick<Edited, 'comment' | 'isBot'>,
  ignored: readonly string[],
): Promise<void> {
  const ours = await deps.store.comments.ofComment(comment.id);
  if (!ours?.run || deps.hash(comment.body) === ours.body_hash) return;
  const present = await github.comment(comment.id);
  // A tick made meanwhile is read first. It counts by its id, not by its text. A comment that was restored needs nothing more.
  const ticks = newTicks('', present?.body ?? '').filter((id) => !ignored.includes(id));
  if (!present || ticks.length > 0 || deps.hash(present.body) === ours.body_hash) return;
  const { state } = await deps.store.runs.load(ours.run);
  if (!state) return;
  const because = isBot ? 'app' : 'person';
  await restoreComment(deps, state, ours, `reworded:${comment.id}:${comment.updated_at}`, { because });
}
