import { setTimeout as sleep } from 'node:timers/promises';
import type { Enter } from '../src/runner/process/enter.ts';
import type { Supervised } from '../src/runner/process/supervise.ts';
import { childArgv, withAgent } from './bench-agent.ts';
import { readMarked } from './marked-processes.ts';

const LINE_DEADLINE_MS = 10_000;
const TREE_SIZE = 20;

export interface BusyTree {
  agent: Supervised;
  mark: string;
  /** Resolves with the arrival time of the agent's next line that fits. */
  nextLine(fits: (line: string) => boolean): Promise<number>;
}

/** Runs an agent with at least 20 processes in several sessions while `use` runs. */
export async function withBusyTree<Result>(
  args: string[],
  use: (tree: BusyTree) => Promise<Result>,
  enter?: Enter,
): Promise<Result> {
  let waiting: ((line: string) => void) | undefined;
  const nextLine: BusyTree['nextLine'] = (fits) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`The agent said nothing for ${LINE_DEADLINE_MS} ms.`)),
        LINE_DEADLINE_MS,
      );
      waiting = (line) => {
        if (!fits(line)) return;
        waiting = undefined;
        clearTimeout(timer);
        resolve(performance.now());
      };
    });
  return withAgent(
    { argv: childArgv('run-busy-tree.ts', ...args), enter, onLine: (line) => waiting?.(line) },
    async (agent, mark) => {
      await nextLine(() => true);
      await waitForTree(mark);
      return use({ agent, mark, nextLine });
    },
  );
}

async function waitForTree(mark: string): Promise<void> {
  const deadline = performance.now() + LINE_DEADLINE_MS;
  while (readMarked(mark).size < TREE_SIZE) {
    if (performance.now() > deadline) throw new Error(`The tree did not grow to ${TREE_SIZE} processes.`);
    await sleep(20);
  }
}
