import { renderNotStarted } from '../../comments/github/render-not-started.ts';
import type { NotStartedNotice } from '../../core/contracts/effect.ts';
import type { AppDependencies } from '../dependencies.ts';
import { upsertComment } from '../upsert-comment.ts';

/** Tells why a label started nothing, and removes the label so that setting it again is a new try. */
export async function writeNotice(
  deps: AppDependencies,
  op: string,
  notice: NotStartedNotice,
): Promise<void> {
  const github = await deps.github(notice);
  const body = renderNotStarted({ ...notice, op });
  await upsertComment(deps, github, { op, body, issue: notice.issue });
  await github.removeLabel(notice.issue, deps.settings.label);
}
