import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { agentNames } from '../agents/registry.ts';
import { nearestName } from '../core/nearest-name.ts';
import { bundleAction } from './job-runner.ts';
import { PLAYGROUND_ISSUES, playgroundFiles } from './playground-project.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

const PORT = 4711;

interface PlaygroundOptions {
  /** The sandbox's own folder: nothing else is written. */
  directory: string;
  port?: number;
  /** An agent of the user's own, with the user's own key. */
  agent?: string;
  /** The user's environment, of which the jobs get the PATH, and the agent its key. */
  env: Record<string, string | undefined>;
  print(line: string): void;
}

export interface Playground {
  url: string;
  sandbox: Sandbox;
  close(): Promise<void>;
}

/** A mistake or a state of the machine that the person can change. */
export class PlaygroundError extends Error {
  override readonly name = 'PlaygroundError';
}

/** The local GitHub, the App and the runner, with issues to label, until it is closed. */
export async function openPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { directory, agent, env, print } = options;
  if (agent !== undefined && !agentNames().includes(agent)) {
    const near = nearestName(agent, agentNames());
    throw new PlaygroundError(
      `There is no agent ${agent}${near ? `; did you mean ${near}?` : '.'} Known: ${agentNames().join(', ')}.`,
    );
  }
  const lock = holdFolder(directory);
  try {
    const work = join(directory, 'work');
    print('Preparing the action …');
    const action = bundleAction(join(work, 'action'));
    const sandbox = await startAt(options, work, action);
    const { github } = sandbox;
    try {
      await sandbox.startApp();
      const owner = sandbox.person('olivia');
      for (const issue of PLAYGROUND_ISSUES) await owner.openIssue(issue);
      const url = `http://${github.host}/`;
      lock.tell(url);
      return {
        url,
        sandbox,
        async close() {
          await sandbox.close();
          lock.release();
        },
      };
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }

  async function startAt(
    given: PlaygroundOptions,
    work: string,
    action: ReturnType<typeof bundleAction>,
  ): Promise<Sandbox> {
    const start = (port: number) =>
      startSandbox({
        directory: work,
        files: playgroundFiles(process.execPath, agent),
        people: { paul: 'write', vera: 'read' },
        environment: {
          PATH: [dirname(process.execPath), env.PATH].join(delimiter),
          ...(agent ? { HOME: env.HOME ?? '' } : {}),
        },
        secrets: agent ? keysOf(env) : undefined,
        action,
        site: { port },
      });
    try {
      return await start(given.port ?? PORT);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (given.port !== undefined)
        throw new PlaygroundError(
          `Port ${given.port} is taken. Use --port with another one, or leave it out.`,
        );
      print(`Port ${PORT} is taken, so another one is used.`);
      return start(0);
    }
  }
}

/** Variables that agents read their keys from. */
function keysOf(env: Record<string, string | undefined>): Record<string, string> {
  const names = Object.keys(env).filter((name) => /^[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}

/** One sandbox per folder. Files of an earlier one are removed, because its GitHub is gone with its process. */
function holdFolder(directory: string): { tell(url: string): void; release(): void } {
  const file = join(directory, 'running.json');
  if (existsSync(file)) {
    const { pid, url } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; url?: string };
    if (isAlive(pid))
      throw new PlaygroundError(
        `A sandbox is running already${url ? ` at ${url}` : ''} (process ${pid}). Stop it with Ctrl-C there.`,
      );
  }
  rmSync(join(directory, 'work'), { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const write = (url?: string) => writeFileSync(file, JSON.stringify({ pid: process.pid, url }));
  write();
  return { tell: write, release: () => rmSync(file, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Opens the address in a browser, if there is one. */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [command = '', ...args] =
    platform === 'darwin'
      ? ['open', url]
      : platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url];
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
