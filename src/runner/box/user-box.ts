import { spawnSync } from 'node:child_process';
import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Enter } from '../process/enter.ts';
import { createProcessTree, type ProcessGroup } from '../process/process-tree.ts';
import type { Box } from './box.ts';
import { type BoxPlan, environmentIn, hiddenIn, isBelow, present } from './box-plan.ts';
import { canRun, findTool } from './can-run.ts';

/** Ids that no distribution gives to accounts. */
const UIDS = { from: 60_200, to: 60_299 };
const ROOT_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
const OTHERS = 0o007;

/**
 * Level 3: where we are root but namespaces are forbidden, as in the container of a job. Agent and checks are a user of their
 * own, whom everything belongs to that they may write. All processes of that user are theirs, whatever a process does to its
 * parent, session or environment, and none can become another user. Directories that everybody can write stay so.
 */
export function userBox(plan: BoxPlan): Omit<Box, 'why'> | { problem: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { problem: 'no user of its own: only root can give one' };
  const [setpriv, find, chown] = ['setpriv', 'find', 'chown'].map(findTool);
  if (!setpriv || !find || !chown)
    return { problem: 'no user of its own: setpriv, find or chown is not installed' };
  const uid = findFreeUid();
  if (uid === undefined) return { problem: 'no user of its own: no user id is free' };
  const drop = [
    ...[setpriv, `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs'],
    ...['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--'],
  ];
  const home = join(plan.directory, 'user');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const needed = present([home, plan.worktree, ...plan.shared, ...plan.readable]);
  for (const path of present(hiddenIn(plan))) hide(path, needed);
  const own = (paths: readonly string[], which: readonly string[] = []) => {
    const strangers = ['!', '-uid', `${uid}`, ...which];
    const args = [...paths, '-xdev', ...strangers, '-exec', chown, '-h', `${uid}:${uid}`, '{}', '+'];
    return spawnSync(find, args, { env: ROOT_ENV, stdio: 'ignore' }).status === 0;
  };
  const { uid: owner, gid: ownerGroup } = lstatSync(plan.worktree);
  const tops = [plan.worktree, join(plan.worktree, '.git')];
  const handBack = () => {
    // Git refuses a repository whose top belongs to another user than the one who asks.
    for (const path of tops) {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory() || stats?.nlink === 1) lchownSync(path, owner, ownerGroup);
    }
  };
  const enterAbove = ['/bin/sh', '-c', 'cd "$1" && cd "$2"', 'sh', dirname(plan.worktree), dirname(home)];
  const problem = canRun([...drop, ...enterAbove], { env: ROOT_ENV });
  if (problem) return { problem: `no user of its own: it cannot reach the worktree (${problem})` };
  // Nothing of the agent has run yet, so that every file is what it seems to be.
  if (!own(present([home, plan.worktree, ...plan.shared])))
    return { problem: 'no user of its own: the worktree cannot be given to it' };
  handBack();
  const enter: Enter = ({ argv, env, mark, share = [] }) => {
    // A file with a second name may be one that the agent linked here from elsewhere.
    const which = ['(', '-type', 'd', '-o', '-links', '1', ')'];
    if (pidsOf(uid).length === 0) own(present([plan.worktree, ...plan.shared, ...share]), which);
    const inHome = { ...environmentIn({ ...plan, home }, env), HOME: homeFor(plan, env.HOME, home) };
    return {
      command: [...drop, ...argv],
      env: inHome,
      hidesSignals: false,
      tree: (rootPid) => createProcessTree({ rootPid, mark, group: groupOf(uid, drop) }),
      close: handBack,
    };
  };
  return { level: 3, enter };
}

/** The home of the machine's user is not the agent's. A home that was made for the agent stays. */
function homeFor({ home }: BoxPlan, asked: string | undefined, own: string): string {
  return asked === undefined || asked === home ? own : asked;
}

/** Takes a place away from other users. On the way to what they need, only its other entries. */
function hide(path: string, needed: readonly string[]): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() || needed.some((place) => isBelow(path, place))) return;
  if (!stats.isDirectory() || !needed.some((place) => isBelow(place, path))) {
    chmodSync(path, stats.mode & 0o7777 & ~OTHERS);
    return;
  }
  for (const name of readdirSync(path)) hide(join(path, name), needed);
  chmodSync(path, (stats.mode & 0o7770) | 0o001);
}

/** No account has the id, and no process runs with it. */
function findFreeUid(): number | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => Number(line.split(':')[2]));
  const taken = new Set([...accounts, ...listProcesses().map(({ uid }) => uid)]);
  for (let uid = UIDS.from; uid <= UIDS.to; uid += 1) if (!taken.has(uid)) return uid;
  return undefined;
}

function groupOf(uid: number, drop: readonly string[]): ProcessGroup {
  const killAll = `[ "$(id -ru)" = ${uid} ] && kill -KILL -1`;
  return {
    pids: () => pidsOf(uid),
    freeze: () => false,
    thaw: () => false,
    // All at once, so that none of them forks meanwhile. The signal does not reach its sender.
    kill: () => canRun([...drop, '/bin/sh', '-c', killAll], { env: ROOT_ENV }) === undefined,
  };
}

function pidsOf(uid: number): number[] {
  return listProcesses()
    .filter((process) => process.uid === uid)
    .map(({ pid }) => pid);
}

function listProcesses(): { pid: number; uid: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), uid: lstatSync(`/proc/${name}`).uid }];
      } catch {
        return [];
      }
    });
}
