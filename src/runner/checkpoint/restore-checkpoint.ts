import { isUtf8 } from 'node:buffer';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import type { SetAside } from '../../core/work/change.ts';
import { checkWorktreePath } from '../../core/work/worktree-path.ts';
import { runSessionCommand } from '../agent/session-command.ts';
import { makeDirectories } from '../disk/inside-directory.ts';
import { removeInside } from '../disk/set-aside.ts';
import { writeInside } from '../disk/write-inside.ts';
import type { Enter } from '../process/enter.ts';
import { applyChangeset } from '../workspace/apply-changeset.ts';
import type { PackedCheckpoint } from './pack-checkpoint.ts';

const IMPORT_MS = 120_000;

/** Restores the files, the quarantined files and the agent's conversation of a job that ran on another machine or in another directory. */
export async function restoreCheckpoint(
  checkpoint: PackedCheckpoint,
  target: {
    worktree: string;
    headSha: string;
    asideDir: string;
    home: string;
    agentFor(name: string): Agent | undefined;
    /** The environment for the agent's command that imports a conversation. */
    env: Record<string, string>;
    enter?: Enter;
  },
): Promise<{ aside: SetAside[]; conversation?: RestoredConversation }> {
  const { worktree, headSha, asideDir, home } = target;
  for (const directory of [asideDir, home]) await mkdir(directory, { recursive: true, mode: 0o700 });
  // The conversation comes first, because the agent's import command must not run with files of the run in the worktree.
  const conversation = await restoreConversation(checkpoint, target);
  await applyChangeset(worktree, checkpoint.changeset, headSha);
  for (const link of checkpoint.links) await restoreLink(worktree, link);
  const aside: SetAside[] = [];
  for (const [at, packed] of checkpoint.aside.entries()) {
    aside.push(await restoreAside(packed, asideDir, `restored-${at}`));
  }
  return { aside, conversation };
}

/** `problem` says why the agent has to start a new conversation. */
type RestoredConversation = { agent: string; session: string } | { problem: string };

async function restoreConversation(
  checkpoint: PackedCheckpoint,
  target: Parameters<typeof restoreCheckpoint>[1],
): Promise<RestoredConversation | undefined> {
  const { session, session_files } = checkpoint;
  const agent = checkpoint.agent === undefined ? undefined : target.agentFor(checkpoint.agent);
  if (!agent || session === undefined) return undefined;
  const { worktree, home, env, enter } = target;
  for (const file of session_files) {
    const moved = relocate(agent, file, checkpoint, target);
    if (!moved.ok) return { problem: `${file.path} cannot be brought here: ${moved.problem}` };
    await writeInside(home, moved.path, { bytes: moved.bytes, mode: file.mode & 0o777 });
  }
  const command = agent.importSession?.({ session, home });
  const problem =
    command &&
    (await runSessionCommand(command, { agent, worktree, home, env, timeoutMs: IMPORT_MS, enter }));
  if (problem) return { problem: `\`${command.argv.slice(0, 2).join(' ')}\`: ${problem}` };
  return { agent: agent.name, session };
}

/** Restores a symlink as it was. Its target is not checked, because nothing here follows it. */
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
  const pathOf = (path: string) => (path === '' ? name : `${name}/${path}`);
  await makeDirectories(asideDir, item.kind === 'directory' ? name : '.');
  for (const { path, mode, content } of files) {
    await writeInside(asideDir, pathOf(path), { bytes: Buffer.from(content, 'base64'), mode: mode & 0o777 });
  }
  for (const { path, target } of links) await restoreLink(asideDir, { path: pathOf(path), target });
  return { ...item, stored: join(asideDir, name) };
}

type Moved = { ok: true; path: string; bytes: Uint8Array } | { ok: false; problem: string };

function relocate(
  agent: Agent,
  { path, content }: PackedCheckpoint['session_files'][number],
  from: { worktree: string; home: string },
  to: { worktree: string; home: string },
): Moved {
  const bytes = Buffer.from(content, 'base64');
  if (!agent.relocate || (from.worktree === to.worktree && from.home === to.home))
    return { ok: true, path, bytes };
  // Binary files are copied unchanged, because decoding them as text would damage them.
  const file = isUtf8(bytes) ? { path, text: bytes.toString('utf8') } : { path };
  try {
    const inWorktree = agent.relocate(file, { from: from.worktree, to: to.worktree });
    const { path: movedPath, text } = agent.relocate(inWorktree, { from: from.home, to: to.home });
    return { ok: true, path: movedPath, bytes: text === undefined ? bytes : Buffer.from(text) };
  } catch (error) {
    // The agent wrote the file, so a malformed one is a problem to report and not a bug of ours.
    return { ok: false, problem: (error as Error).message.slice(0, 200) };
  }
}
