import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

/** A control group for one agent. Children inherit membership, and clearing the environment does not end it. */
export type Cgroup = {
  /** Writing a pid to this file moves that process into the group. */
  procsFile: string;
  pids(): number[];
  /** The methods that return a boolean report whether the kernel accepted the request. Freezing is asynchronous: see `frozen()`. */
  freeze(): boolean;
  frozen(): boolean;
  thaw(): boolean;
  kill(): boolean;
  remove(): boolean;
};

const MAX_NESTED = 200;

/** Creates a cgroup v2 below our own. Undefined where the system does not allow it (no v2, read-only, not delegated). */
export function createCgroup(name: string): Cgroup | undefined {
  if (!/^[\w-]{1,128}$/.test(name)) return undefined;
  const parent = findOwnCgroup();
  if (parent === undefined) return undefined;
  const path = join(parent, name);
  // An old group of the same name is removed only when it is empty, because its members may belong to another run.
  attempt(() => rmdirSync(path));
  if (!attempt(() => mkdirSync(path))) return undefined;
  const usable = attempt(() => {
    // The kernel lets a process move only when both the new group and the common ancestor are writable.
    for (const file of [
      join(parent, 'cgroup.procs'),
      join(path, 'cgroup.procs'),
      join(path, 'cgroup.freeze'),
    ])
      accessSync(file, constants.W_OK);
  });
  if (usable && readText(join(path, 'cgroup.type')).trim() === 'domain') return describe(path);
  attempt(() => rmdirSync(path));
  return undefined;
}

/**
 * Wraps argv in a shell that joins the group and then execs the program, so that everything the program forks is inside. If the
 * kernel refuses the move, the program still runs. Some shells drop environment entries whose names are not identifiers.
 */
export function wrapIntoCgroup(cgroup: Cgroup, argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', '{ echo $$ > "$0"; } 2>/dev/null; exec "$@"', cgroup.procsFile, ...argv];
}

function describe(path: string): Cgroup {
  const write = (file: string, text: string) => attempt(() => writeFileSync(join(path, file), text));
  return {
    procsFile: join(path, 'cgroup.procs'),
    pids: () =>
      listNested(path).flatMap((group) =>
        readText(join(group, 'cgroup.procs')).split('\n').filter(Boolean).map(Number),
      ),
    freeze: () => write('cgroup.freeze', '1'),
    frozen: () => /^frozen 1$/m.test(readText(join(path, 'cgroup.events'))),
    thaw: () => write('cgroup.freeze', '0'),
    kill: () => write('cgroup.kill', '1'),
    remove: () =>
      listNested(path)
        .reverse()
        .every((group) => attempt(() => rmdirSync(group)) || !existsSync(group)),
  };
}

/** The group and all groups nested in it, parents first. Members can create nested groups. */
function listNested(path: string): string[] {
  const groups = [path];
  for (let at = 0; at < groups.length && groups.length < MAX_NESTED; at++) {
    const group = groups[at] ?? path;
    attempt(() => {
      for (const entry of readdirSync(group, { withFileTypes: true }))
        if (entry.isDirectory()) groups.push(join(group, entry.name));
    });
  }
  return groups;
}

/** The directory of the v2 group that this process is in. */
function findOwnCgroup(): string | undefined {
  const own = /^0::(\/.*)$/m.exec(readText('/proc/self/cgroup'))?.[1];
  if (own === undefined) return undefined;
  for (const line of readText('/proc/self/mountinfo').split('\n')) {
    // "36 35 98:0 /root /mount/point options - type source options"
    const [before = '', after = ''] = line.split(' - ');
    if (!after.startsWith('cgroup2 ')) continue;
    const [, , , root = '/', mount] = before.split(' ').map(unescapeMount);
    const below = relative(root, own);
    if (mount && !below.startsWith('..')) return join(mount, below);
  }
  return undefined;
}

/** The kernel writes spaces, tabs and backslashes in `mountinfo` as octal escapes. */
function unescapeMount(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
