import type { RepositoryFiles } from '../../../runner/checks/repository-files.ts';
import type { DetectedLanguage } from '../set-up.ts';

/** GitHub's machines have PHP and Composer. */
export function detectPhp(files: RepositoryFiles): DetectedLanguage | undefined {
  if (!files.exists('composer.json')) return undefined;
  return {
    summary: "PHP (the runner's own version) with Composer",
    parts: [{ kind: 'command', run: 'composer install --no-interaction --no-progress --prefer-dist' }],
    notes: [
      "PHP is the one of GitHub's machines. If the repository needs another version, put it into `setup` of the workflow; with an App, into a step of both jobs.",
    ],
  };
}
