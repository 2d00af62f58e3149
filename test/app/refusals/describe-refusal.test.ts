import { expect, test } from 'vitest';
import { describeRefusal } from '../../../src/app/refusals/describe-refusal.ts';
import { renderReply } from '../../../src/comments/github/render-reply.ts';
import { GitHubError } from '../../../src/core/ports/github-port.ts';
import { WHERE } from '../../comments/story.ts';

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
  const detailFor = (...files: string[]) => refuse(files).detail;
  expect(detailFor('.github/workflows/ci.yml')).toMatch(/^It is needed for `.github\/workflows\/ci.yml`\.$/m);
  expect(detailFor('a.yml', 'b.yml')).toMatch(/^It is needed for `a.yml`, `b.yml`\.$/m);
  expect(detailFor('1', '2', '3', '4', '5', '6')).toMatch(/, `5` and 1 more\.$/m);
  expect(refuse(['a.yml']).detail).toContain(
    'if the work changes none of them, the default branch has changed them since the run began',
  );
});

test('R-13: the remedy can be followed: the page is a link, and a permission that the App does not ask for is added first', () => {
  const page = 'https://github.com/olivia/shop/settings/installations';
  const files = Array.from(
    { length: 4 },
    (_, number) => `.github/workflows/a-long-name-of-a-workflow-${number}.yml`,
  );
  const lacking = (missingPermission: string) =>
    describeRefusal(new GitHubError('refused', { status: 403, missingPermission, files }), {
      ...work,
      access: { ...access, page },
    });
  const reply = lacking('workflows=write');
  expect(reply.link?.url).toBe(page);
  expect(reply.detail).toContain('the owner of the App adds it first');
  const shown = renderReply('r1', reply, WHERE, () => []);
  expect(shown).toContain('**The work cannot be committed: the App lacks `workflows: write`.**');
  expect(shown).toContain(files[3]);
  expect(shown).toContain(`](${page})`);
  expect(lacking('contents=write').detail).not.toContain('adds it first');
});
