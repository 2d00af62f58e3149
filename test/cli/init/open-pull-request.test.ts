import { expect, onTestFinished, test } from 'vitest';
import { openPullRequest } from '../../../src/cli/init/open-pull-request.ts';
import { startLocalGitHub } from '../../../src/sandbox/github.ts';

const remote = { name: 'origin', host: 'github.com', repository: 'olivia/shop' };

test('without gh a token opens the pull request; one that may not is told, and the address given', async () => {
  const github = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: { rita: 'read' },
    startJob: () => ({ ended: Promise.resolve('success'), cancel: () => undefined }),
  });
  onTestFinished(() => github.close());
  const { body } = await github.upstream('GET', '/repos/olivia/shop/git/ref/heads/main');
  const { sha } = (body as { object: { sha: string } }).object;
  await github.upstream('POST', '/repos/olivia/shop/git/refs', { ref: 'refs/heads/autobuild-init', sha });
  const change = { message: 'x', branch: 'autobuild-init', content: 'eA==' };
  await github.upstream('PUT', '/repos/olivia/shop/contents/x', change);
  const asked = { remote, base: { branch: 'main', commit: sha }, body: 'Prepares it.' };
  const env = { PATH: '/nonexistent', GITHUB_API_URL: `http://${github.host}/api/v3` };
  const open = (token: Record<string, string>) =>
    openPullRequest(asked, { cwd: '/', env: { ...env, ...token } });

  const link = 'Open the pull request: https://github.com/olivia/shop/compare/main...autobuild-init?expand=1';
  expect(await open({})).toBe(`✓ The branch autobuild-init is pushed. ${link}`);
  const refused = await open({ GH_TOKEN: 'ghp_wrong' });
  expect(refused).toMatch(
    /^✓ The branch autobuild-init is pushed \(GH_TOKEN did not open the pull request: /,
  );
  expect(refused).toContain(link);
  expect(refused).not.toContain('ghp_wrong');
  const opened = await open({ GITHUB_TOKEN: github.tokenOf('olivia') });
  expect(opened).toMatch(/^✓ The pull request is open: https:\/\/github\.com\/olivia\/shop\/pull\/\d+$/);
  const { body: pulls } = await github.upstream('GET', '/repos/olivia/shop/pulls');
  expect(pulls).toMatchObject([
    { title: 'Add Autobuild', body: 'Prepares it.', head: { ref: 'autobuild-init' } },
  ]);
});
