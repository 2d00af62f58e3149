import { type ErrorCode, UserError } from '../core/error-catalogue.ts';
import type { DeskParts } from './desk-parts.ts';
import { tellOnce } from './tell-once.ts';

/** The errors of a state that no desk can use until a person acts. */
const UNUSABLE: ReadonlySet<ErrorCode> = new Set([
  'state_key_wrong',
  'state_damaged',
  'state_foreign',
  'state_too_new',
]);

/**
 * Tells people on the issue why nothing happens, and what to do. The log of a job is read by nobody who only answered a question.
 * A failure is logged, because the state's own error matters more.
 */
export async function tellUnusable(parts: DeskParts, issue: number, error: unknown): Promise<void> {
  if (!(error instanceof UserError) || !UNUSABLE.has(error.code)) return;
  const { log } = parts.job;
  await tellOnce(parts, issue, {
    about: error.code.replaceAll('_', '-'),
    title: 'Nothing was done: the state of this run cannot be used',
    text: `${error.message}\n\n**Next:** ${error.remedy}\n\nNo answer is lost: once the state can be used, any command, such as \`/status\`, makes Autobuild read all comments.`,
  }).catch((failure: unknown) => {
    log.warn({ issue, error: String(failure) }, 'the issue could not be told that its state cannot be used');
  });
}
