import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { initCommand } from '../../src/cli/commands/init-command.ts';
import { readOptions } from '../../src/cli/options.ts';
import type { Answer, Call } from '../../src/sandbox/github/gap.ts';
import { bundleAction } from '../../src/sandbox/job-runner.ts';
import { FIXTURE_REPOSITORIES } from '../cli/init/fixture-repositories.ts';
import { checkRequest, checkResponse } from '../github/openapi-contract.ts';
import { git, makeWorktree } from '../runner/temporary-worktree.ts';
import { startPackageRegistry } from './package-registry.ts';
import { openScene, type Scene } from './scene.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const ACTION = `acme/autobuild@${'c0ffee12'.repeat(5)}`;
const SECRETS = { ANTHROPIC_API_KEY: 'canary-model-key', AUTOBUILD_KEY: 'canary-state-key'.repeat(3) };
/** Programs of our own development are not on a user's machine. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .join(delimiter);

/** Goes by the name of Claude Code and speaks as it does. It needs the till's name, and changes a file outside the scope. */
const STAND_IN = `#!/usr/bin/env node
const { writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) {
  console.log('${claude.testedVersion} (Claude Code)');
  process.exit();
}
const say = (line) => console.log(JSON.stringify(line));
const session_id = process.argv[process.argv.indexOf('--session-id') + 1];
say({ type: 'system', subtype: 'init', session_id });
const till = process.env.AUTOBUILD_INPUT_TILL;
const speak = (text) => say({ type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text }] } });
if (till) {
  writeFileSync('receipt.js', "export const receipt = () => ({ till: '" + till + "' });\\n");
  writeFileSync('till/NOTES.md', 'Receipts name it.\\n');
  writeFileSync(process.env.AUTOBUILD_REPORT, JSON.stringify({ status: 'implemented', summary: 'Names the till' }));
  speak('Done.');
  say({ type: 'result', subtype: 'success', is_error: false, session_id, result: 'Done.', total_cost_usd: 0.01 });
  process.exit();
}
speak('<<<NEED_HELP>>>\\nwhat_i_tried: |\\n  Looked everywhere.\\nwhat_i_need: |\\n  The name of the till.\\ninputs:\\n  - key: till\\n    label: Till\\n<<<END_HELP>>>\\n');
setTimeout(() => {}, 120_000);
`;

const made = mkdtempSync(join(tmpdir(), 'autobuild-no-server-'));
const exchanges: { call: Call; answer: Answer }[] = [];
let registry: Awaited<ReturnType<typeof startPackageRegistry>>;
let scene: Scene;
beforeAll(async () => {
  mkdirSync(join(made, 'claude'));
  registry = await startPackageRegistry([
    {
      name: claude.npmPackage ?? '',
      version: claude.testedVersion ?? '',
      bin: { claude: 'claude.cjs' },
      directory: join(made, 'claude'),
      files: { 'claude.cjs': STAND_IN },
    },
  ]);
  scene = await openScene({
    desk: 'Actions',
    action: bundleAction(join(made, 'dist')),
    files: { 'README.md': '# Shop\n' },
    secrets: SECRETS,
    environment: {
      PATH,
      npm_config_registry: registry.url,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    onExchange: (exchange) => exchanges.push(exchange),
  });
});
afterAll(async () => {
  await scene?.close();
  registry?.close();
  rmSync(made, { recursive: true, force: true });
});

test('N-1: prepared by init alone, without any server: label, question, /provide, /approve, verified pull request, merged', async () => {
  const tree = makeWorktree(FIXTURE_REPOSITORIES.npm);
  const args = ['init', '--action', ACTION, '--agent', 'claude'];
  const prepared = await initCommand(readOptions(args, tree.worktree), { env: { PATH, HOME: tree.top } });
  expect(prepared.ok).toBe(true);
  const paths = git(tree.worktree, 'ls-files', '--cached', '--others').trim().split('\n');
  await scene.sandbox.push(Object.fromEntries(paths.map((path) => [path, tree.read(path)])));
  const { olivia } = scene;

  const story = await scene.begin('claude', {
    body: 'A receipt names its till.\n\n## Scope\n\n- `receipt.js`\n',
  });
  const question = await story.question(1);
  expect(question.body).toContain('/provide till=');
  expect(question.body).toContain('an answer takes effect in about 2 minutes');
  await story.parked();
  await olivia.comment(story.issue, 'It is this one:\n\n/provide till=T-1');

  expect((await story.question(2)).body).toContain('till/NOTES.md');
  await story.parked();
  await olivia.comment(story.issue, '/approve');
  await story.reached('done');
  await story.parked();
  const pull = await story.pullRequest();
  expect(pull).toMatchObject({ draft: false, title: 'Make it, claude' });
  expect(await olivia.file('receipt.js', pull.head.ref)).toContain('T-1');
  expect(await olivia.file('till/NOTES.md', pull.head.ref)).toBe('Receipts name it.\n');
  expect(pull.body).not.toContain('id=ci.');

  await olivia.merge(pull.number);
  await story.comment(':status ', 'Done: merged');
  await story.parked();
  expect(await olivia.file('receipt.js', 'main')).toContain('T-1');
  const { github } = scene.sandbox;
  expect(github.workflows.problems).toEqual([]);
  expect(story.runs().map(({ conclusion }) => conclusion)).not.toContain('failure');

  const kinds = (await story.comments())
    .filter(({ user }) => user.login === 'github-actions[bot]')
    .map(({ body }) => /autobuild:(\w+)/.exec(body)?.[1])
    .sort();
  expect(kinds).toEqual(['escalation', 'escalation', 'receipt', 'reply', 'reply', 'status']);
  for (const job of story.jobs()) expect(job.log + job.summary + job.output).not.toMatch(/canary/);
});

test('N-1: each job asked only for what its permissions allow, and all of it is as GitHub describes it', () => {
  const asked = exchanges.filter(
    ({ call }) => call.caller.kind !== 'person' && !call.path.endsWith('/graphql'),
  );
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter(({ answer }) => answer.status === 403).map(({ call }) => call.path)).toEqual([]);
  const once = new Map(asked.map((one) => [`${one.call.method} ${one.call.path} ${one.answer.status}`, one]));
  const wrong = [...once.values()].flatMap(({ call, answer }) => {
    const path = call.query.size > 0 ? `${call.path}?${call.query}` : call.path;
    const body = call.method === 'GET' ? undefined : call.body;
    return [
      ...checkRequest(call.method, path, body),
      ...checkResponse(call.method, path, answer.status, answer.body),
    ];
  });
  expect(wrong).toEqual([]);
});
