import type { GitHub } from '../core/ports/github-port.ts';

/**
 * The newest edit of a text, with its time, if a person made it. Undefined if an App did, because an edit by an App (we tick
 * nothing) hides who ticked the box.
 */
export async function lastEditByPerson(
  github: GitHub,
  nodeId: string,
): Promise<{ at?: string; by?: string } | undefined> {
  const edit = await github.lastEdit(nodeId);
  return edit?.by?.endsWith('[bot]') ? undefined : edit;
}
