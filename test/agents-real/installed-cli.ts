import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Each pinned: npm picks another version by itself when Node's does not suit the newest. */
const CLIS = {
  claude: {
    pack: '@anthropic-ai/claude-code',
    version: '2.1.325',
    // Its own link is made by an install script, and those do not run.
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  codex: { pack: '@openai/codex', version: '0.166.0', program: '.bin/codex' },
} as const;

/** The directory of a CLI's program, installed once per machine outside the project. */
export function installedCli(name: keyof typeof CLIS): string {
  const { pack, version, program } = CLIS[name];
  const cache = process.env.AUTOBUILD_AGENT_CLIS ?? join(tmpdir(), 'agent-clis');
  const folder = join(cache, name);
  const manifest = join(folder, 'node_modules', pack, 'package.json');
  if (versionIn(manifest) !== version) {
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
  if (versionIn(manifest) !== version)
    throw new Error(`npm did not install ${pack}@${version} in ${folder}.`);
  return dirname(join(folder, 'node_modules', program));
}

function versionIn(manifest: string): string | undefined {
  if (!existsSync(manifest)) return undefined;
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
