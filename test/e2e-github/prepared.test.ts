import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { doctorCommand } from '../../src/cli/commands/doctor-command.ts';
import { initCommand } from '../../src/cli/commands/init-command.ts';
import { readOptions } from '../../src/cli/options.ts';
import { FIXTURE_REPOSITORIES } from '../cli/init/fixture-repositories.ts';
import { git, makeWorktree } from '../runner/temporary-worktree.ts';
import { startPackageRegistry } from './package-registry.ts';
import { DESKS, openScene, SECRETS } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../..');
const ACTION = `acme/autobuild@${'c0ffee12'.repeat(5)}`;
/** Programs of our own development are not on a user's machine. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter);

/** Goes by the name of Claude Code and speaks as it does. It makes the failing test pass. */
const STAND_IN = `#!/usr/bin/env node
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) {
  console.log('${claude.testedVersion} (Claude Code)');
  process.exit();
}
const say = (line) => console.log(JSON.stringify(line));
const session_id = process.argv[process.argv.indexOf('--session-id') + 1];
say({ type: 'system', subtype: 'init', session_id });
const file = ['receipt.js', 'packages/receipt/receipt.js', 'shop/receipt.py'].find((path) => existsSync(path));
const text = readFileSync(file, 'utf8');
writeFileSync(file, text.replace('({})', "({ till: 'T-1' })").replace('{}', '{"till": "T-1"}'));
writeFileSync(process.env.AUTOBUILD_REPORT, JSON.stringify({ status: 'implemented', summary: 'Names the till' }));
say({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'Done.' }] } });
say({ type: 'result', subtype: 'success', is_error: false, session_id, result: 'Done.', total_cost_usd: 0.01 });
process.exit();
`;

const packages = mkdtempSync(join(tmpdir(), 'autobuild-packages-'));
let registry: Awaited<ReturnType<typeof startPackageRegistry>>;
beforeAll(async () => {
  mkdirSync(join(packages, 'claude'));
  const pnpm = JSON.parse(readFileSync(join(ROOT, 'node_modules/pnpm/package.json'), 'utf8'));
  registry = await startPackageRegistry([
    {
      name: claude.npmPackage ?? '',
      version: claude.testedVersion ?? '',
      bin: { claude: 'claude.cjs' },
      directory: join(packages, 'claude'),
      files: { 'claude.cjs': STAND_IN },
    },
    { name: 'pnpm', version: pnpm.version, bin: pnpm.bin, directory: join(ROOT, 'node_modules/pnpm') },
  ]);
});
afterAll(() => {
  registry?.close();
  rmSync(packages, { recursive: true, force: true });
});

describe.each(DESKS)('%s', (desk) => {
  test.each([
    ['npm', ['setup-node', 'added 1 package', 'npm install -g @anthropic-ai'], 'receipt.js'],
    [
      'pnpm',
      ['npm install -g pnpm', 'setup-node', 'pnpm install --frozen-lockfile'],
      'packages/receipt/receipt.js',
    ],
    ['python', ['setup-python', 'setup-node', 'npm install -g @anthropic-ai'], 'shop/receipt.py'],
  ])(
    'C-1, C-2: %s: prepared by init alone, a labelled issue becomes a verified pull request',
    async (name, said, file) => {
      const { AUTOBUILD_KEY, MODEL_API_KEY: ANTHROPIC_API_KEY } = SECRETS;
      const secrets = { ANTHROPIC_API_KEY, ...(desk === 'Actions' && { AUTOBUILD_KEY }) };
      const scene = await openScene({
        desk,
        files: { 'README.md': '# Shop\n' },
        secrets,
        environment: {
          PATH,
          npm_config_registry: registry.url,
          npm_config_audit: 'false',
          npm_config_fund: 'false',
          npm_config_update_notifier: 'false',
        },
      });
      onTestFinished(() => scene.close());
      const { github } = scene.sandbox;

      const tree = makeWorktree(FIXTURE_REPOSITORIES[name]);
      const server = desk === 'App' ? ['--desk', `http://127.0.0.1:${scene.apps[0]?.port}`] : [];
      const args = ['init', '--action', ACTION, ...server, '--agent', 'claude'];
      const prepared = await initCommand(readOptions(args, tree.worktree), { env: { PATH, HOME: tree.top } });
      expect(prepared.ok).toBe(true);
      const paths = git(tree.worktree, 'ls-files', '--cached', '--others').trim().split('\n');
      await scene.sandbox.push(Object.fromEntries(paths.map((path) => [path, tree.read(path)])));

      const story = await scene.begin('claude', { body: 'A receipt names its till.' });
      await story.reached('done');
      const ofKind = (kind: string) =>
        story.jobs().find(({ job, inputs }) => (desk === 'App' ? inputs.kind : job) === kind);
      const [built, verified] = [ofKind('build'), ofKind('verify')];
      for (const words of said) expect(built?.log).toContain(words);
      expect(built?.log).not.toContain(ANTHROPIC_API_KEY);
      expect(verified?.output).toContain('verified');
      expect(verified?.log).not.toContain('@anthropic-ai');
      const pull = await story.pullRequest();
      expect(pull.draft).toBe(false);
      expect(await scene.olivia.file(file, pull.head.ref)).toContain('T-1');

      // Of what was left to do, the secrets are what doctor looks for; the label came with the issue.
      const secret = { encrypted_value: 'eA==', key_id: '1' };
      for (const one of Object.keys(secrets))
        await github.upstream('PUT', `/repos/olivia/shop/actions/secrets/${one}`, secret);
      const env = { GITHUB_TOKEN: github.tokenOf('olivia'), GITHUB_API_URL: `http://${github.host}/api/v3` };
      const { lines, ok } = await doctorCommand(
        readOptions(['doctor', '--repo', 'olivia/shop', '--json'], ROOT),
        env,
      );
      const { checks } = JSON.parse(lines.join('\n')) as { checks: { check: string; status: string }[] };
      // Only the App's key shows the App, and only an admin's token the rest.
      expect(checks.filter(({ status, check }) => status !== 'ok' && check !== 'app')).toEqual([]);
      expect(ok).toBe(true);
    },
  );
});
