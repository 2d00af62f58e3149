import type { NotStartedNotice } from '../../core/contracts/effect.ts';
import type { AppDependencies, Repository } from '../dependencies.ts';

interface Labelled extends Repository {
  repo_id: number;
  number: number;
  login: string;
  /** Tells one labelling from the next. */
  seen: string;
}

/** A pull request cannot be built. It is told once for each labelling, and the label is removed. */
export async function onPullRequestLabelled(
  { store, hash }: AppDependencies,
  { repo_id, number, login, seen, installation_id, owner, repo }: Labelled,
): Promise<void> {
  const notice: NotStartedNotice = {
    type: 'notice',
    installation_id,
    owner,
    repo,
    issue: number,
    headline: 'this is a pull request, and only issues can be built',
    problems: [],
    next: 'describe the work in an issue and label that one.',
    mention: login,
  };
  const id = `${number}.not-an-issue.${hash(seen).slice(0, 8)}`;
  await store.runs.write({ installation_id, repo_id, issue: number }, id, [notice], [seen]);
}
