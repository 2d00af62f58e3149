import type { ProcessEntry, ProcessTable } from './process-table.ts';

export type MemberQuery = {
  root: { pid: number; started: string | undefined };
  /** Our own pid. */
  self: number;
  /** Members seen before, by identity: one that has lost its parent is still ours. */
  known: ReadonlySet<string>;
  /** Members of the agent's cgroup. */
  grouped: ReadonlySet<number>;
  isMarked(pid: number): boolean;
};

/** A pid alone is used again; with its start it names one process for good. */
export function identify({ pid, started }: ProcessEntry): string {
  return `${pid}@${started}`;
}

/** Everything that came of the root, parents before children, the root first; never init, us, or those who started us. */
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
  // A session keeps its leader's pid from being used again, so it names the agent's session unless another process has that
  // pid now. A root that leads no session must not bring in the one we are in ourselves.
  const foreign = (holder !== undefined && !rootLives) || table.get(self)?.session === root.pid;
  for (const entry of table.values()) {
    if (members.has(entry.pid) || off.has(entry.pid)) continue;
    const inSession = !foreign && entry.session === root.pid;
    if (inSession || grouped.has(entry.pid) || known.has(identify(entry)) || isMarked(entry.pid))
      addWithDescendants(entry);
  }
  return [...members.values()];
}

/** Init, ourselves and our ancestors: never signalled, whatever mark or group they are found with. */
export function protectedPids(table: ProcessTable, self: number): Set<number> {
  const pids = new Set([0, 1]);
  for (let pid: number | undefined = self; pid && !pids.has(pid); pid = table.get(pid)?.ppid) pids.add(pid);
  return pids;
}
