// Runs before `npm start`, `npm test` and friends on whatever Node the user has (18 or newer), so plain JavaScript.
// Installs what the lockfile says when node_modules is missing or older than the lockfile; otherwise costs two stats.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installed = join(root, 'node_modules', '.package-lock.json');

function isUpToDate() {
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, info]) =>
      path === '' || info.optional || info.devOptional || present[path]?.version === info.version,
  );
}

if (!isUpToDate()) {
  process.stderr.write('Installing what package-lock.json lists (once, about half a minute)…\n');
  // npm sets npm_execpath for its scripts, so that the same npm is used.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  const done = spawnSync(
    command,
    [...args, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  if (done.status !== 0) {
    process.stderr.write('The install failed. Look at the message above, then try `npm ci` by hand.\n');
    process.exit(done.status ?? 1);
  }
}
