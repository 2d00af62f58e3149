import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Enter, Program } from '../process/enter.ts';
import type { ProcessTree } from '../process/process-tree.ts';
import type { Box } from './box.ts';
import { type BoxPlan, environmentIn, stepsFor } from './box-plan.ts';
import { canRun, findTool } from './can-run.ts';

/** Beside this file, and beside the bundle. */
const HELPER = fileURLToPath(new URL('./box-helper.mjs', import.meta.url));
const ENTER = fileURLToPath(new URL('./enter-box.sh', import.meta.url));
const ROOT_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
/** Longer than any grace period that is asked for. */
const ANSWER_MS = 30_000;

type Answer = { op: string; processes?: number; running?: number; survivors?: number; problem?: string };

/**
 * Level 4: the box is made by a helper that runs as root, by `sudo -n` where we are not root ourselves. It needs no user
 * namespaces, drops the user's groups, and freezes and ends the box as a whole.
 */
export function helperBox(plan: BoxPlan): Omit<Box, 'why'> | { problem: string } {
  if (process.platform !== 'linux') return { problem: `no helper on ${process.platform}` };
  const asRoot = rootCommand();
  if (!asRoot) return { problem: 'no helper: sudo is not installed' };
  // The same step that the helper takes first, because sudo may be there and namespaces forbidden.
  const unshare = findTool('unshare');
  if (!unshare || !findTool('setpriv')) return { problem: 'no helper: unshare or setpriv is not installed' };
  const trial = [unshare, '--pid', '--fork', '--mount', '--mount-proc', '--ipc', '--', '/bin/true'];
  const problem = canRun([...asRoot, ...trial], { env: ROOT_ENV });
  if (problem) return { problem: `no helper: ${problem}` };
  for (const name of ['tmp', 'home']) mkdirSync(join(plan.directory, name), { recursive: true, mode: 0o700 });
  return { level: 4, enter: enterByHelper(plan, asRoot) };
}

function rootCommand(): string[] | undefined {
  if (process.getuid?.() === 0) return [];
  const sudo = findTool('sudo');
  return sudo === undefined ? undefined : [sudo, '-n', '--'];
}

function enterByHelper(plan: BoxPlan, asRoot: readonly string[]): Enter {
  return (program) => {
    // A directory that nobody else can enter, with a path that is short enough for a socket.
    const directory = mkdtempSync(join(tmpdir(), 'autobuild-'));
    const path = join(directory, 'helper');
    const helper = listen(path, startOrder(plan, program));
    return {
      command: [...asRoot, process.execPath, HELPER, path],
      env: ROOT_ENV,
      hidesSignals: true,
      tree: () => treeOf(helper),
      close() {
        helper.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  };
}

function startOrder(plan: BoxPlan, program: Program): object {
  const [file, ...args] = program.argv;
  return {
    op: 'start',
    program: file,
    args,
    cwd: program.cwd,
    env: environmentIn(plan, program.env),
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    steps: stepsFor(plan, program),
    enter: ENTER,
    name: `autobuild-${program.mark}`,
  };
}

interface Helper {
  /** Undefined if the helper is gone, and the box with it. */
  ask(order: { op: string; grace?: number }): Promise<Answer | undefined>;
  close(): void;
}

/** The first connection is the helper's, and is told at once what to start. */
function listen(path: string, start: object): Helper {
  const waiting: { op: string; settle(answer: Answer | undefined): void }[] = [];
  let unsent: string[] = [`${JSON.stringify(start)}\n`];
  let socket: Socket | undefined;
  let isGone = false;
  const settleAll = () => {
    isGone = true;
    for (const { settle } of waiting.splice(0)) settle(undefined);
  };
  const server = createServer((connection) => {
    server.close();
    socket = connection;
    connection.on('error', () => connection.destroy());
    connection.on('close', settleAll);
    for (const line of unsent) connection.write(line);
    unsent = [];
    const lines = createInterface({ input: connection });
    // The connection's own errors come here too.
    lines.on('error', () => connection.destroy());
    lines.on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      const at = waiting.findIndex(({ op }) => op === answer.op);
      if (at >= 0) waiting.splice(at, 1)[0]?.settle(answer);
    });
  });
  server.maxConnections = 1;
  server.on('error', settleAll);
  server.listen(path);
  return {
    ask: (order) =>
      new Promise((resolve) => {
        if (isGone) return resolve(undefined);
        const timer = setTimeout(resolve, ANSWER_MS, undefined);
        waiting.push({
          op: order.op,
          settle(answer) {
            clearTimeout(timer);
            resolve(answer);
          },
        });
        const line = `${JSON.stringify(order)}\n`;
        if (socket) socket.write(line);
        else unsent.push(line);
      }),
    close() {
      server.close();
      socket?.destroy();
      settleAll();
    },
  };
}

function treeOf(helper: Helper): ProcessTree {
  return {
    list: () => [],
    async freeze() {
      const begin = performance.now();
      const { processes = 0, running = 0 } = (await helper.ask({ op: 'freeze' })) ?? {};
      return { processes, running, ms: performance.now() - begin };
    },
    async thaw() {
      await helper.ask({ op: 'thaw' });
    },
    async kill({ graceMs }) {
      const { processes = 0, survivors = 0 } = (await helper.ask({ op: 'kill', grace: graceMs })) ?? {};
      return { processes, survivors };
    },
  };
}
