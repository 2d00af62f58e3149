import { expect, test } from 'vitest';
import { filesRunBy } from '../../../src/core/work/command-files.ts';
import { expectLinear } from '../../expect-linear.ts';

const run = (command: string, scripts: Record<string, string> = {}) =>
  [...filesRunBy([command], scripts)].filter((path) => path.includes('/')).sort();

test.each([
  ['node scripts/check.mjs', ['scripts/check.mjs']],
  ['CI=1 npx tsx --no-warnings scripts/check.ts', ['scripts/check.ts']],
  ['./ci/test.sh && python3 ci/lint.py', ['ci/lint.py', 'ci/test.sh']],
  ['tsc -p config/tsconfig.json', ['config/tsconfig.json']],
  ['eslint --config=config/lint.js src/a.ts', ['config/lint.js']],
  ['uv run python tools/check.py', ['tools/check.py']],
  ['bash -e "ci/all.sh"', ['ci/all.sh']],
  ['cd packages/shop && make -f ci/shop.mk', ['ci/shop.mk']],
  ['cc src/main.c', []],
])('S-22: what `%s` runs or is configured by', (command, files) => {
  expect(run(command)).toEqual(files);
});

test('S-22: scripts are followed with their pre and post scripts, and only once', () => {
  const scripts = {
    test: 'npm run unit && npm run test',
    pretest: 'node ci/pre.js',
    posttest: 'node ci/post.js',
    unit: 'node ci/unit.js',
    start: 'node src/server.js',
  };
  expect(run('npm test', scripts)).toEqual(['ci/post.js', 'ci/pre.js', 'ci/unit.js']);
});

test('S-18: a command of any length is read in steps in proportion to it', () => {
  expectLinear((size) => filesRunBy(['node --x=y '.repeat(size)], { a: 'b '.repeat(size) }), 400);
});
