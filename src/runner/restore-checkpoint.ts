import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { SetAside } from '../core/change.ts';
import { checkWorktreePath } from '../core/worktree-path.ts';
import { applyChangeset } from './apply-changeset.ts';
import { makeDirectories } from './inside-directory.ts';
import type { PackedCheckpoint } from './pack-checkpoint.ts';
import { removeInside } from './set-aside.ts';
import { writeInside } from './write-inside.ts';

/** Goes on where another machine, or another directory, stopped: the files, what was set aside, the agent's conversation. */
export async function restoreCheckpoint(
  checkpoint: PackedCheckpoint,
  place: {
    worktree: string;
    headSha: string;
    asideDir: string;
    home: string;
    agentFor(name: string): Agent | undefined;
  },
): Promise<{ aside: SetAside[]; session?: string }> {
  const { worktree, headSha, asideDir, home } = place;
  for (const directory of [asideDir, home]) await mkdir(directory, { recursive: true, mode: 0o700 });
  await applyChangeset(worktree, checkpoint.changeset, headSha);
  for (const link of checkpoint.links) await restoreLink(worktree, link);
  const aside: SetAside[] = [];
  for (const [at, packed] of checkpoint.aside.entries()) {
    aside.push(await restoreAside(packed, asideDir, `restored-${at}`));
  }
  const agent = checkpoint.agent === undefined ? undefined : place.agentFor(checkpoint.agent);
  if (!agent || checkpoint.session === undefined) return { aside };
  for (const file of checkpoint.session_files) {
    await writeInside(home, file.path, {
      bytes: relocate(agent, file, checkpoint, place),
      mode: file.mode & 0o777,
    });
  }
  return { aside, session: checkpoint.session };
}

/** The link as it was: where it leads is never asked. */
async function restoreLink(root: string, { path, target }: { path: string; target: string }): Promise<void> {
  const checked = checkWorktreePath(path);
  if (!checked.ok || checked.path !== path)
    throw new Error(
      `The checkpoint has a link at ${JSON.stringify(path)}, which is not inside the worktree.`,
    );
  await makeDirectories(root, dirname(path));
  await removeInside(root, path);
  await symlink(target, join(root, path));
}

async function restoreAside(
  { item, files, links }: PackedCheckpoint['aside'][number],
  asideDir: string,
  name: string,
): Promise<SetAside> {
  if (item.kind !== 'file' && item.kind !== 'directory') return item;
  const place = (path: string) => (path === '' ? name : `${name}/${path}`);
  await makeDirectories(asideDir, item.kind === 'directory' ? name : '.');
  for (const { path, mode, content } of files) {
    await writeInside(asideDir, place(path), { bytes: Buffer.from(content, 'base64'), mode: mode & 0o777 });
  }
  for (const { path, target } of links) await restoreLink(asideDir, { path: place(path), target });
  return { ...item, stored: join(asideDir, name) };
}

function relocate(
  agent: Agent,
  file: PackedCheckpoint['session_files'][number],
  from: { worktree: string; home: string },
  to: { worktree: string; home: string },
): Uint8Array {
  const bytes = Buffer.from(file.content, 'base64');
  if (!agent.relocate || (from.worktree === to.worktree && from.home === to.home)) return bytes;
  const text = agent.relocate(file.path, bytes.toString('utf8'), { from: from.worktree, to: to.worktree });
  return Buffer.from(agent.relocate(file.path, text, { from: from.home, to: to.home }));
}
