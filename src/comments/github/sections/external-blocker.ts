import type { CommentContext } from '../../../core/contracts/comment-context.ts';
import type { Evidence } from '../../../core/contracts/guard.ts';
import { code, inlineText } from '../../text/harmless.ts';
import type { Table } from '../../text/markdown.ts';
import { renderPlace } from '../../text/places.ts';
import { clockSeconds, dateTime } from '../../text/words.ts';

/** Facts that a person needs to fix a blocker outside the repository (E-7). */
export function blockerTable(evidence: Evidence, where: CommentContext): Table | undefined {
  const { blocker, first_seen, tried_again, operation } = evidence;
  if (!blocker) return undefined;
  const rows: [string, string][] = [['Kind', code(blocker.kind, 40)]];
  if (blocker.kind === 'api_unavailable') {
    rows.push(['Endpoint', code(blocker.endpoint, 300)]);
    rows.push([
      'Answer',
      blocker.status ? `**HTTP ${blocker.status}**` : '**none** (no connection, or a timeout)',
    ]);
  }
  if (blocker.kind === 'missing_dependency') {
    rows.push([
      'Name and version',
      `**${code([blocker.name, blocker.version].filter(Boolean).join(' '), 200)}**`,
    ]);
    if (blocker.problem) rows.push(['Problem', code(blocker.problem, 600)]);
    if (blocker.required_by) rows.push(['Needed by', renderPlace(blocker.required_by, where)]);
  }
  if (blocker.kind === 'permission_denied') {
    rows.push(
      ['Resource', `**${code(blocker.resource, 300)}**`],
      ['Operation', inlineText(blocker.operation, 20)],
    );
  }
  if (operation) rows.push(['Seen in', code(operation, 200)]);
  if (first_seen) rows.push(['First seen', dateTime(first_seen, true)]);
  if (tried_again) rows.push(['Tried again', `${clockSeconds(tried_again)} UTC: the same`]);
  return { head: ['What', 'Measured'], rows };
}
