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

/** A control group of our own: membership is inherited and cannot be shed by clearing the environment. */
export type Cgroup = {
  /** Written with a pid, this file moves that process in. */
  procsFile: string;
  pids(): number[];
  /** These say whether the kernel took the request; freezing goes on in the background until `frozen()`. */
  freeze(): boolean;
  frozen(): boolean;
  thaw(): boolean;
  kill(): boolean;
  remove(): boolean;
};

const MAX_NESTED = 200;

/** A cgroup v2 below our own, or undefined where the system does not let us (no v2, read-only, not delegated). */
export function createCgroup(name: string): Cgroup | undefined {
  if (!/^[\w-]{1,128}$/.test(name)) return undefined;
  const parent = findOwnCgroup();
  if (parent === undefined) return undefined;
  const path = join(parent, name);
  // One of that name from before goes only when it is empty: members of another's group are not ours to stop.
  attempt(() => rmdirSync(path));
  if (!attempt(() => mkdirSync(path))) return undefined;
  const usable = attempt(() => {
    // A process may move when both its new group and the common ancestor can be written.
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
 * The argv that enters the group before it becomes the program: nothing the program forks can be outside. Where the move is
 * refused the program runs all the same. Some shells drop environment entries whose names are no identifiers.
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

/** The group and the groups its members made inside, parents first. */
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

/** Where our own v2 group is mounted. */
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

/** The kernel writes spaces and their like as octal. */
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
