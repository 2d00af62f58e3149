import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AGENTS } from '../../src/agents/registry.ts';

/** The npm package of each, and its program within `node_modules`. */
const PACKAGES = {
  claude: {
    pack: '@anthropic-ai/claude-code',
    // The link to it is made by an install script, and those do not run.
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  codex: { pack: '@openai/codex', program: '.bin/codex' },
  gemini: { pack: '@google/gemini-cli', program: '.bin/gemini' },
  opencode: { pack: 'opencode-ai', program: `opencode-${process.platform}-${process.arch}/bin/opencode` },
  copilot: { pack: '@github/copilot', program: '.bin/copilot' },
};

export type CliName = keyof typeof PACKAGES;

const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];

const FIRST_START_MS = 120_000;

/** Where the programs are, and their homes. */
export const cache = process.env.AUTOBUILD_AGENT_CLIS ?? join(tmpdir(), 'agent-clis');

/** What a CLI needs to start, and nothing of this machine's settings. */
export function cliEnvironment(name: CliName): Record<string, string> {
  const programs = dirname(programOf(name, folderOf(name)));
  return {
    PATH: [dirname(process.execPath), programs, process.env.PATH].join(':'),
    NO_COLOR: '1',
    // What one of them unpacks at its first start, and another one fetches, is kept there for all tests.
    HOME: join(cache, 'home'),
  };
}

/** The versions the adapters name, each in a folder of its own outside the project, once per machine. */
export function installClis(): void {
  mkdirSync(join(cache, 'home'), { recursive: true });
  for (const name of Object.keys(PACKAGES) as CliName[]) {
    if (!isInstalled(name, folderOf(name))) installTwice(name);
    // Also unpacks what it unpacks, before two tests do so at the same time.
    const said = execFileSync(programOf(name, folderOf(name)), ['--version'], {
      env: cliEnvironment(name),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: FIRST_START_MS,
    });
    if (!said.includes(versionOf(name))) throw new Error(`${packageOf(name)} says it is ${said}`);
  }
}

function installTwice(name: CliName): void {
  try {
    install(name);
  } catch (error) {
    console.error(`${String(error)}\nTrying once more.`);
    install(name);
  }
}

/** Beside its place first: an install that is cut short leaves nothing that looks whole. */
function install(name: CliName): void {
  const folder = folderOf(name);
  const fresh = `${folder}.${process.pid}`;
  try {
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', ...FLAGS, packageOf(name)], {
      cwd: fresh,
      stdio: ['ignore', 'ignore', 'pipe'],
      // The npm beside this Node: it picks other versions when Node's does not suit them.
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
    if (!isInstalled(name, fresh)) throw new Error(`npm left no ${programOf(name, fresh)}.`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } catch (cause) {
    const said = String((cause as { stderr?: unknown }).stderr ?? '').slice(-1000);
    throw new Error(
      `${packageOf(name)} could not be installed from the npm registry into ${folder}: ${said || String(cause)}`,
      { cause },
    );
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function packageOf(name: CliName): string {
  return `${PACKAGES[name].pack}@${versionOf(name)}`;
}

function versionOf(name: CliName): string {
  return AGENTS[name]?.testedVersion ?? '';
}

function folderOf(name: CliName): string {
  return join(cache, name);
}

function programOf(name: CliName, folder: string): string {
  return join(folder, 'node_modules', PACKAGES[name].program);
}

function isInstalled(name: CliName, folder: string): boolean {
  const manifest = join(folder, 'node_modules', PACKAGES[name].pack, 'package.json');
  if (!existsSync(manifest) || !existsSync(programOf(name, folder))) return false;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return version === versionOf(name);
}
