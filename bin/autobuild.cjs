#!/usr/bin/env node
// Started on whatever Node is there, so nothing in this file needs a new one.
const version = process.versions.node;
if (Number(version.split('.')[0]) < 24) {
  console.error(
    `autobuild needs Node.js 24 or newer, and this is ${version}: https://nodejs.org/en/download`,
  );
  process.exitCode = 1;
} else {
  // A clone runs its source. The package has only the bundle.
  const source = require('node:path').join(__dirname, '../src/cli.ts');
  import(require('node:fs').existsSync(source) ? '../src/cli.ts' : '../build/cli.js');
}
