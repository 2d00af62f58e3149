import type { GitHub } from '../core/ports/github-port.ts';

/**
 * The person who edited the text last. Undefined if an App did, because an edit by an App (we tick nothing) hides who ticked the
 * box.
 */
export async function lastPerson(github: GitHub, nodeId: string): Promise<string | undefined> {
  return (await lastEditByPerson(github, nodeId))?.by;
}

/** The same, with its time. */
export async function lastEditByPerson(
  github: GitHub,
  nodeId: string,
): Promise<{ at?: string; by?: string } | undefined> {
  const edit = await github.lastEdit(nodeId);
  return edit?.by?.endsWith('[bot]') ? undefined : edit;
}
