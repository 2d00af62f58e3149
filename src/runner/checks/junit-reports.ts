import { constants } from 'node:fs';
import { glob, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

const MAX_FILES = 500;
const MAX_BYTES = 10 * 1024 * 1024;

/** Maps each path to an identifier of the file's version, which changes when the file is written again. */
type ReportSnapshot = ReadonlyMap<string, string>;

/** The report files that match now. Taken before a command, it shows later which reports the command wrote. */
export async function findReports(cwd: string, patterns: readonly string[]): Promise<ReportSnapshot> {
  const found = new Map<string, string>();
  if (patterns.length === 0) return found;
  for await (const path of glob([...patterns], { cwd, exclude: isNeverAReport })) {
    if (found.size >= MAX_FILES) break;
    const report = await withReport(cwd, path, async (_, version) => version);
    if (report !== undefined) found.set(path, report);
  }
  return found;
}

/** The texts of the reports written since `before`. */
export async function readNewReports(
  cwd: string,
  patterns: readonly string[],
  before: ReportSnapshot,
): Promise<string[]> {
  const texts: string[] = [];
  for (const [path, version] of await findReports(cwd, patterns)) {
    if (before.get(path) === version) continue;
    const text = await withReport(cwd, path, (read) => read());
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

function isNeverAReport(path: string): boolean {
  return path === '.git' || path === 'node_modules' || /(?:^|\/)(?:\.git|node_modules)$/.test(path);
}

/**
 * Opens only regular files of bounded size inside the tree, without following a symlink or waiting for a writer. The checks run
 * the agent's code, so a report could be a symlink to a secret, a pipe that never ends, or a huge file.
 */
async function withReport<T>(
  cwd: string,
  path: string,
  use: (read: () => Promise<string>, version: string) => Promise<T>,
): Promise<T | undefined> {
  const full = join(cwd, path);
  try {
    const root = await realpath(cwd);
    if (!(await realpath(full)).startsWith(root + sep)) return undefined;
    await using file = await open(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat({ bigint: true });
    if (!stat.isFile() || stat.size > MAX_BYTES) return undefined;
    return await use(() => file.readFile('utf8'), `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`);
  } catch (error) {
    // The file was deleted, is a symlink, or cannot be read by this user.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
