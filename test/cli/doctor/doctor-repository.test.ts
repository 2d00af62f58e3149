import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { doctorCommand } from '../../../src/cli/commands/doctor-command.ts';
import type { Finding } from '../../../src/cli/doctor/doctor-finding.ts';
import { readOptions } from '../../../src/cli/options.ts';
import { SUBSCRIBED_EVENTS } from '../../../src/core/ports/webhook-events.ts';
import { findFreePort } from '../../../src/sandbox/free-port.ts';
import { type Answer, type Call, type Json, matchPath, refuse } from '../../../src/sandbox/github/gap.ts';
import { type LocalGitHub, startLocalGitHub } from '../../../src/sandbox/github.ts';
import { until } from '../../e2e-github/until.ts';
import { checkRequest, checkResponse } from '../../github/openapi-contract.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CLI = join(ROOT, 'src/cli.ts');
const WORKFLOW = '.github/workflows/autobuild.yml';
const CONFIG = '.github/autobuild.yml';
const TEMPLATE = readFileSync(join(ROOT, 'test/golden/init/npm.yml'), 'utf8').replaceAll(
  /acme\/autobuild@\w+/g,
  'autobuild/autobuild@v0.1.0',
);
const SETTINGS = 'agent: claude\nverify: [npm test]\n';

let local: LocalGitHub;
let desk: Server;
let deskUrl: string;
let deskStatus = 200;
let closedPort: number;
let interfere: (call: Call) => Answer | undefined;
const exchanges: { call: Call; answer: Answer; own: boolean }[] = [];

beforeAll(async () => {
  let own = false;
  local = await startLocalGitHub({
    owner: 'olivia',
    name: 'shop',
    people: { walter: 'write', rita: 'read' },
    startJob: () => ({ ended: Promise.resolve('success'), cancel: () => undefined }),
    interfere(call) {
      const answer = interfere(call);
      own = answer !== undefined;
      return answer;
    },
    onExchange: (exchange) => exchanges.push({ ...exchange, own }),
  });
  desk = createServer((request, response) => {
    const isKnown = request.url === '/healthz' || request.method === 'POST';
    response.writeHead(isKnown ? deskStatus : 404).end();
  }).listen(0, '127.0.0.1');
  await once(desk, 'listening');
  deskUrl = `http://127.0.0.1:${(desk.address() as AddressInfo).port}`;
  await local.upstream('PUT', '/repos/olivia/shop/actions/secrets/ANTHROPIC_API_KEY', {
    encrypted_value: 'eA==',
    key_id: '1',
  });
  local.webhooks.to([`${deskUrl}/api/github/webhooks`]);
  await setFile(WORKFLOW, TEMPLATE);
  await setFile(CONFIG, SETTINGS);
  await local.upstream('POST', '/repos/olivia/shop/labels', { name: 'autobuild', color: 'ededed' });
  closedPort = await findFreePort();
});
afterAll(async () => {
  await local.close();
  desk.close();
});
beforeEach(() => {
  interfere = () => undefined;
  deskStatus = 200;
  exchanges.length = 0;
  local.webhooks.to([`${deskUrl}/api/github/webhooks`]);
});
/** Whatever was asked is as GitHub describes it; so is what the stand-in said by itself. */
afterEach(() => {
  const wrong = exchanges.flatMap(({ call, answer, own }) => {
    const path = call.query.size > 0 ? `${call.path}?${call.query}` : call.path;
    const body = call.method === 'GET' ? undefined : call.body;
    const answered = own ? [] : checkResponse(call.method, path, answer.status, answer.body);
    return [...checkRequest(call.method, path, body), ...answered];
  });
  expect(wrong).toEqual([]);
});

async function setFile(path: string, text: string | undefined): Promise<void> {
  const url = `/repos/olivia/shop/contents/${path}`;
  const { body } = await local.upstream('GET', url);
  const sha = (body as { sha?: string } | undefined)?.sha;
  const change = { message: 'Change', sha, content: Buffer.from(text ?? '').toString('base64') };
  const answer = await local.upstream(text === undefined ? 'DELETE' : 'PUT', url, change);
  expect(answer.status).toBeLessThan(300);
}

/** Something happens in the repository, and the App is told. */
async function sendWebhook(): Promise<void> {
  const before = local.webhooks.attempts.length;
  await local.upstream('POST', '/repos/olivia/shop/issues', { title: 'A webhook' });
  await until('a webhook', () => local.webhooks.attempts.length > before);
}

interface Told {
  code: number;
  out: string;
  error: string;
}

function autobuild(args: string[], env: Record<string, string>): Promise<Told> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env }, (_, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    );
  });
}

const person = (login = 'olivia') => ({
  GITHUB_TOKEN: local.tokenOf(login),
  GITHUB_API_URL: `http://${local.host}/api/v3`,
});
const app = () => ({
  GITHUB_API_URL: `http://${local.host}/api/v3`,
  APP_ID: String(local.appId),
  PRIVATE_KEY: local.privateKey,
  PUBLIC_URL: deskUrl,
});
const look = (env: Record<string, string> = person(), ...args: string[]) =>
  autobuild(['doctor', '--repo', 'olivia/shop', ...args], env);

/** In this process, for its speed; the texts and exit codes above and below come from real ones. */
async function findings(env: Record<string, string> = person()): Promise<Finding[]> {
  const options = readOptions(['doctor', '--repo', 'olivia/shop', '--json'], ROOT);
  const { lines, ok } = await doctorCommand(options, env);
  const told = JSON.parse(lines.join('\n')) as { ok: boolean; checks: Finding[] };
  expect(told.ok).toBe(ok);
  expect(ok).toBe(!told.checks.some(({ status }) => status === 'problem'));
  return told.checks;
}

const troubles = async (env?: Record<string, string>) =>
  (await findings(env)).filter(({ status, check }) => status !== 'ok' && check !== 'app');

/** An answer of GitHub in place of the stand-in's. */
function answering(pattern: string, answer: Answer | ((call: Call) => Answer | undefined)): void {
  interfere = (call) => {
    if (!matchPath(pattern, call.path)) return undefined;
    return typeof answer === 'function' ? answer(call) : answer;
  };
}

describe('a repository without a server', () => {
  const FILE = readFileSync(join(ROOT, 'test/golden/init/no-server/npm.yml'), 'utf8');
  const SETTING = 'Allow GitHub Actions to create and approve pull requests';
  beforeEach(() => setFile(WORKFLOW, FILE));
  afterEach(async () => {
    local.allowPullRequestsByActions(true);
    await setFile(WORKFLOW, TEMPLATE);
    await setFile(CONFIG, SETTINGS);
  });

  test('N-1: needs no App, and may open pull requests', async () => {
    const found = await findings();
    expect(found.filter(({ status }) => status === 'problem' || status === 'unknown')).toEqual([]);
    expect(found).toContainEqual({
      check: 'app',
      status: 'ok',
      message: expect.stringContaining('No App and no server is needed'),
    });
    const message = 'GitHub Actions may open pull requests.';
    expect(found).toContainEqual({ check: 'pull requests', status: 'ok', message });
  });

  test('N-4: the setting that forbids pull requests is named, and what happens without it', async () => {
    local.allowPullRequestsByActions(false);
    expect((await findings()).filter(({ check }) => check === 'pull requests')).toEqual([
      {
        check: 'pull requests',
        status: 'hint',
        message: `"${SETTING}" is off, so runs end with a link for you to open the pull request.`,
        remedy: expect.stringContaining('gh api -X PUT repos/olivia/shop/actions/permissions/workflow'),
      },
    ]);
  });

  test('N-1: what the workflow names counts where the settings name nothing', async () => {
    const named = (inputs: string) => setFile(WORKFLOW, FILE.replace('    with:\n', `    with:\n${inputs}`));
    await setFile(CONFIG, 'ci: skip\n');
    expect(await troubles()).toMatchObject([{ check: 'config', status: 'problem' }, { check: 'secrets' }]);
    await named('      checks: npm test\n');
    const found = await findings();
    expect(found).toContainEqual({
      ...{ check: 'config', status: 'ok' },
      message: `The checks are those that ${WORKFLOW} names.`,
    });
    expect(found.filter(({ status }) => status === 'problem')).toEqual([]);

    await named('      checks: npm test\n      agent: codex\n      label: build-me\n');
    expect(await troubles()).toMatchObject([
      {
        message: 'The workflow names no key for codex.',
        remedy: `Pass one of CODEX_API_KEY, OPENAI_API_KEY as \`model_key\` in ${WORKFLOW}.`,
      },
      { check: 'secrets', status: 'hint' },
      { check: 'label', message: 'There is no label build-me yet, so nobody can choose it.' },
    ]);
    await named('      checks: npm test\n      agent: clod\n');
    expect(await troubles()).toContainEqual(
      expect.objectContaining({ message: `${WORKFLOW}: there is no agent clod.` }),
    );
  });

  test('N-1: nothing is advised that only an App could do or need', async () => {
    await setFile(CONFIG, `${SETTINGS}ci: skip\n`);
    answering('/repos/:owner/:repo/rules/branches/*branch', { status: 200, body: [{ type: 'creation' }] });
    const remedies = (await findings()).map(({ remedy = '' }) => remedy);
    expect(remedies).toContain('Leave autobuild/** out of the ruleset.');
    expect(remedies.join('\n')).not.toMatch(/\bApp\b|squash/);
  });

  test('N-4: whoever is not an admin is told which setting to look for', async () => {
    const [found] = (await findings(person('walter'))).filter(({ check }) => check === 'pull requests');
    expect(found).toMatchObject({ status: 'unknown', remedy: expect.stringContaining(SETTING) });
  });
});

describe('a repository that is ready', () => {
  test('says so, point by point, and never shows the token', async () => {
    const { code, out, error } = await look();
    expect(error).toBe('');
    expect(out).toBe(`✓ olivia/shop can be read; its default branch is main.
✓ .github/autobuild.yml is valid.
✓ .github/workflows/autobuild.yml is on main.
✓ Actions are switched on.
✓ The inputs of the workflow are those the App gives.
✓ The job may read the repository and nothing else.
✓ The action is autobuild/autobuild@v0.1.0.
✓ The jobs obey the App at https://autobuild.acme.dev alone.
✓ Both jobs have the same set-up.
✓ A step installs claude 2.1.325, the version that was tested.
✓ The jobs run on machines that the action can use.
✓ A job hands over after 340 minutes, before Actions ends it after 350.
✓ The secret ANTHROPIC_API_KEY is there.
✓ The label autobuild is there.
✓ No ruleset hinders branches below autobuild/.
? Whether the App is installed is only seen with the App's key.
  Set APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH), as the server has them, to look.

olivia/shop is ready.
`);
    expect(code).toBe(0);
    expect(exchanges.every(({ call }) => call.method === 'GET')).toBe(true);
  });

  test("with the App's key alone it is seen as the App sees it, the desk and its webhooks too", async () => {
    await sendWebhook();
    answering(
      '/repos/:owner/:repo/actions/secrets/:name',
      refuse(403, 'Resource not accessible by integration'),
    );
    const { code, out } = await look(app());
    expect(code).toBe(0);
    expect(out).toContain('✓ olivia/shop can be read');
    expect(out).toContain('? Which actions the repository may use cannot be seen.');
    expect(out).toContain('? Whether the secret ANTHROPIC_API_KEY is there cannot be seen.');
    expect(out).toContain(`✓ The App Autobuild asks for what it needs.
✓ The App Autobuild is installed in olivia/shop with all it needs.
✓ Webhooks go to ${deskUrl}/api/github/webhooks.
`);
    expect(out).toMatch(/✓ None of the last \d+ webhooks was lost\.\n✓ The server at \S+ is well\.\n/);
    expect(out).not.toContain('PRIVATE KEY');
  });

  test('GH_TOKEN will do; GHE_HOST names the server as it does for the App', async () => {
    const env = { GH_TOKEN: local.tokenOf('walter'), GHE_HOST: local.host, GHE_PROTOCOL: 'http' };
    expect(await troubles(env)).toEqual([
      {
        check: 'actions',
        status: 'unknown',
        message: expect.anything(),
        remedy: expect.stringContaining('admin'),
      },
    ]);
  });
});

const setting = (from: string, to: string) => setFile(WORKFLOW, TEMPLATE.replaceAll(from, to));

describe('each problem with its remedy', () => {
  afterEach(async () => {
    await setFile(WORKFLOW, TEMPLATE);
    await setFile(CONFIG, SETTINGS);
  });

  test.each<[string, () => unknown, Partial<Finding>]>([
    [
      'a mistake in the settings, with its line',
      () => setFile(CONFIG, 'verify: [npm test]\nguards:\n  max_runtime: soon\n'),
      {
        check: 'config',
        status: 'problem',
        message: expect.stringMatching(
          /^\.github\/autobuild\.yml: line 3, guards\.max_runtime: found "soon", allowed: /,
        ),
        remedy: 'Edit the file on main.',
      },
    ],
    [
      'no check',
      () => setFile(CONFIG, 'agent: claude\n'),
      { check: 'config', status: 'problem', message: expect.stringContaining('No check is named') },
    ],
    [
      'an agent nobody knows',
      () => setFile(CONFIG, `${SETTINGS.replace('claude', 'clod')}`),
      { check: 'config', status: 'problem', message: `${CONFIG}: there is no agent clod.` },
    ],
    [
      'a workflow that is not YAML',
      () => setFile(WORKFLOW, 'name: [autobuild\n'),
      { check: 'workflow', status: 'problem', message: expect.stringMatching(/it is not YAML: .* line \d/) },
    ],
    [
      'a workflow that is none',
      () => setFile(WORKFLOW, 'on: push\njobs: 5\n'),
      { check: 'workflow', status: 'problem', message: expect.stringContaining('it is no workflow: jobs:') },
    ],
    [
      'no App that is pinned',
      () => setFile(WORKFLOW, TEMPLATE.replaceAll(/ {8}with:\n {10}desk: .*\n/g, '')),
      { check: 'desk', status: 'hint', message: expect.stringContaining('No App is pinned') },
    ],
    [
      'different Apps',
      () => setFile(WORKFLOW, TEMPLATE.replace('autobuild.acme.dev', 'evil.dev')),
      { check: 'desk', status: 'problem', message: expect.stringContaining('different Apps') },
    ],
    [
      'a job that verifies without set-up',
      () => {
        const at = TEMPLATE.indexOf('# The same set-up');
        return setFile(
          WORKFLOW,
          TEMPLATE.slice(0, at) + TEMPLATE.slice(TEMPLATE.indexOf('- uses: autobuild', at)),
        );
      },
      {
        check: 'set-up',
        status: 'hint',
        message: expect.stringContaining('No step of the job that verifies'),
      },
    ],
    [
      'jobs that are set up differently',
      () => setFile(WORKFLOW, TEMPLATE.replace('- run: npm ci', '- run: npm install')),
      { check: 'set-up', status: 'hint', message: expect.stringContaining('`build` lacks npm ci') },
    ],
    [
      'no step for the agent',
      () => setting('npm install -g @anthropic-ai/claude-code@', 'echo '),
      {
        check: 'agent',
        status: 'hint',
        message: 'No step installs claude from npm.',
        remedy: expect.stringContaining('- run: npm install -g @anthropic-ai/claude-code@'),
      },
    ],
    [
      'another version of the agent',
      () => setting('claude-code@', 'claude-code@1.'),
      { check: 'agent', status: 'hint', message: expect.stringContaining('in another version than') },
    ],
    [
      'a missing input',
      () => setting('      operation:', '      operator:'),
      {
        check: 'inputs',
        status: 'problem',
        message: `${WORKFLOW}: the input \`operation\` is missing; the App does not give the input \`operator\`, which is required.`,
        remedy: expect.stringContaining('autobuild init'),
      },
    ],
    [
      'an input of another type',
      () =>
        setting(
          'The number of the issue.\n        required: true\n        type: string',
          'It.\n        type: boolean',
        ),
      {
        check: 'inputs',
        message: `${WORKFLOW}: the input \`issue\` is of type boolean, the App gives a string.`,
      },
    ],
    [
      'a kind that cannot be chosen',
      () => setting('[build, verify]', '[build]'),
      { check: 'inputs', message: `${WORKFLOW}: the input \`kind\` lacks the option verify.` },
    ],
    [
      'a ticket in the log',
      () => setting('AUTOBUILD_JOB_MINUTES: 340', 'TICKET: $' + '{{ inputs.ticket }}'),
      { check: 'inputs', status: 'problem', message: expect.stringContaining('would be in the log') },
    ],
    [
      'a run that cannot be found again',
      () => setting(' $' + '{{ inputs.operation }}', ''),
      { check: 'inputs', status: 'problem', message: expect.stringContaining('`run-name` lacks') },
    ],
    [
      'no permissions',
      () => setting('permissions:\n  contents: read\n', ''),
      { check: 'permissions', status: 'problem', message: expect.stringContaining('sets no permissions') },
    ],
    [
      'permissions of a job',
      () =>
        setting('    timeout-minutes: 60', '    timeout-minutes: 60\n    permissions: { id-token: write }'),
      {
        check: 'permissions',
        status: 'problem',
        message: `${WORKFLOW}: \`jobs.verify.permissions\` is {"id-token":"write"}.`,
        remedy: expect.stringContaining('contents: read'),
      },
    ],
    [
      'no action',
      () => setting('autobuild/autobuild@v0.1.0', `somebody/else@${'a'.repeat(40)}`),
      { check: 'action', status: 'problem', message: `No step of ${WORKFLOW} runs the action.` },
    ],
    [
      'two versions',
      () => setFile(WORKFLOW, TEMPLATE.replace('autobuild@v0.1.0', 'autobuild@v0.0.9')),
      {
        check: 'action',
        status: 'problem',
        message: expect.stringContaining('@v0.0.9, autobuild/autobuild@v0.1.0'),
      },
    ],
    [
      'another version',
      () => setting('autobuild@v0.1.0', 'autobuild@v0.0.9'),
      {
        check: 'action',
        status: 'hint',
        message: expect.stringContaining('this doctor is of version 0.1.0'),
      },
    ],
    [
      'a branch for a version',
      () => setting('autobuild@v0.1.0', 'autobuild@main'),
      { check: 'action', status: 'hint', message: expect.stringContaining('may change under you') },
    ],
    [
      'a tag that moves',
      () => setting('autobuild@v0.1.0', 'autobuild@v0'),
      {
        check: 'action',
        status: 'hint',
        message: expect.stringContaining('a tag that moves with each release'),
        remedy: expect.stringContaining('Name the commit of v0.1.0'),
      },
    ],
    [
      'a secret that is not there',
      () =>
        setting(
          'ANTHROPIC_API_KEY:',
          `ANTHROPIC_API_KEY: x\n          OTHER: $` + '{{ secrets.OTHER_KEY }}\n          KEY:',
        ),
      {
        check: 'secrets',
        status: 'problem',
        message: 'The workflow names the secret OTHER_KEY, which is not there.',
        remedy: 'Set it: gh secret set OTHER_KEY',
      },
    ],
    [
      'a key that the agent lacks',
      () => setting('          ANTHROPIC_API_KEY', '          # ANTHROPIC_API_KEY'),
      { check: 'secrets', status: 'hint', message: 'The workflow names no key for claude.' },
    ],
    [
      'Actions switched off',
      () => answering('/repos/:owner/:repo/actions/permissions', { status: 200, body: { enabled: false } }),
      { check: 'actions', status: 'problem', message: 'Actions is disabled for the repository.' },
    ],
    [
      'no actions of others',
      () =>
        answering('/repos/:owner/:repo/actions/permissions', {
          status: 200,
          body: { enabled: true, allowed_actions: 'local_only' },
        }),
      { check: 'actions', status: 'problem', message: 'The repository may use no actions of others.' },
    ],
    [
      'actions that must be pinned',
      () =>
        answering('/repos/:owner/:repo/actions/permissions', {
          status: 200,
          body: { enabled: true, allowed_actions: 'all', sha_pinning_required: true },
        }),
      {
        check: 'actions',
        status: 'problem',
        message: expect.stringContaining('autobuild/autobuild@v0.1.0 is not'),
      },
    ],
    [
      'a workflow that is disabled',
      () =>
        answering('/repos/:owner/:repo/actions/workflows/:file', {
          status: 200,
          body: { state: 'disabled_manually' },
        }),
      { check: 'actions', status: 'problem', remedy: 'Enable it: gh workflow enable autobuild.yml' },
    ],
    [
      'an archived repository',
      () => onRepository({ archived: true }),
      { check: 'repository', status: 'problem', message: expect.stringContaining('archived') },
    ],
    [
      'issues switched off',
      () => onRepository({ has_issues: false }),
      { check: 'repository', status: 'problem', message: 'Issues are disabled.' },
    ],
    [
      'a repository that was renamed',
      () => onRepository({ full_name: 'olivia/store' }),
      { check: 'repository', status: 'hint', message: 'olivia/shop was renamed to olivia/store.' },
    ],
    [
      'no label',
      () => answering('/repos/:owner/:repo/labels/:name', refuse(404, 'Not Found')),
      { check: 'label', status: 'hint', remedy: 'Make it: gh label create autobuild' },
    ],
    [
      'an action that is not pinned',
      () => setting('actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803', 'actions/checkout@v6'),
      {
        check: 'pins',
        status: 'hint',
        message: expect.stringContaining('uses actions/checkout@v6, which may change under you'),
      },
    ],
    [
      'job minutes that are not below the time-out',
      () => setting('timeout-minutes: 350', 'timeout-minutes: 340'),
      {
        check: 'time',
        status: 'problem',
        message: `${WORKFLOW}: \`jobs.build\` is ended after 340 minutes, and AUTOBUILD_JOB_MINUTES is 340: its work is lost.`,
        remedy: expect.stringContaining('to 330 or less'),
      },
    ],
    [
      'job minutes too close to the time-out',
      () => setting('timeout-minutes: 350', 'timeout-minutes: 342'),
      { check: 'time', status: 'hint', message: expect.stringContaining('too late to save its work') },
    ],
    [
      'a time-out that is below the default',
      () => setting('timeout-minutes: 350', 'timeout-minutes: 30'),
      { check: 'time', status: 'problem', message: expect.stringContaining('after 30 minutes') },
    ],
    [
      'a time-out above what a machine of GitHub allows',
      async () => {
        const longer = TEMPLATE.replace('timeout-minutes: 350', 'timeout-minutes: 600');
        await setFile(WORKFLOW, longer.replace('AUTOBUILD_JOB_MINUTES: 340', 'AUTOBUILD_JOB_MINUTES: 590'));
      },
      { check: 'time', status: 'problem', message: expect.stringContaining('after 360 minutes') },
    ],
    [
      'a time-out of the step of the action',
      () => setting('- uses: autobuild/autobuild@v0.1.0', '$&\n        timeout-minutes: 30'),
      { check: 'time', status: 'problem', message: expect.stringContaining('after 30 minutes') },
    ],
    [
      'a time-out that is an expression',
      () => setting('timeout-minutes: 350', 'timeout-minutes: $' + '{{ vars.MINUTES }}'),
      { check: 'time', status: 'unknown', message: expect.stringContaining('cannot be compared') },
    ],
    [
      'a machine with Windows',
      () => setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', 'windows-latest')),
      {
        check: 'runner',
        status: 'problem',
        message: expect.stringContaining('`jobs.build` runs on windows-latest'),
      },
    ],
    [
      'a machine of their own with Windows',
      () => setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', '[self-hosted, Windows, X64]')),
      { check: 'runner', status: 'problem', message: expect.stringContaining('runs on Windows') },
    ],
    [
      'a machine that ends jobs early',
      () => setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', '[ubuntu-slim]')),
      { check: 'runner', status: 'problem', message: expect.stringContaining('after 15 minutes') },
    ],
    [
      'a machine that is gone',
      () => setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', 'ubuntu-20.04')),
      { check: 'runner', status: 'problem', message: expect.stringContaining('no longer has') },
    ],
    [
      'a machine of their own',
      () =>
        setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', '{ group: big, labels: [self-hosted, linux] }')),
      { check: 'runner', status: 'hint', message: expect.stringContaining('runs on self-hosted, linux') },
    ],
    [
      'a machine that is only known later',
      () => setFile(WORKFLOW, TEMPLATE.replace('ubuntu-latest', '$' + '{{ vars.RUNNER }}')),
      { check: 'runner', status: 'unknown', message: expect.stringContaining('only known when it runs') },
    ],
    [
      'an environment with reviewers',
      async () => {
        await setting(
          '    timeout-minutes: 350',
          '    timeout-minutes: 350\n    environment: { name: keys }',
        );
        answering('/repos/:owner/:repo/environments/:name', {
          status: 200,
          body: {
            name: 'keys',
            protection_rules: [
              { id: 1, node_id: 'a', type: 'wait_timer', wait_timer: 30 },
              { id: 2, node_id: 'b', type: 'required_reviewers', reviewers: [] },
            ],
          },
        });
      },
      {
        check: 'environment',
        status: 'hint',
        message: expect.stringContaining(
          'a reviewer has to approve each job, and each job waits for 30 minutes',
        ),
      },
    ],
    [
      'an environment that cannot be seen',
      () => setting('    timeout-minutes: 350', '    timeout-minutes: 350\n    environment: keys'),
      { check: 'environment', status: 'unknown', message: 'The environment keys cannot be seen.' },
    ],
    [
      'a ruleset for pushes',
      () =>
        answering('/repos/:owner/:repo/rulesets', {
          status: 200,
          body: [
            { id: 1, name: 'small files', source: 'olivia/shop', target: 'push', enforcement: 'active' },
            { id: 2, name: 'later', source: 'olivia/shop', target: 'push', enforcement: 'disabled' },
            { id: 3, name: 'main', source: 'olivia/shop', target: 'branch', enforcement: 'active' },
          ],
        }),
      {
        check: 'rulesets',
        status: 'hint',
        message: expect.stringContaining('restrict pushes: small files.'),
      },
    ],
    [
      'a ruleset of another kind',
      () =>
        answering('/repos/:owner/:repo/rulesets', {
          status: 200,
          body: [{ id: 1, name: 'who may run', source: 'olivia', target: 'workflow', enforcement: 'active' }],
        }),
      { check: 'rulesets', status: 'hint', message: expect.stringContaining('does not know: who may run.') },
    ],
    [
      'a squash that takes over our messages',
      () => onRepository({ squash_merge_commit_message: 'COMMIT_MESSAGES' }),
      {
        check: 'squash',
        status: 'hint',
        message: expect.stringContaining('the mark that holds CI back'),
        remedy: expect.stringContaining('Pull request title and description'),
      },
    ],
    [
      'settings of a squash that are shown to others only',
      () => onRepository({ allow_squash_merge: undefined, squash_merge_commit_message: undefined }),
      {
        check: 'squash',
        status: 'unknown',
        message: 'The default message of a squash cannot be seen.',
        remedy: expect.stringContaining('with a token that may push'),
      },
    ],
    [
      'a ruleset',
      () =>
        answering('/repos/:owner/:repo/rules/branches/*branch', {
          status: 200,
          body: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
        }),
      {
        check: 'rules',
        status: 'hint',
        message: 'Rules hold for branches such as autobuild/issue-1: non_fast_forward.',
        remedy: expect.stringContaining('bypass'),
      },
    ],
  ])('%s', async (_, arrange, expected) => {
    await arrange();
    expect(await troubles()).toEqual([
      { remedy: expect.stringMatching(/\S/), ...expected, ...complete(expected) },
    ]);
  });

  /** Fields a row does not name may be anything. */
  function complete(expected: Partial<Finding>): object {
    return Object.fromEntries(
      ['status', 'message'].filter((key) => !(key in expected)).map((key) => [key, expect.any(String)]),
    );
  }

  function onRepository(change: Json): void {
    answering('/repos/:owner/:repo', () => ({
      status: 200,
      body: {
        full_name: 'olivia/shop',
        default_branch: 'main',
        archived: false,
        has_issues: true,
        allow_squash_merge: true,
        squash_merge_commit_message: 'PR_BODY',
        ...change,
      },
    }));
  }

  test('nothing is said of squashes where they are off', async () => {
    onRepository({ allow_squash_merge: false, squash_merge_commit_message: 'COMMIT_MESSAGES' });
    expect((await look()).out).not.toContain('squash');
  });

  test('neither file: the one is needed, the other is not, but a check is', async () => {
    await setFile(WORKFLOW, undefined);
    await setFile(CONFIG, undefined);
    expect((await troubles()).map(({ check, status }) => `${check} ${status}`)).toEqual([
      'config hint',
      'config problem',
      'workflow problem',
    ]);
  });

  test("an organisation's secret counts", async () => {
    await setting('ANTHROPIC_API_KEY', 'SHARED');
    answering('/repos/:owner/:repo/actions/organization-secrets', {
      status: 200,
      body: { total_count: 1, secrets: [{ name: 'SHARED', created_at: '', updated_at: '' }] },
    });
    expect(
      (await findings()).find(({ check, status }) => check === 'secrets' && status === 'ok')?.message,
    ).toBe('The secret SHARED is there.');
  });

  test('what the repository says steers no terminal', async () => {
    await setFile(CONFIG, '"\\e[2J\\u202Egone": 1\nverify: [npm test]\n');
    const plain = await look();
    expect(plain.out).toContain('line 1');
    for (const { out } of [plain, await look(person(), '--json')])
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});

describe('the App', () => {
  const appTroubles = async (change: Record<string, string> = {}) =>
    (await findings({ ...person(), ...app(), ...change })).filter(({ status }) => status !== 'ok');

  beforeEach(sendWebhook);

  test('not installed', async () => {
    answering('/repos/:owner/:repo/installation', refuse(404, 'Not Found'));
    expect(await appTroubles()).toEqual([
      {
        check: 'installation',
        status: 'problem',
        message: 'The App Autobuild is not installed in olivia/shop.',
        remedy: expect.stringMatching(/^Install it: http\S+\/apps\/autobuild\/installations\/new$/),
      },
    ]);
  });

  test('without installation and without a token nothing can be seen of the repository', async () => {
    answering('/repos/:owner/:repo/installation', refuse(404, 'Not Found'));
    expect((await findings(app())).filter(({ status }) => status === 'problem')).toMatchObject([
      { check: 'token' },
      { check: 'installation' },
    ]);
  });

  test.each<[string, Json, string]>([
    ['suspended', { suspended_at: '2026-01-01T00:00:00Z', permissions: {} }, 'is suspended'],
    [
      'without a permission',
      {
        permissions: {
          actions: 'read',
          checks: 'write',
          contents: 'write',
          issues: 'write',
          metadata: 'read',
        },
      },
      'was not granted actions: write, pull_requests: write',
    ],
  ])('%s', async (_, change, message) => {
    answering('/repos/:owner/:repo/installation', {
      status: 200,
      body: { id: 100, html_url: 'https://github.com/settings/installations/100', ...change },
    });
    expect(await appTroubles()).toMatchObject([
      { check: 'installation', status: 'problem', message: expect.stringContaining(message) },
    ]);
  });

  test('V-7: an installation that was not granted commit statuses works, and it is said what is not seen', async () => {
    const permissions = { actions: 'write', checks: 'write', contents: 'write', issues: 'write' };
    const html_url = 'https://github.com/settings/installations/100';
    answering('/repos/:owner/:repo/installation', {
      status: 200,
      body: { id: 100, html_url, permissions: { ...permissions, metadata: 'read', pull_requests: 'write' } },
    });
    expect(await appTroubles()).toMatchObject([
      {
        check: 'installation',
        status: 'hint',
        message: expect.stringContaining('was not granted statuses: read in olivia/shop. CI that reports'),
      },
    ]);
  });

  test('V-7: without an event, and without the permission to see commit statuses', async () => {
    answering('/app', {
      status: 200,
      body: {
        name: 'Autobuild',
        html_url: 'https://github.com/apps/autobuild',
        permissions: {
          actions: 'write',
          checks: 'write',
          contents: 'write',
          issues: 'write',
          metadata: 'read',
          pull_requests: 'write',
        },
        events: SUBSCRIBED_EVENTS.filter((event) => event !== 'workflow_run' && event !== 'push'),
      },
    });
    expect(await appTroubles()).toMatchObject([
      {
        check: 'app',
        status: 'problem',
        message: 'The App Autobuild lacks the event workflow_run, the event push.',
      },
      {
        check: 'app',
        status: 'hint',
        message:
          'The App Autobuild does not ask for statuses: read. CI that reports commit statuses is not seen; checks are.',
      },
    ]);
  });

  test('webhooks that go elsewhere, and a desk that is ill', async () => {
    answering('/app/hook/config', { status: 200, body: { url: 'https://old.example.com/hook' } });
    deskStatus = 503;
    expect(await appTroubles()).toMatchObject([
      {
        check: 'webhook',
        status: 'problem',
        message: 'Webhooks go to https://old.example.com/hook.',
        remedy: expect.stringContaining(`${deskUrl}/api/github/webhooks`),
      },
      { check: 'desk', status: 'problem', message: `${deskUrl}/healthz answers 503.` },
    ]);
  });

  test('webhooks that do not arrive are counted; one that came at a second try is not', async () => {
    deskStatus = 500;
    await sendWebhook();
    deskStatus = 200;
    const [found] = await appTroubles();
    expect(found).toMatchObject({ check: 'deliveries', status: 'problem' });
    expect(found?.message).toMatch(
      /^1 of the last \d+ webhooks did not arrive, the newest issues at \S+Z: 500 /,
    );
    const lost = local.webhooks.deliveries.at(-1);
    if (lost) await local.webhooks.redeliver(lost);
    expect(await appTroubles()).toEqual([]);
  });

  test('a desk that does not answer', async () => {
    const troubled = await appTroubles({ PUBLIC_URL: `http://127.0.0.1:${closedPort}` });
    expect(troubled.at(-1)).toMatchObject({
      check: 'desk',
      message: expect.stringContaining('does not answer'),
    });
  });

  test("another App's key, half of the credentials, and a key that is none", async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await appTroubles({ PRIVATE_KEY: pem })).toMatchObject([
      { check: 'app', message: `${local.host} does not accept APP_ID and PRIVATE_KEY.` },
    ]);
    expect(await appTroubles({ PRIVATE_KEY: '' })).toMatchObject([
      { check: 'app', status: 'problem', message: expect.stringContaining('APP_ID is set, but neither') },
      { check: 'app', status: 'unknown' },
    ]);
    const { out } = await look({ ...app(), PRIVATE_KEY: 'not-a-key-at-all' });
    expect(out).toContain('✗ PRIVATE_KEY is not an RSA private key');
    expect(out).not.toContain('not-a-key-at-all');
  });
});

describe('bad input', () => {
  test.each([
    'shop',
    'olivia/',
    '/shop',
    'olivia/shop/more',
    'olivia/..',
    'https://github.com/olivia/shop',
    '',
  ])('--repo %j is refused before anything is asked', async (name) => {
    await expect(
      doctorCommand(readOptions(['doctor', '--repo', name], ROOT), person()),
    ).rejects.toMatchObject({
      code: 'usage',
      message: '--repo takes OWNER/NAME, such as octocat/hello-world.',
    });
    expect(exchanges).toEqual([]);
  });

  test('no name, --agent with --repo, and --json without it: a mistake in the command line', async () => {
    const name = await autobuild(['doctor', '--repo', 'shop'], person());
    expect([name.code, name.error]).toEqual([64, expect.stringContaining('--repo takes OWNER/NAME')]);
    const both = await look(person(), '--agent', 'claude');
    expect([both.code, both.error]).toEqual([64, expect.stringContaining('not both')]);
    const alone = await autobuild(['doctor', '--json'], {});
    expect([alone.code, alone.error]).toEqual([64, expect.stringContaining('--json with --repo only')]);
  });

  const failing = async (env: Record<string, string>) => {
    const { code, out, error } = await look(env);
    expect([code, error]).toEqual([1, '']);
    for (const secret of [env.GITHUB_TOKEN, env.GH_TOKEN]) if (secret) expect(out).not.toContain(secret);
    return out;
  };

  test('no token: which variable, and what it must be allowed', async () => {
    const out = await failing({ GITHUB_API_URL: person().GITHUB_API_URL });
    expect(out).toContain('✗ No token to look with: neither GITHUB_TOKEN nor GH_TOKEN is set.');
    expect(out).toMatch(/With gh: GH_TOKEN=\$\(gh auth token\) .+ doctor --repo olivia\/shop\n/);
    expect(out).toMatch(/read access to Contents, Actions, .* scope `repo`/);
    expect(out).not.toContain('Whether the App');
  });

  test('a token that GitHub does not know, and one that is none', async () => {
    expect(await failing({ ...person(), GITHUB_TOKEN: 'ghp_old' })).toContain(
      `✗ ${local.host} does not accept GITHUB_TOKEN.\n  It may have expired`,
    );
    expect(await failing({ ...person(), GITHUB_TOKEN: 'ghp_one\nghp_two' })).toContain(
      '✗ GITHUB_TOKEN is not a token',
    );
  });

  test('a repository that is not there', async () => {
    const { code, out } = await autobuild(['doctor', '--repo', 'olivia/other'], person());
    expect(code).toBe(1);
    expect(out).toContain('✗ olivia/other is not there, or GITHUB_TOKEN may not see it.');
  });

  test('a limit that is reached', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'retry-after': '77' };
    interfere = () => ({ ...refuse(403, 'API rate limit exceeded'), headers });
    const out = await failing(person());
    expect(out).toContain('limits how often GITHUB_TOKEN may ask');
    expect(out).toContain('Try again in 77 s.');
  });

  test('a limit in the middle: what was found is kept', async () => {
    answering('/repos/:owner/:repo/labels/:name', {
      ...refuse(429, 'Slow down'),
      headers: { 'retry-after': '5' },
    });
    const out = await failing(person());
    expect(out).toContain('✓ The secret ANTHROPIC_API_KEY is there.');
    expect(out).toContain('Try again in 5 s.');
  });

  test('an organisation that asks for more', async () => {
    interfere = () => refuse(403, 'Resource protected by organization SAML enforcement.');
    expect(await failing(person())).toMatch(/SAML enforcement.*\n {2}Where an organisation asks for it/);
  });

  test('nobody there, something else there, and an address no token is sent to', async () => {
    expect(await failing({ ...person(), GITHUB_API_URL: `http://127.0.0.1:${closedPort}/api/v3` })).toMatch(
      /✗ GitHub did not answer GET .*\n {2}Check the network and, if you set it, GITHUB_API_URL/,
    );
    interfere = () => ({ status: 200, body: 'a page' });
    expect(await failing(person())).toContain('is not JSON');
    for (const url of [
      'http://github.example.com/api/v3',
      'github.example.com',
      'https://u:p@github.example.com',
    ])
      expect(await findings({ ...person(), GITHUB_API_URL: url })).toMatchObject([
        { message: 'GITHUB_API_URL is not an https address, so no token is sent there.' },
      ]);
  });
});
