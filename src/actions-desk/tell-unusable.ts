import { type ErrorCode, UserError } from '../core/error-catalogue.ts';
import { isSameLabel } from '../core/same-label.ts';
import type { DeskJob } from './desk-job.ts';
import type { DeskParts } from './desk-parts.ts';
import { readEvent } from './read-event.ts';
import { tellOnce } from './tell-once.ts';

/** The errors of a state that no desk can use until a person acts. */
const UNUSABLE: ReadonlySet<ErrorCode> = new Set([
  'state_key_wrong',
  'state_damaged',
  'state_foreign',
  'state_too_new',
  'state_too_large',
]);

/** The errors of secrets without which no desk can seal or open anything. */
const NO_KEY: ReadonlySet<ErrorCode> = new Set(['state_key_weak', 'model_key_missing']);

const NO_ANSWER_IS_LOST = 'any command, such as `/status`, makes Autobuild read all comments.';

/**
 * Tells people on the issue why nothing happens, and what to do. The log of a job is read by nobody who only answered a question.
 * A failure is logged, because the state's own error matters more.
 */
export async function tellUnusable(parts: DeskParts, issue: number, error: unknown): Promise<void> {
  if (!(error instanceof UserError) || !UNUSABLE.has(error.code)) return;
  const { log } = parts.job;
  await tellOnce(parts, issue, {
    about: error.code.replaceAll('_', '-'),
    title:
      error.code === 'state_too_large'
        ? 'Nothing was done: the state of this run has become too large'
        : 'Nothing was done: the state of this run cannot be used',
    text: `${error.message}\n\n**Next:** ${error.remedy}\n\nNo answer is lost: once the state can be used, ${NO_ANSWER_IS_LOST}`,
  }).catch((failure: unknown) => {
    log.warn({ issue, error: String(failure) }, 'the issue could not be told that its state cannot be used');
  });
}

/** The same for a desk that has no usable key, so that there is no state at all for it. Its comment has no code of ours. */
export async function tellNoKey(
  { github, job }: Pick<DeskParts, 'github' | 'job'>,
  error: unknown,
): Promise<void> {
  if (!(error instanceof UserError) || !NO_KEY.has(error.code)) return;
  const issue = labelledIssue(job);
  if (issue === undefined) return;
  await tellOnce({ github, job, secrets: [] }, issue, {
    about: error.code.replaceAll('_', '-'),
    title: 'Nothing was done: a secret of this repository has to be set first',
    text: `${error.message}\n\n**Next:** ${error.remedy}\n\nThen set the label again. No answer of a run that is open is lost: ${NO_ANSWER_IS_LOST}`,
  }).catch((failure: unknown) => {
    job.log.warn({ issue, error: String(failure) }, 'the issue could not be told that a secret is missing');
  });
}

/** Whether an issue has a run is in its state, so only one with the label is told. */
function labelledIssue({ event, label }: DeskJob): number | undefined {
  const read = readEvent(event, label);
  if (read.about !== 'issue' || !read.handler) return undefined;
  const { issue } = read.handler.payload as { issue?: { labels?: unknown; pull_request?: unknown } };
  const labels: unknown[] = Array.isArray(issue?.labels) ? issue.labels : [];
  const has = labels.some((given) => isSameLabel(String((given as { name?: unknown } | null)?.name), label));
  return has ? read.issue : undefined;
}
