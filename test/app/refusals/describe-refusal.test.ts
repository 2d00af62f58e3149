import { expect, test } from 'vitest';
import { describeRefusal } from '../../../src/app/refusals/describe-refusal.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';

const access = { holder: 'the App', grant: 'Grant it', check: 'Check it', isWithoutWorkflows: false };
const work = {
  effect: { type: 'publish', ready: true },
  said: '',
  access,
  way: 'turn',
  compareAt: '',
} as const;

function refuse(files: string[]) {
  const error = new GitHubError('refused', { status: 403, missingPermission: 'workflows=write', files });
  return describeRefusal(error, work);
}

test('R-13: the files that a permission is needed for are named, and what to do without it', () => {
  expect(refuse(['.github/workflows/ci.yml']).title).toMatch(/, which `.github\/workflows\/ci.yml` needs\.$/);
  expect(refuse(['a.yml', 'b.yml']).title).toMatch(/, which `a.yml`, `b.yml` need\.$/);
  expect(refuse(['1', '2', '3', '4', '5', '6']).title).toMatch(/, `5` and 1 more need\.$/);
  expect(refuse(['a.yml']).detail).toContain(
    'if the work changes none of them, the default branch has changed them since the run began',
  );
});
