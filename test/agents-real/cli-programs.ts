import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Each pinned: npm picks another version by itself when Node's does not suit the newest. */
const CLIS = {
  gemini: { pack: '@google/gemini-cli', version: '0.61.0', programs: '.bin' },
  copilot: { pack: '@github/copilot', version: '1.0.102', programs: '.bin' },
  // Its own link is made by an install script, and those do not run.
  opencode: {
    pack: 'opencode-ai',
    version: '1.18.33',
    programs: `opencode-${process.platform}-${process.arch}/bin`,
  },
};

const cache = process.env.AUTOBUILD_AGENT_CLIS ?? join(tmpdir(), 'agent-clis');

/** What a CLI needs to start, and nothing of this machine's settings: it is installed once, outside the project. */
export function cliEnvironment(name: keyof typeof CLIS): { PATH: string; HOME: string; NO_COLOR: string } {
  const { pack, version, programs } = CLIS[name];
  const folder = join(cache, name);
  if (versionIn(join(folder, 'node_modules', pack, 'package.json')) !== version) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags, `${pack}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      // The npm beside this Node, so that it looks for versions that suit this Node.
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
  }
  // One of them unpacks 200 MB there at its first start.
  const home = join(cache, 'home');
  mkdirSync(home, { recursive: true });
  const path = [dirname(process.execPath), join(folder, 'node_modules', programs), process.env.PATH].join(
    ':',
  );
  return { PATH: path, HOME: home, NO_COLOR: '1' };
}

function versionIn(manifest: string): string | undefined {
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
