import { createCgroup, wrapIntoCgroup } from './cgroup.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';

/** A program that is about to start, of an agent or of a check. */
export interface Program {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** Unique to this start. */
  mark: string;
  /** Directories that the program needs beside its working directory. They exist now. */
  share?: readonly string[];
  useCgroup?: boolean;
}

/** How to start it, and how to reach its processes afterwards. */
interface Entered {
  command: string[];
  env: Record<string, string>;
  /** True if a shell stands between, which tells a signal as 128 and its number. */
  hidesSignals: boolean;
  tree(rootPid: number): ProcessTree;
  /** Called once no process of it is left, or it never started. */
  close(): void;
}

export type Enter = (program: Program) => Entered;

/** Starts the program as it is. `wrap` puts another program in front of it, which is a box if all in it ends with it. */
export function enterDirectly(
  program: Program,
  wrap: (argv: string[]) => string[] = (argv) => argv,
  { isBox = false } = {},
): Entered {
  const { argv, env, mark } = program;
  const cgroup = program.useCgroup === false ? undefined : createCgroup(`autobuild-${mark}`);
  const wrapped = wrap(argv);
  return {
    command: cgroup ? wrapIntoCgroup(cgroup, wrapped) : wrapped,
    env,
    hidesSignals: false,
    tree: (rootPid) => createProcessTree({ rootPid, mark, group: cgroup, isBox }),
    close: () => void cgroup?.remove(),
  };
}
