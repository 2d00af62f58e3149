import { expect, test, vi } from 'vitest';
import { CHECKS_OUTSIDE } from '../../src/runner/job/check-box.ts';
import { DESKS, openScene, standardFiles } from '../e2e-github/scene.ts';
import { until } from '../e2e-github/until.ts';

vi.setConfig({ testTimeout: 180_000 });

const WORKFLOW = '.github/workflows/autobuild.yml';
const CONFIG = '.github/autobuild.yml';
const CANARY = 'code-of-the-pull-request-ran-outside';

/** The repository's own set-up is a script of it, as an install script of a package is. */
function filesFor(desk: (typeof DESKS)[number]): Record<string, string> {
  const files = standardFiles('', desk);
  const workflow = (files[WORKFLOW] ?? '')
    .replace(/# <set-up(?:-again)?>/g, '- run: sh ci/set-up.sh')
    .replace('agent: scripted', 'agent: scripted\n      setup: sh ci/set-up.sh');
  return {
    ...files,
    [WORKFLOW]: workflow,
    'ci/set-up.sh': 'echo set up by the base\nmkdir -p modules\n',
    '.gitignore': 'modules/\n',
  };
}

test.each(DESKS)(
  'S-4: in a later round no code, no check and no setting of the pull request’s head counts outside the box (%s)',
  async (desk) => {
    const files = filesFor(desk);
    const scene = await openScene({ desk, files });
    try {
      const ask = async <Body>(method: string, path: string, sent?: unknown) =>
        (await scene.sandbox.github.upstream(method, `/repos/olivia/shop/git${path}`, sent)).body as Body;
      const story = await scene.begin('revises');
      await story.reached('done');
      const first = await story.pullRequest();
      // However it came there: the head has another set-up, other checks, and asks for less isolation.
      const hostile = {
        'ci/set-up.sh': `echo ${CANARY}\n`,
        [CONFIG]: (files[CONFIG] ?? '').replace(
          /verify: .*/,
          `verify: ["echo ${CANARY}"]\ncheck_isolation: host\nisolation: best`,
        ),
      };
      const { tree: base } = await ask<{ tree: { sha: string } }>('GET', `/commits/${first.head.sha}`);
      const entries = Object.entries(hostile).map(([path, content]) => ({
        path,
        mode: '100644',
        type: 'blob',
        content,
      }));
      const tree = await ask<{ sha: string }>('POST', '/trees', { base_tree: base.sha, tree: entries });
      const made = await ask<{ sha: string }>('POST', '/commits', {
        message: 'x',
        tree: tree.sha,
        parents: [first.head.sha],
      });
      await ask('PATCH', `/refs/heads/${first.head.ref}`, { sha: made.sha });
      const walter = scene.sandbox.person('walter');
      await walter.review(first.number, 'REQUEST_CHANGES', '', [
        { path: 'pay.txt', line: 1, body: 'In capitals, please.' },
      ]);
      await walter.comment(first.number, '/continue');
      const bot = desk === 'App' ? 'autobuild[bot]' : 'github-actions[bot]';
      await until(
        'one review with the answers',
        async () => (await walter.reviews(first.number)).find(({ user }) => user.login === bot),
        () =>
          story
            .jobs()
            .map(({ job, log }) => `--- ${job}\n${log.slice(-3_000)}`)
            .join('\n'),
      );
      const second = await story.pullRequest();
      const { body } = await scene.sandbox.github.upstream(
        'GET',
        `/repos/olivia/shop/git/commits/${second.head.sha}`,
      );
      expect(body).toMatchObject({ parents: [{ sha: made.sha }] });
      // The round worked on the head's files, and left them as they are.
      expect(await scene.olivia.file('pay.txt', second.head.ref)).toBe('FIRST\nsecond\nTHIRD\nfourth\n');
      expect(await scene.olivia.file('ci/set-up.sh', second.head.ref)).toBe(hostile['ci/set-up.sh']);
      // A comment on the pull request is an event of its own number.
      const all = scene.sandbox.runner.finished;
      const jobs = all.filter(({ log }) => log.includes('set up by the base'));
      expect(jobs).toHaveLength(4);
      for (const { log } of all) {
        expect(log).not.toContain(CANARY);
        expect(log).not.toContain(CHECKS_OUTSIDE);
      }
      expect(jobs.filter(({ log }) => log.includes('✓ test -f done.txt'))).toHaveLength(2);
    } finally {
      await scene.close();
    }
  },
);
