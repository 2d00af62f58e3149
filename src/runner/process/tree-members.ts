import type { ProcessEntry, ProcessTable } from './process-table.ts';

export type MemberQuery = {
  root: { pid: number; started: string | undefined };
  /** This process's own pid. */
  self: number;
  /** Identities of members found earlier. They still belong to the tree after they lose their parent. */
  known: ReadonlySet<string>;
  /** Members of the agent's cgroup. */
  grouped: ReadonlySet<number>;
  isMarked(entry: ProcessEntry): boolean;
};

/** Pid and start time together identify a process; a pid alone is reused. */
export function identify({ pid, started }: ProcessEntry): string {
  return `${pid}@${started}`;
}

/** All processes that belong to the root: the root first, parents before children. Never init, this process or its ancestors. */
export function findMembers(table: ProcessTable, query: MemberQuery): ProcessEntry[] {
  const { root, self, known, grouped, isMarked } = query;
  const off = protectedPids(table, self);
  const children = Map.groupBy(table.values(), (entry) => entry.ppid);
  const members = new Map<number, ProcessEntry>();

  function addWithDescendants(start: ProcessEntry): void {
    const queue = [start];
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      if (off.has(entry.pid) || members.has(entry.pid)) continue;
      members.set(entry.pid, entry);
      queue.push(...(children.get(entry.pid) ?? []));
    }
  }

  const holder = table.get(root.pid);
  const rootLives = holder !== undefined && holder.started === root.started;
  if (rootLives) addWithDescendants(holder);
  // While a session exists, its leader's pid is not reused. So `session === root.pid` means the agent's session, unless
  // another process has that pid now, or the session is our own because the root leads none.
  const foreign = (holder !== undefined && !rootLives) || table.get(self)?.session === root.pid;
  for (const entry of table.values()) {
    if (members.has(entry.pid) || off.has(entry.pid)) continue;
    const inSession = !foreign && entry.session === root.pid;
    if (inSession || grouped.has(entry.pid) || known.has(identify(entry)) || isMarked(entry))
      addWithDescendants(entry);
  }
  return [...members.values()];
}

/** Init, this process and its ancestors. They are never signalled, even if they carry the mark or are in the group. */
export function protectedPids(table: ProcessTable, self: number): Set<number> {
  const pids = new Set([0, 1]);
  for (let pid: number | undefined = self; pid && !pids.has(pid); pid = table.get(pid)?.ppid) pids.add(pid);
  return pids;
}
