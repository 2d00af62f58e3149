// Packs the npm package as a release publishes it: with the action that its `init` writes into workflows, and without the fields of
// package.json that only a clone needs.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePackage } from './bundle-package.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const KEPT = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'engines',
  'bin',
  'files',
  'publishConfig',
];
const PARTS = ['bin', 'templates', 'LICENSE', 'README.md'];

/** Returns what `npm pack --json` says of the file that it wrote into `directory`. */
export async function packRelease({ directory, repository, action }) {
  const stage = mkdtempSync(join(tmpdir(), 'autobuild-package-'));
  try {
    await bundlePackage({ directory: join(stage, 'build'), action });
    for (const part of PARTS) cpSync(join(root, part), join(stage, part), { recursive: true });
    const all = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const kept = Object.fromEntries(KEPT.map((key) => [key, all[key]]));
    // npm's provenance is refused for another repository than the one that the workflow runs in.
    const about = { ...kept, repository: { type: 'git', url: `git+https://github.com/${repository}.git` } };
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
    mkdirSync(directory, { recursive: true });
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', directory], {
      cwd: stage,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Object.values(JSON.parse(packed))[0];
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}
