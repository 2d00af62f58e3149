import type { GitHub } from '../core/ports/github-port.ts';
import type { AppDependencies } from './dependencies.ts';
import { readMarker } from './upsert-comment.ts';

/** GitHub's clock may be behind the desk's. */
const SKEW_MS = 120_000;

/**
 * records comments of ours that no record names. The desk that wrote them was killed before it could save, and the next one
 * would write them again.
 */
export async function adoptComments(
  { store, ownership }: AppDependencies,
  github: GitHub,
  number: number,
  since: string,
): Promise<void> {
  const from = new Date(Date.parse(since) - SKEW_MS).toISOString();
  for (const comment of await github.comments(number, from)) {
    const op = ownership.opOf?.(comment, number);
    if (op === undefined || (await store.comments.find(op))?.comment_id !== undefined) continue;
    const { id: comment_id, node_id, body } = comment;
    const run = readMarker(body)?.run || undefined;
    // Without a hash it is written again, with the rest of its record.
    await store.comments.save(op, { run, comment_id, node_id, body_hash: '' });
  }
}
