const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Small repositories as people have them, one for each kind of set-up. */
export const FIXTURE_REPOSITORIES: Record<string, Record<string, string>> = {
  npm: {
    '.nvmrc': '22\n',
    'package.json': json({
      name: 'shop',
      version: '1.0.0',
      type: 'module',
      private: true,
      scripts: { test: 'node --test', lint: 'node --check receipt.js' },
      dependencies: { till: 'file:till' },
    }),
    'package-lock.json': json({
      name: 'shop',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'shop', version: '1.0.0', dependencies: { till: 'file:till' } },
        'node_modules/till': { resolved: 'till', link: true },
        till: { version: '1.0.0' },
      },
    }),
    'till/package.json': json({ name: 'till', version: '1.0.0', type: 'module', exports: './till.js' }),
    'till/till.js': "export const till = 'T-1';\n",
    'receipt.js': 'export const receipt = () => ({});\n',
    'receipt.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { till } from 'till';
import { receipt } from './receipt.js';

test('names the till', () => assert.equal(receipt().till, till));
`,
  },

  pnpm: {
    'package.json': json({
      name: 'shop',
      private: true,
      packageManager: 'pnpm@10.34.9+sha512.0123456789abcdef',
      engines: { node: '>=22' },
    }),
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    'pnpm-lock.yaml': `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .: {}

  packages/receipt:
    dependencies:
      till:
        specifier: workspace:*
        version: link:../till

  packages/till: {}
`,
    'packages/till/package.json': json({
      name: 'till',
      version: '1.0.0',
      type: 'module',
      exports: './till.js',
    }),
    'packages/till/till.js': "export const till = 'T-1';\n",
    'packages/receipt/package.json': json({
      name: 'receipt',
      version: '1.0.0',
      type: 'module',
      scripts: { test: 'node --test' },
      dependencies: { till: 'workspace:*' },
    }),
    'packages/receipt/receipt.js': 'export const receipt = () => ({});\n',
    'packages/receipt/receipt.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { till } from 'till';
import { receipt } from './receipt.js';

test('names the till', () => assert.equal(receipt().till, till));
`,
  },

  python: {
    '.python-version': '3.11\n',
    'shop/__init__.py': '',
    'shop/receipt.py': 'def receipt():\n    return {}\n',
    'pyproject.toml': '[build-system]\nrequires = ["setuptools"]\n',
    'tests/test_receipt.py': `import unittest

from shop.receipt import receipt


class ReceiptTest(unittest.TestCase):
    def test_names_the_till(self):
        self.assertEqual(receipt().get("till"), "T-1")
`,
  },

  'python-uv': {
    'pyproject.toml':
      '[project]\nname = "shop"\nrequires-python = ">=3.12"\n\n[dependency-groups]\ndev = ["pytest>=8"]\n',
    'uv.lock': 'version = 1\n',
    'tests/test_shop.py': 'def test_shop():\n    assert True\n',
  },

  'python-pip': {
    'requirements.txt': 'flask==3.1.0\n',
    'requirements-dev.txt': 'pytest==8.4.0\n',
    'app.py': '',
  },

  yarn: {
    'package.json': json({
      name: 'shop',
      packageManager: 'yarn@4.9.2',
      scripts: { test: 'vitest', build: 'tsc', typecheck: 'tsc --noEmit' },
      devDependencies: { vitest: '3.0.0' },
    }),
    'yarn.lock': '__metadata:\n  version: 8\n',
  },

  go: { 'go.mod': 'module example.com/shop\n\ngo 1.24\n', 'go.sum': '', 'shop.go': 'package shop\n' },

  rust: {
    'Cargo.toml': '[package]\nname = "shop"\n',
    'Cargo.lock': 'version = 4\n',
    'rust-toolchain.toml': '[toolchain]\nchannel = "1.90"\n',
  },

  maven: {
    'pom.xml':
      '<project><properties><maven.compiler.release>17</maven.compiler.release></properties></project>\n',
    mvnw: '#!/bin/sh\n',
  },

  gradle: {
    'build.gradle.kts': 'kotlin { jvmToolchain(21) }\n',
    gradlew: '#!/bin/sh\n',
    '.java-version': '21\n',
  },

  ruby: { Gemfile: 'gem "rspec"\n', 'Gemfile.lock': 'GEM\n', '.ruby-version': '3.4.2\n', '.rspec': '' },

  dotnet: {
    'Shop.sln': '',
    'Shop.Tests.csproj': '<Project><TargetFramework>net9.0</TargetFramework></Project>\n',
  },

  php: { 'composer.json': json({ scripts: { test: 'phpunit' } }), 'composer.lock': '{}\n' },

  // Two programs that have nothing in common at the top, one of them with two lockfiles.
  parts: {
    'frontend/package.json': json({ scripts: { test: 'vitest' }, dependencies: { react: '19.0.0' } }),
    'frontend/package-lock.json': '{}\n',
    'frontend/yarn.lock': '\n',
    'frontend/.node-version': 'system\n',
    'backend/Gemfile': '',
    'backend/Gemfile.lock': '',
    'backend/spec/shop_spec.rb': '',
    'docs/package.json': json({ scripts: { test: 'x' } }),
  },

  // Names that a shell would take apart, and one that nothing is made of.
  spaces: {
    'Mobile App/package.json': json({ scripts: { test: 'vitest' }, dependencies: { react: '19.0.0' } }),
    'Mobile App/package-lock.json': '{}\n',
    'Mobile App/.nvmrc': '18\n',
    'Ticket Office/Cargo.toml': '[package]\nname = "office"\n',
    'Ticket Office/Cargo.lock': 'version = 4\n',
    "Rosa's Tools/go.mod": 'module example.com/tools\n\ngo 1.24\n',
  },

  // Nothing that is known.
  unknown: { 'README.md': '# Shop\n' },
};
