import { loadCheckpoint } from '../../runner/checkpoint/checkpoint.ts';

/** Where the copies of reverted edits are, by path. Only for the person at this machine: comments never have its paths. */
export function savedEdits(runDir: string): Record<string, string> {
  const { aside } = loadCheckpoint(runDir);
  return Object.fromEntries(aside.flatMap((item) => ('stored' in item ? [[item.path, item.stored]] : [])));
}
