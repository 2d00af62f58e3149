import { parseComment } from '../commands/parse-comment.ts';
import { issueOfBranch } from '../core/our-branch.ts';
import { isSameLabel } from '../core/same-label.ts';

/** An event that may be for us, and the issue whose state it needs. A pull request has to be asked for its issue. */
type DeskEvent =
  | { about: 'nothing'; why: string }
  | { about: 'all issues' }
  | { about: 'issue'; issue: number; handler?: HandlerCall; operation?: string }
  | { about: 'pull request'; pull: number; handler: HandlerCall };

/** A webhook that has a handler, with everything that reconcile must not ask for again. */
export interface HandlerCall {
  /** `issues.labeled` */
  name: string;
  payload: object;
  /** The comment that it tells of. */
  comment?: number;
  /** The pull request of ours that it tells of. */
  pull?: number;
}

interface Payload {
  action?: unknown;
  sender?: { type?: unknown };
  repository?: { id?: unknown };
  label?: { name?: unknown };
  issue?: { number?: unknown; pull_request?: unknown };
  comment?: { id?: unknown; body?: unknown; user?: { type?: unknown } | null };
  review?: { body?: unknown; state?: unknown };
  changes?: { body?: { from?: unknown } };
  pull_request?: { number?: unknown; head?: { ref?: unknown; repo?: { id?: unknown } | null } };
  inputs?: { issue?: unknown; operation?: unknown } | null;
}

const OPERATION = /^[\w.-]{1,100}$/;
const NUMBER = /^[1-9]\d{0,9}$/;
const OUR_MARKER = /^<!-- autobuild:/;

const nothing = (why: string): DeskEvent => ({ about: 'nothing', why });

/**
 * Reads the event that started this job. It makes no call: most comments hold no command, and a repository has few calls per hour.
 * The conditions in the workflow start no machine for them at all; here they are checked again, because people edit that file.
 */
export function readEvent({ name, payload }: { name: string; payload: unknown }, label: string): DeskEvent {
  const event = (typeof payload === 'object' && payload !== null ? payload : {}) as Payload & object;
  // Without a checkout it is the same event, with the workflow file of the base.
  const kind = name === 'pull_request_target' ? 'pull_request' : name;
  const handler: HandlerCall = { name: `${kind}.${String(event.action)}`, payload: event };
  const isPerson = event.sender?.type === 'User';
  switch (handler.name) {
    case 'issues.labeled':
    case 'issues.unlabeled':
      if (!isSameLabel(String(event.label?.name), label)) return nothing('it is another label');
      return ofIssue(event, handler);
    case 'issues.closed':
    case 'issues.locked':
    case 'issues.deleted':
    case 'issues.transferred':
      return ofIssue(event, handler);
    case 'issue_comment.created':
      if (!isPerson) return nothing('no person wrote it');
      return hasCommand(event.comment?.body)
        ? ofComment(event, handler)
        : nothing('there is no command in it');
    case 'issue_comment.edited':
      if (!isPerson) return nothing('no person edited it');
      // Only our comments have boxes, and only ours are restored.
      return event.comment?.user?.type === 'Bot' && OUR_MARKER.test(String(event.comment.body))
        ? ofComment(event, handler)
        : nothing('it is not a comment of ours');
    case 'pull_request.closed':
    case 'pull_request.reopened':
      return ofPullRequest(event, handler);
    case 'pull_request.edited':
      if (!isPerson) return nothing('no person edited it');
      // The boxes are in the description.
      return event.changes?.body === undefined
        ? nothing('the description is the same')
        : ofPullRequest(event, handler);
    case 'pull_request.synchronize': {
      // It tells of no decision, so the pull request is read as at any other event.
      const found = ofPullRequest(event, handler);
      return found.about === 'issue' ? { about: 'issue', issue: found.issue } : found;
    }
    case 'pull_request_review.submitted':
      if (!isPerson) return nothing('no person wrote it');
      return hasCommand(event.review?.body) || event.review?.state === 'changes_requested'
        ? ofPullRequest(event, handler)
        : nothing('there is no command in it');
    case 'pull_request_review_comment.created':
      if (!isPerson) return nothing('no person wrote it');
      return hasCommand(event.comment?.body)
        ? ofPullRequest(event, handler)
        : nothing('there is no command in it');
  }
  if (name === 'schedule') return { about: 'all issues' };
  return name === 'workflow_dispatch' ? ofDispatch(event) : nothing(`nothing is done for ${handler.name}`);
}

function hasCommand(body: unknown): boolean {
  return parseComment(String(body ?? '')).kind !== 'ignore';
}

function ofIssue({ issue }: Payload, handler: HandlerCall): DeskEvent {
  return isWhole(issue?.number)
    ? { about: 'issue', issue: issue.number, handler }
    : nothing('it names no issue');
}

function ofComment(event: Payload, call: HandlerCall): DeskEvent {
  const { issue, comment } = event;
  if (!isWhole(issue?.number) || !isWhole(comment?.id)) return nothing('it names no comment');
  const handler = { ...call, comment: comment.id };
  return issue.pull_request === undefined
    ? { about: 'issue', issue: issue.number, handler }
    : { about: 'pull request', pull: issue.number, handler };
}

function ofPullRequest({ pull_request, repository }: Payload, handler: HandlerCall): DeskEvent {
  const head = pull_request?.head;
  const isOwn = isWhole(repository?.id) && head?.repo?.id === repository.id;
  const issue = isOwn ? issueOfBranch(String(head?.ref)) : undefined;
  return issue === undefined
    ? nothing('it is not a pull request of ours')
    : { about: 'issue', issue, handler: { ...handler, pull: Number(pull_request?.number) } };
}

function ofDispatch({ inputs }: Payload): DeskEvent {
  const issue = String(inputs?.issue ?? '');
  if (!NUMBER.test(issue)) return nothing('the input `issue` is not a number');
  const operation = String(inputs?.operation ?? '');
  return { about: 'issue', issue: Number(issue), ...(OPERATION.test(operation) && { operation }) };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
