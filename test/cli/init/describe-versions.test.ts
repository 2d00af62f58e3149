import { expect, test } from 'vitest';
import { describeVersions } from '../../../src/cli/init/describe-versions.ts';
import { findSetUp } from '../../../src/cli/init/find-set-up.ts';
import { planAgent } from '../../../src/cli/init/plan-agent.ts';
import { repositoryOf } from '../../runner/checks/repository-of.ts';

const describe = (files: Record<string, string>, agent = 'claude', app?: { desk: string }) =>
  describeVersions({ setUp: findSetUp(repositoryOf(files)), agent: planAgent(agent, []), action: '', app });
const told = (name: string, node: number, file: string, newest: number) =>
  `${name} asks for Node.js ${node} or newer and runs on the repository's own, but ${file} allows ${newest} at most: raise it, or choose another agent with --agent.`;

test.each<[string, Record<string, string>]>([
  ['.nvmrc', { '.nvmrc': 'v18.1.0\n' }],
  ['.node-version', { '.node-version': '18' }],
  ['.tool-versions', { '.tool-versions': 'python 3.12\nnodejs 18.20.1\n' }],
  ['package.json', { 'package.json': JSON.stringify({ engines: { node: '^18' } }) }],
  [
    'package.json',
    { 'package.json': JSON.stringify({ volta: { node: '18.2.0' }, engines: { node: '>=18' } }) },
  ],
  [
    'package.json',
    { 'package.json': JSON.stringify({ devEngines: { runtime: [{ name: 'node', version: '18.x' }] } }) },
  ],
])('N-1: an agent that needs a newer Node.js than the repository has is told, by %s', (file, files) => {
  const repository = { 'package.json': '{}', ...files };
  expect(describe(repository)).toEqual([told('claude', 22, file, 18)]);
  expect(describe(repository, 'gemini')).toEqual([told('gemini', 20, file, 18)]);
  for (const agent of ['codex', 'copilot', 'opencode']) expect(describe(repository, agent)).toEqual([]);
});

test.each<Record<string, string>>([
  { 'package.json': '{}' },
  { 'package.json': JSON.stringify({ engines: { node: '>=16' } }) },
  { 'package.json': JSON.stringify({ engines: { node: '^18 || ^22' } }) },
  { 'package.json': JSON.stringify({ engines: { node: 'whatever' } }) },
  { 'package.json': JSON.stringify({ engines: { npm: '>=9' }, devEngines: { runtime: { name: 'bun' } } }) },
  { 'package.json': '{}', '.nvmrc': 'lts/*' },
  { 'go.mod': 'go 1.24\n', '.nvmrc': '18' },
])('N-1: nothing is said of the Node.js of %j', (files) => {
  expect(describe(files)).toEqual([]);
});

test('N-1: of several versions of a tool, the one that counts is named', () => {
  const files = {
    'api/package.json': '{}',
    'api/.nvmrc': '24',
    'shop/package.json': '{}',
    'shop/.nvmrc': '18',
    'web/package.json': '{}',
    'web/.nvmrc': '24',
  };
  expect(describe(files)).toEqual([
    'All checks run with one version of node: that of api/.nvmrc, not of shop/.nvmrc, web/.nvmrc.',
  ]);
  expect(describe(files, 'claude', { desk: 'https://autobuild.acme.dev' })).toEqual([
    'All checks run with one version of node: that of web/.nvmrc, not of api/.nvmrc, shop/.nvmrc.',
  ]);
});
