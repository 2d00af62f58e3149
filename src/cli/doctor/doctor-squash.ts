import type { Config } from '../../config/read-config.ts';
import type { RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { type Finding, hint, unknown } from './doctor-finding.ts';

type Repository = Awaited<ReturnType<RepositorySetUp['repository']>>;

/**
 * With `ci: skip` the messages of our commits hold CI back. A squash that takes them over would hold it back on the default
 * branch, too. GitHub shows the setting only to people who may push.
 */
export function examineSquash({ squashMessage }: Repository, { ci }: Config): Finding[] {
  if (ci !== 'skip') return [];
  if (squashMessage === undefined) {
    const remedy =
      'Look in the settings, under General → Pull Requests, or with a token that may push: it must not be the commit messages.';
    return [unknown('squash', 'The default message of a squash cannot be seen.', remedy)];
  }
  if (squashMessage !== 'COMMIT_MESSAGES') return [];
  return [
    hint(
      'squash',
      'The default message of a squash is made of the commit messages, with the mark that holds CI back. The box "Run CI on this branch" removes the mark, except from commits below one of somebody else.',
      'Choose "Pull request title and description" in the settings, under General → Pull Requests.',
    ),
  ];
}
