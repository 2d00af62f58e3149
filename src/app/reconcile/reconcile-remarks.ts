import type { GitHub } from '../../core/ports/github-port.ts';
import type { AppDependencies } from '../dependencies.ts';
import { onRemarkCreated } from '../handlers/remark-created.ts';
import { isBefore } from '../labelling.ts';
import { touchedAt } from '../revise/frozen-words.ts';

/**
 * V-2: commands in remarks on lines whose event was lost. Remarks that somebody else edited are left alone, because people with
 * write access can edit the texts of others.
 */
export async function reconcileRemarks(
  deps: AppDependencies,
  github: GitHub,
  { repo_id, number, since }: { repo_id: number; number: number; since: string },
): Promise<void> {
  const { threads = [] } = (await github.reviewedPull(number)) ?? {};
  const said = threads
    .flatMap(({ comments }) => comments)
    .filter(({ author_type, is_own, created_at }) => {
      return author_type === 'User' && !is_own && !isBefore(created_at, since);
    })
    .filter(({ author, edited_at, editor }) => edited_at === undefined || editor === author);
  for (const remark of said.toSorted((one, other) => one.id - other.id)) {
    const { id, body, author: login } = remark;
    const said_at = new Date(touchedAt(remark)).toISOString();
    await onRemarkCreated(deps, github, { id, body, login, said_at, repo_id, number });
  }
}
