import { readMarker } from '../app/upsert-comment.ts';
import type { GitHubComment } from '../core/ports/github-port.ts';
import type { DeskParts } from './desk-parts.ts';
import { createMacOwnership } from './mac-ownership.ts';

/** A word about the state itself, which therefore cannot be recorded there. */
interface Notice {
  /** Its subject, as a word. */
  about: string;
  title: string;
  text: string;
}

export function ownershipOf({ secrets, job }: Pick<DeskParts, 'secrets' | 'job'>) {
  return createMacOwnership({
    keys: secrets,
    repository: { id: job.repoId, name: `${job.owner}/${job.repo}` },
  });
}

/**
 * Writes the notice, unless it is the newest comment of ours already: every event would repeat it otherwise. Without a key nothing
 * proves that a comment is ours; whoever writes such a one keeps this one from being written, and gains nothing else.
 */
export async function tellOnce(
  parts: Pick<DeskParts, 'github' | 'secrets' | 'job'>,
  on: number,
  { about, title, text }: Notice,
): Promise<void> {
  const { github, secrets } = parts;
  const ownership = ownershipOf(parts);
  const op = `${on}.${about}`;
  const isOurs = (comment: GitHubComment) =>
    secrets.length > 0
      ? ownership.isOurs(comment, on)
      : comment.author_type === 'Bot' && readMarker(comment.body) !== undefined;
  const ours = (await github.comments(on)).filter(isOurs);
  const newest = ours.reduce((id, comment) => Math.max(id, comment.id), 0);
  if (ours.some(({ id, body }) => id === newest && readMarker(body)?.op === op)) return;
  await github.createComment(
    on,
    ownership.sign(`<!-- autobuild:notice op=${op} -->\n### ✗ ${title}\n\n${text}`, on),
  );
}
